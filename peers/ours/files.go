package main

import (
	"encoding/json"
	"fmt"
	"slices"

	"dgsbench/datasets"
	"dgsbench/internal/regular"
	"dgsbench/internal/safetensors"
	"dgsbench/internal/strictyaml"
	"dgsbench/models"
	"dgsbench/protocol"
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
		Src: models.Convert[int32](tensors["src"].I64), Dst: models.Convert[int32](tensors["dst"].I64), Time: models.Convert[float64](tensors["t"].I64),
		Label: models.Convert[int8](tensors["label"].I64), Feat: x.F32, NumFeat: x.Shape[1],
	}
	s.Users, s.NumNodes = int(slices.Min(s.Dst)), int(slices.Max(s.Dst))+1
	return s, models.Convert[int32](tensors["negative"].I64), nil
}

// maxBytes is more than a file of tensors has.
const maxBytes = 64 << 30

// readTensors returns the tensors of a file by their names, and its metadata.
func readTensors(path string) (map[string]safetensors.Tensor, map[string]string, error) {
	data, err := regular.Read(path, maxBytes)
	if err != nil {
		return nil, nil, err
	}
	list, metadata, err := safetensors.Decode(path, data)
	tensors := map[string]safetensors.Tensor{}
	for _, t := range list {
		tensors[t.Name] = t
	}
	return tensors, metadata, err
}

// spec says what is to be built and which events are measured. It is the
// JSON under "spec" in the metadata of a model file.
type spec struct {
	Kind    string
	Task    protocol.Task
	Options string // YAML
	Batch   int
	Threads int
	Fitted  int  // number of leading events that are the training part
	From    int  // the first event that is measured; those before warm the state up
	Deploy  bool // use the form for inference alone
}

// readModel builds the model of a file for a stream: by its spec, with its
// tensors as parameters, under our names.
func readModel(path string, s datasets.Stream) (m models.Model, c spec, err error) {
	tensors, metadata, err := readTensors(path)
	if err != nil {
		return nil, spec{}, err
	}
	if err := json.Unmarshal([]byte(metadata["spec"]), &c); err != nil {
		return nil, spec{}, fmt.Errorf("%s: spec: %w", path, err)
	}
	if m, err = c.build(s, tensors); err != nil {
		return nil, spec{}, fmt.Errorf("%s: %w", path, err)
	}
	return m, c, nil
}

func (c spec) build(s datasets.Stream, tensors map[string]safetensors.Tensor) (models.Model, error) {
	kind, err := models.Lookup(c.Kind)
	if err != nil {
		return nil, err
	}
	options := kind.Options()
	if err := strictyaml.Unmarshal("options", []byte(c.Options), options); err != nil {
		return nil, err
	}
	if err := options.Validate(); err != nil {
		return nil, err
	}
	m, err := kind.New(models.Setup{
		Task: c.Task, NumNodes: s.NumNodes, Users: s.Users, NumFeat: s.NumFeat,
		MaxBatch: c.Batch, Train: s.Slice(0, c.Fitted).WithoutLabels(), Seed: 1, Threads: c.Threads,
	}, options)
	if err != nil {
		return nil, err
	}
	if err := setParams(m, tensors); err != nil || !c.Deploy {
		return m, err
	}
	d, ok := m.(models.Deployer)
	if !ok {
		return nil, fmt.Errorf("the model has no form for inference alone")
	}
	return d.Deploy()
}

// setParams gives the model the tensors: exactly those that it has.
func setParams(m models.Model, tensors map[string]safetensors.Tensor) error {
	snapshot := m.Snapshot(models.Parameters)
	for i, p := range snapshot.Params {
		t, ok := tensors[p.Name]
		if !ok {
			return fmt.Errorf("no tensor %s %v", p.Name, p.Shape)
		}
		snapshot.Params[i] = t
		delete(tensors, p.Name)
	}
	for name := range tensors {
		return fmt.Errorf("the model has no parameter %s", name)
	}
	return m.Restore(snapshot)
}
