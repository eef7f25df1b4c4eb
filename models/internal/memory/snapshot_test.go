package memory_test

import (
	"slices"
	"strings"
	"testing"

	"dgsbench/models"
	"dgsbench/models/internal/memory"
	"dgsbench/protocol"
)

// TestRestoreRefusesTheOtherAggregator: its lists of messages mean other
// things, even where no message waits.
func TestRestoreRefusesTheOtherAggregator(t *testing.T) {
	s, configs := testStream(20*testBatch), testConfigs(.1)
	for _, flushed := range []bool{false, true} {
		last, mean := newTestModel(t, configs["tgn-id"], s), newTestModel(t, configs["tgn-id, mean"], s)
		if flushed {
			last.Flush()
			mean.Flush()
		}
		for name, err := range map[string]error{
			"mean into last": last.Restore(mean.Snapshot(models.Everything)),
			"last into mean": mean.Restore(last.Snapshot(models.Everything)),
		} {
			if err == nil || !strings.Contains(err.Error(), "messages.last") || !strings.Contains(err.Error(), "messages.mean") {
				t.Errorf("%s, flushed %t: error is %v", name, flushed, err)
			}
		}
	}
}

// TestRestoreRefusesMessages that no model of this kind has.
func TestRestoreRefusesMessages(t *testing.T) {
	s, configs := testStream(20*testBatch), testConfigs(.1)
	for name, c := range map[string]struct {
		config, tensor, message string
		change                  func(list, ends []int64) []int64
	}{
		"last, foreign node":     {"tgn-id", "messages.last", "for event", foreign},
		"mean, foreign node":     {"tgn-id, mean", "messages.mean.source", "for event", foreign},
		"mean, other role":       {"tgn-id, mean", "messages.mean.source", "for event", otherEnd},
		"event out of range":     {"tgn-id", "messages.last", "has event", func(l, ends []int64) []int64 { l[1] = int64(len(ends) / 2); return l }},
		"half a pair":            {"tgn-id", "messages.last", "expected pairs", func(l, _ []int64) []int64 { return l[:len(l)-1] }},
		"a pair twice":           {"tgn-id, mean", "messages.mean.destination", "twice", func(l, _ []int64) []int64 { return append(l, l[0], l[1]) }},
		"last, a second message": {"tgn-id", "messages.last", "at most 1", second},
	} {
		t.Run(name, func(t *testing.T) {
			m := newTestModel(t, configs[c.config], s)
			snap := m.Snapshot(models.Everything)
			ends := snap.State[tensorAt(snap, "messages.ends")].I64
			list := &snap.State[tensorAt(snap, c.tensor)]
			list.I64 = c.change(list.I64, ends)
			if err := m.Restore(snap); err == nil || !strings.Contains(err.Error(), c.message) {
				t.Errorf("error is %v, expected one with %q", err, c.message)
			}
		})
	}
}

func tensorAt(s models.Snapshot, name string) int {
	return slices.IndexFunc(s.State, func(t models.Tensor) bool { return t.Name == name })
}

// foreign gives the first event to a node that never takes part.
func foreign(list, _ []int64) []int64 {
	list[0] = testNodes - 1
	return list
}

// otherEnd gives the first source's event to its destination.
func otherEnd(list, ends []int64) []int64 {
	list[0] = ends[2*list[1]+1]
	return list
}

// second adds a message of a node that has one: an end of an event that
// only the other end keeps.
func second(list, ends []int64) []int64 {
	for event := range int64(len(ends) / 2) {
		for _, node := range ends[2*event:][:2] {
			has := false
			for i := 0; i < len(list); i += 2 {
				has = has || list[i] == node && list[i+1] == event
			}
			if !has {
				return append(list, node, event)
			}
		}
	}
	panic("every event is the last one of both of its nodes")
}

// TestRestoreRefusesLargerBatches: with mean, a node's messages of a batch
// that is far larger than the model's cannot be applied.
func TestRestoreRefusesLargerBatches(t *testing.T) {
	const events = 1100 // a chunk of small batches has 1024
	s := testStream(events)
	for k := range s.Src {
		s.Src[k] = 0
	}
	var m [2]*memory.Model
	for i, most := range []int{events, testBatch} {
		var err error
		m[i], err = memory.New(models.Setup{
			Task: protocol.LinkPrediction, NumNodes: testNodes, Users: testUsers, NumFeat: testFeatures, MaxBatch: most,
			Train: s, Seed: 1, Threads: 1,
		}, testConfigs(.1)["tgn-id, mean"])
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m[0].Train(s, s.Dst); err != nil {
		t.Fatal(err)
	}
	err := m[1].Restore(m[0].Snapshot(models.Everything))
	if err == nil || !strings.Contains(err.Error(), "messages of node 0") {
		t.Errorf("error is %v", err)
	}
}
