//go:build gpu

package standard

import (
	"cmp"
	"testing"

	"dgsbench/datasets"
	"dgsbench/internal/strictyaml"
	"dgsbench/kernels"
	"dgsbench/kernels/cuda/cudatest"
	"dgsbench/models"
	"dgsbench/models/modeltest"
	"dgsbench/protocol"
)

// small are options with which a model is quick on the emulated card.
var small = map[string]string{
	"dgs":          "{size: 12, blocks: 4, head: {hidden: [9]}}",
	"graphsprints": "{buckets: 5, head: {hidden: [9]}}",
	"jodie":        "{memory: {size: 10, time: 6}, head: {hidden: [9]}}",
	"pairclock":    "{noise: {own: 2, recent: 2, window: 10, uniform: 2}, head: {hidden: [9]}}",
	"raw":          "{head: {hidden: [9]}}",
	"tgn":          "{memory: {size: 10, time: 6}, attention: {size: 10, neighbours: 3}, head: {hidden: [9]}}",
	"tpnet":        "{orders: 1, dimension: 3, encoder: {neighbours: 0}, head: {hidden: [9]}}", // models/tpnet has a test of the encoder, which takes an emulated card minutes here
}

// TestConformanceOnCard: models keep their promises on a card, too.
func TestConformanceOnCard(t *testing.T) {
	device := func(int) (kernels.Device, error) { return cudatest.Device(t), nil }
	for _, name := range models.Names() {
		kind, err := models.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if !kind.Trainable() {
			continue // it has nothing to do with devices
		}
		t.Run(name, func(t *testing.T) { modeltest.CheckOn(t, device, kind, smallOptions(t, kind)) })
	}
}

func smallOptions(t *testing.T, kind models.Kind) models.Options {
	t.Helper()
	o := kind.Options()
	node, err := strictyaml.Parse(kind.Name, []byte(cmp.Or(small[kind.Name], "{}")))
	if err == nil {
		err = node.Decode(o)
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// onCard is a small model on the device.
func onCard(t *testing.T, d kernels.Device, kind models.Kind, task protocol.Task, s datasets.Stream, batch int) models.Model {
	t.Helper()
	m, err := kind.New(models.Setup{
		Task: task, NumNodes: s.NumNodes, Users: s.Users, NumFeat: s.NumFeat, MaxBatch: batch, Train: s, Threads: 1,
		Device: func(int) (kernels.Device, error) { return d, nil },
	}, smallOptions(t, kind))
	if err != nil {
		t.Fatal(err)
	}
	return m
}
