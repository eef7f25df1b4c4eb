//go:build gpu

package standard

import (
	"math"
	"slices"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/cudatest"
	"dgsbench/models"
	"dgsbench/models/modeltest"
	"dgsbench/protocol"
)

// TestRecordedPass: a recorded pass over a stream, done again from the same
// states, gives the same bits as asking for one batch after the other.
func TestRecordedPass(t *testing.T) {
	const batch = 25
	stream := modeltest.Random(3, 110) // the last batch is smaller
	eachShipped(t, func(t *testing.T, kind models.Kind) {
		d := cudatest.Device(t)
		m := onCard(t, d, kind, protocol.NodeClassification, stream, batch)
		logits := make([]float32, stream.Len())
		pass := func() {
			for lo := 0; lo < stream.Len(); lo += batch {
				hi := min(lo+batch, stream.Len())
				if err := m.Classify(stream.Slice(lo, hi), logits[lo:hi]); err != nil {
					t.Fatal(err)
				}
			}
		}
		pass()
		m.Reset()
		pass()
		want := slices.Clone(logits)
		for _, copied := range []bool{false, true} {
			replayTwice(t, d.(kernels.Recorder), m, copied, pass, logits, want)
		}
	})
}

func replayTwice(t *testing.T, d kernels.Recorder, m models.Model, copied bool, pass func(), logits, want []float32) {
	m.Reset()
	recording, err := d.Record(copied, pass)
	if err != nil {
		t.Fatal(err)
	}
	defer recording.Close()
	if slices.ContainsFunc(logits, func(z float32) bool { return z != 0 }) {
		t.Error("something is done while it is recorded")
	}
	for range 2 {
		m.Reset()
		fillNaN(logits)
		if err := recording.Replay(); err != nil {
			t.Fatal(err)
		}
		recording.ReadResults()
		if !slices.Equal(logits, want) {
			t.Errorf("copied %v: a replay gives %v, expected %v", copied, logits[:3], want[:3])
		}
	}
}

func fillNaN(x []float32) {
	for i := range x {
		x[i] = float32(math.NaN())
	}
}
