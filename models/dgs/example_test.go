package dgs_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/models/dgs"
	"dgsbench/protocol"
)

// A service loads a checkpoint once and scores transactions as they come.
// The checkpoint here is that of an untrained model; `bench run
// --checkpoints` leaves those of trained ones beside the records.
func ExampleScorer() {
	folder, err := os.MkdirTemp("", "scorer")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "model.safetensors")
	if err := untrained(path); err != nil {
		log.Fatal(err)
	}

	scorer, err := dgs.OpenScorer(path)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range []dgs.Event{
		{Source: 0, Destination: 1, Features: []float32{.1, -1}},
		{Source: 0, Destination: 2, Features: []float32{2, .5}},
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
	o := dgs.Defaults()
	o.Size, o.Blocks = 8, 4
	m, err := dgs.New(models.Setup{
		Task: protocol.NodeClassification, NumNodes: 3, NumFeat: 2, MaxBatch: 1, Threads: 1, Train: datasets.Stream{NumNodes: 3, NumFeat: 2},
	}, o)
	if err != nil {
		return err
	}
	return models.WriteCheckpoint(path, m.Snapshot(models.Everything), map[string]string{
		models.SpecKey: `{"kind": "dgs", "task": "nc", "options": {"size": 8, "blocks": 4}}`,
	})
}
