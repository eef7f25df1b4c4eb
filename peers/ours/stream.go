package main

import (
	"fmt"
	"os"
	"slices"

	"dgsbench/datasets"
	"dgsbench/internal/safetensors"
)

// readStream reads a bipartite stream: the I64 columns src, dst, t (seconds),
// negative (a node for every event) and the F32 matrix x of features.
func readStream(path string) (s datasets.Stream, negatives []int32, err error) {
	tensors, _, err := readTensors(path)
	if err != nil {
		return s, nil, err
	}
	for _, name := range []string{"src", "dst", "t", "negative", "x"} {
		if _, ok := tensors[name]; !ok {
			return s, nil, fmt.Errorf("%s: no tensor %s", path, name)
		}
	}
	x := tensors["x"]
	s = datasets.Stream{
		Src: narrow(tensors["src"].I64), Dst: narrow(tensors["dst"].I64),
		Label: make([]int8, len(tensors["src"].I64)), Feat: x.F32, NumFeat: x.Shape[1],
	}
	for _, t := range tensors["t"].I64 {
		s.Time = append(s.Time, float64(t))
	}
	s.Users, s.NumNodes = int(slices.Min(s.Dst)), int(slices.Max(s.Dst))+1
	return s, narrow(tensors["negative"].I64), nil
}

func narrow(x []int64) []int32 {
	out := make([]int32, len(x))
	for i, v := range x {
		out[i] = int32(v)
	}
	return out
}

// readTensors finds the tensors of a file by their names.
func readTensors(path string) (map[string]safetensors.Tensor, map[string]string, error) {
	data, err := os.ReadFile(path)
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
