package modeltest

import (
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"
)

// HistoryAUC trains the model on the stream whose labels need memory and
// returns its AUC on the unseen second half, with the parameters of the epoch
// that was best on the first: some models do not stay where they were good.
func HistoryAUC(t *testing.T, kind models.Kind, opts models.Options) float64 {
	const epochs = 30
	s := subject{kind: kind, opts: opts, task: protocol.NodeClassification, batch: batch}
	stream := History(1, 400*batch)
	train, test := stream.Slice(0, stream.Len()/2), stream.Slice(stream.Len()/2, stream.Len())
	m := s.build(t, stream, 1, 1)
	best, highest := m.Snapshot(models.Parameters), 0.0
	for range epochs {
		m.Reset()
		s.train(t, m, train)
		m.Reset()
		if a := auc(s.evaluate(t, m, train), train); a > highest {
			best, highest = m.Snapshot(models.Parameters), a
		}
	}
	if err := m.Restore(best); err != nil {
		t.Fatal(err)
	}
	m.Reset()
	s.observe(t, m, train)
	return auc(s.evaluate(t, m, test), test)
}

// auc by counting pairs.
func auc(scores []float32, s datasets.Stream) float64 {
	won, pairs := 0.0, 0.0
	for i, li := range s.Label {
		for j, lj := range s.Label {
			if li != 1 || lj != 0 {
				continue
			}
			pairs++
			if scores[i] > scores[j] {
				won++
			} else if scores[i] == scores[j] {
				won += .5
			}
		}
	}
	return won / pairs
}

// Differ fails when two option sets of a kind give the same outputs in one of
// the tasks, all of the kind's if none is named: an option that is not wired.
func Differ(t *testing.T, kind models.Kind, a, b models.Options, tasks ...protocol.Task) {
	stream := Random(8, events)
	if len(tasks) == 0 {
		tasks = kind.Tasks
	}
	for _, task := range tasks {
		var out [2][]float32
		for i, opts := range []models.Options{a, b} {
			s := subject{kind: kind, opts: opts, task: task, batch: batch}
			m := s.build(t, stream, 1, 1)
			s.train(t, m, stream)
			m.Reset()
			out[i] = s.evaluate(t, m, stream)
		}
		same := true
		for i := range out[0] {
			same = same && out[0][i] == out[1][i]
		}
		if same {
			t.Errorf("%s, %s: %+v and %+v give the same outputs", kind.Name, task, a, b)
		}
	}
}
