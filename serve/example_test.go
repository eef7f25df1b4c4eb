package serve_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/models/dgs"
	"dgsbench/protocol"
	"dgsbench/serve"
)

// A service loads a model once and scores transactions as they come. The one here is not
// trained; `bench run --checkpoints` leaves trained ones beside the records.
func Example() {
	folder, err := os.MkdirTemp("", "scorer")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "model.safetensors")
	if err := untrained(path); err != nil {
		log.Fatal(err)
	}

	scorer, err := serve.Open(path, serve.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range []serve.Event{
		{Source: 0, Destination: 1, Time: 0, Features: []float32{.1, -1}},
		{Source: 0, Destination: 2, Time: 7, Features: []float32{2, .5}},
	} {
		p, err := scorer.Score(e)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("a probability:", p > 0 && p < 1)
	}
	// The states outlive the process.
	if err := scorer.Save(path); err != nil {
		log.Fatal(err)
	}
	// Output:
	// a probability: true
	// a probability: true
}

func untrained(path string) error {
	kind, err := models.Lookup("dgs")
	if err != nil {
		return err
	}
	o := dgs.Defaults()
	o.Size, o.Blocks = 8, 4
	setup := models.Setup{
		Task: protocol.NodeClassification, NumNodes: 3, NumFeat: 2, MaxBatch: 1, Threads: 1, Train: datasets.Stream{NumNodes: 3, NumFeat: 2},
	}
	m, err := kind.New(setup, o)
	if err != nil {
		return err
	}
	data, err := models.Save(m, kind, setup, o, `{"kind": "dgs", "task": "nc", "options": {"size": 8, "blocks": 4}}`).Encode()
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o666)
}
