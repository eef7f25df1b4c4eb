//go:build gpu

package standard

import (
	"fmt"
	"testing"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/kernels/cuda"
	"dgsbench/kernels/cuda/cudatest"
	"dgsbench/models"
	"dgsbench/models/modeltest"
)

func TestWork(t *testing.T) {
	for _, name := range models.Names() {
		kind, _ := models.Lookup(name)
		if !kind.Trainable() {
			continue
		}
		for _, task := range []models.Task{models.NodeClassification, models.LinkPrediction} {
			if name == "raw" && task == models.LinkPrediction {
				continue
			}
			s := modeltest.Random(1, 400)
			const batch = 40
			d := cudatest.Device(t).(*cuda.Device)
			m, err := kind.New(models.Setup{Task: task, NumNodes: s.NumNodes, Users: s.Users, NumFeat: s.NumFeat, MaxBatch: batch, Train: s, Threads: 1, Device: func(int) (kernels.Device, error) { return d, nil }}, smallOptions(t, kind))
			if err != nil {
				t.Log(name, task, err)
				continue
			}
			step := func(what string, f func(b datasets.Stream) error) {
				for i := 0; i < 3; i++ {
					before := d.Work()
					if err := f(s.Slice(i*batch, (i+1)*batch)); err != nil {
						t.Fatal(err)
					}
					if i == 2 {
						fmt.Printf("%-14s %s %-9s %+v\n", name, task, what, d.Work().Minus(before))
					}
				}
			}
			step("train", func(b datasets.Stream) error {
				var neg []int32
				if task == models.LinkPrediction {
					neg = b.Dst
				}
				_, err := m.Train(b, neg)
				return err
			})
			if task == models.NodeClassification {
				out := make([]float32, batch)
				step("classify", func(b datasets.Stream) error { return m.Classify(b, out) })
			} else {
				step("observe", func(b datasets.Stream) error { return m.Observe(b) })
			}
		}
	}
}
