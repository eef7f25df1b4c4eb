package main

import (
	"encoding/json"
	"fmt"

	"dgsbench/datasets"
	"dgsbench/internal/safetensors"
	"dgsbench/internal/strictyaml"
	"dgsbench/models"
	"dgsbench/protocol"
)

// spec says what is to be built and on which events. It is the JSON under
// "spec" in the metadata of a model file.
type spec struct {
	Kind    string
	Task    protocol.Task
	Options string // YAML
	Batch   int
	Threads int
	Fitted  int  // so many events from the first are the training part
	From    int  // the first event that is measured; those before warm the state up
	Deploy  bool // take the form for inference alone
}

// readModel builds the model of a file for a stream: by its spec, with its
// tensors as parameters, under our names.
func readModel(path string, s datasets.Stream) (models.Model, spec, error) {
	tensors, metadata, err := readTensors(path)
	if err != nil {
		return nil, spec{}, err
	}
	var c spec
	if err := json.Unmarshal([]byte(metadata["spec"]), &c); err != nil {
		return nil, spec{}, fmt.Errorf("%s: spec: %w", path, err)
	}
	m, err := c.build(s)
	if err == nil {
		err = setParams(m, tensors)
	}
	if err != nil {
		return nil, spec{}, fmt.Errorf("%s: %w", path, err)
	}
	if c.Deploy {
		m, err = deploy(m)
	}
	return m, c, err
}

func deploy(m models.Model) (models.Model, error) {
	d, ok := m.(models.Deployer)
	if !ok {
		return nil, fmt.Errorf("the model has no form for inference alone")
	}
	return d.Deploy()
}

func (c spec) build(s datasets.Stream) (models.Model, error) {
	kind, err := models.Lookup(c.Kind)
	if err != nil {
		return nil, err
	}
	options := kind.Options()
	node, err := strictyaml.Parse("options", []byte(c.Options))
	if err != nil {
		return nil, err
	}
	if err := node.Decode(options); err != nil {
		return nil, err
	}
	if err := options.Validate(); err != nil {
		return nil, err
	}
	return kind.New(models.Setup{
		Task: c.Task, NumNodes: s.NumNodes, Users: s.Users, NumFeat: s.NumFeat,
		MaxBatch: c.Batch, Train: s.Slice(0, c.Fitted).WithoutLabels(), Seed: 1, Threads: c.Threads,
	}, options)
}

// setParams gives the model the tensors: exactly those that it has.
func setParams(m models.Model, tensors map[string]safetensors.Tensor) error {
	snapshot := m.Snapshot(models.Parameters)
	for i, p := range snapshot.Params {
		t, ok := tensors[p.Name]
		if !ok {
			return fmt.Errorf("no tensor %s %v", p.Name, p.Shape)
		}
		snapshot.Params[i] = models.Tensor(t)
		delete(tensors, p.Name)
	}
	for name := range tensors {
		return fmt.Errorf("the model has no parameter %s", name)
	}
	return m.Restore(snapshot)
}
