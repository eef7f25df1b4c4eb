package main

import (
	"os"
	"path/filepath"
	"testing"

	"dgsbench/internal/safetensors"
	"dgsbench/models"
	"dgsbench/models/modeltest"
	"dgsbench/protocol"
)

// TestRun: both commands answer a script that asks once.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	s := modeltest.Random(1, 40)
	columns := map[string][]int64{}
	for k := range s.Len() {
		for name, v := range map[string]int64{
			"src": int64(s.Src[k]), "dst": int64(s.Dst[k]), "t": int64(s.Time[k]), "negative": int64(s.Dst[0]), "label": int64(s.Label[k]),
		} {
			columns[name] = append(columns[name], v)
		}
	}
	stream := []safetensors.Tensor{{Name: "x", Shape: []int{s.Len(), s.NumFeat}, F32: s.Feat}}
	for name, c := range columns {
		stream = append(stream, safetensors.Tensor{Name: name, Shape: []int{len(c)}, I64: c})
	}
	kind, err := models.Lookup("graphsprints")
	if err != nil {
		t.Fatal(err)
	}
	m, err := kind.New(models.Setup{
		Task: protocol.NodeClassification, NumNodes: s.NumNodes, Users: s.Users, NumFeat: s.NumFeat, MaxBatch: 10, Train: s.Slice(0, 20), Threads: 1,
	}, kind.Options())
	if err != nil {
		t.Fatal(err)
	}
	var params []safetensors.Tensor
	for _, p := range m.Snapshot(models.Parameters).Params {
		params = append(params, safetensors.Tensor(p))
	}
	path := func(name string) string { return filepath.Join(dir, name) }
	write := func(name string, tensors []safetensors.Tensor, metadata map[string]string) {
		t.Helper()
		data, err := safetensors.Encode(tensors, metadata)
		if err == nil {
			err = os.WriteFile(path(name), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write("stream", stream, nil)
	for name, deploy := range map[string]string{"model": "false", "lean": "true"} {
		write(name, params, map[string]string{"spec": `{"Kind": "graphsprints", "Task": "nc", "Options": "{}", "Batch": 10, "Threads": 1, "Fitted": 20, "From": 20, "Deploy": ` + deploy + `}`})
	}
	for _, args := range [][]string{
		{"latency", path("stream"), path("model"), path("logits")}, {"latency", path("stream"), path("lean"), path("logits")}, {"training", path("stream"), path("model")},
	} {
		if err := os.WriteFile(path("questions"), []byte("1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if os.Stdin, err = os.Open(path("questions")); err != nil {
			t.Fatal(err)
		}
		if err := run(args); err != nil {
			t.Errorf("%v: %v", args[0], err)
		}
	}
	logits, _, err := readTensors(path("logits"))
	if err != nil || len(logits["logits"].F32) != 20 {
		t.Errorf("%d logits, %v", len(logits["logits"].F32), err)
	}
	if run([]string{"latency"}) == nil {
		t.Error("no error without files")
	}
}
