package main

import (
	"fmt"
	"slices"

	"dgsbench/datasets"
	"dgsbench/internal/regular"
	"dgsbench/internal/safetensors"
)

// readStream reads a bipartite stream: the I64 columns src, dst, t (seconds),
// negative (a node for every event) and label, and the F32 matrix x of
// features.
func readStream(path string) (s datasets.Stream, negatives []int32, err error) {
	tensors, _, err := readTensors(path)
	if err != nil {
		return s, nil, err
	}
	for _, name := range []string{"src", "dst", "t", "negative", "label", "x"} {
		if _, ok := tensors[name]; !ok {
			return s, nil, fmt.Errorf("%s: no tensor %s", path, name)
		}
	}
	x := tensors["x"]
	s = datasets.Stream{
		Src: narrow[int32](tensors["src"].I64), Dst: narrow[int32](tensors["dst"].I64),
		Label: narrow[int8](tensors["label"].I64), Feat: x.F32, NumFeat: x.Shape[1],
	}
	for _, t := range tensors["t"].I64 {
		s.Time = append(s.Time, float64(t))
	}
	s.Users, s.NumNodes = int(slices.Min(s.Dst)), int(slices.Max(s.Dst))+1
	return s, narrow[int32](tensors["negative"].I64), nil
}

func narrow[T int8 | int32](x []int64) []T {
	out := make([]T, len(x))
	for i, v := range x {
		out[i] = T(v)
	}
	return out
}

// mostTensors is more bytes than a file of tensors has.
const mostTensors = 64 << 30

// readTensors finds the tensors of a file by their names.
func readTensors(path string) (map[string]safetensors.Tensor, map[string]string, error) {
	data, err := regular.Read(path, mostTensors)
	if err != nil {
		return nil, nil, err
	}
	list, metadata, err := safetensors.Decode(path, data)
	if err != nil {
		return nil, nil, err
	}
	tensors := map[string]safetensors.Tensor{}
	for _, t := range list {
		tensors[t.Name] = t
	}
	return tensors, metadata, nil
}
