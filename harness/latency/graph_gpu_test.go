//go:build gpu

package latency

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda"
	"dgsbench/kernels/cuda/cudatest"
	"dgsbench/kernels/devices"
	"dgsbench/models"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// recorded is a small test of a model on the stream of the fakes.
func recorded(t *testing.T, kind string) specs.Trial {
	t.Helper()
	k, err := models.Lookup(kind)
	if err != nil {
		t.Fatal(err)
	}
	out := trial(kind)
	out.Options = k.Options()
	out.Protocol.Latency = &specs.Latency{Batches: 3, Iterations: 2, Warmups: 1, Lead: fakeBatch}
	return out
}

// TestGraphsOnCard: beside the times of streaming, which stay as they are, the
// headline of every model that needs the card is timed as a graph, with the
// answers of streaming; in records, rows and reports the modes are apart.
func TestGraphsOnCard(t *testing.T) {
	t.Setenv(devices.LibraryVariable, cudatest.Library(t))
	target, err := devices.Find("cuda")
	if err != nil {
		t.Fatal(err)
	}
	var trials []specs.Trial
	for _, kind := range []string{"raw", "dgs", "tgn", "user-count"} {
		trials = append(trials, recorded(t, kind))
	}
	p := Plan{Trials: trials, Device: target, Threads: 1}
	var all []Measured
	if err := Run(t.Context(), p, silent, func(some []Measured) error { all = some; return nil }); err != nil {
		t.Fatal(err)
	}
	for i, m := range NewSummary(p, all).Models {
		want := []string{record.Streaming, record.Graph, record.GraphWithCopies}
		if trials[i].Kind.Name == "user-count" { // it has no use for a card
			want = want[:1]
		}
		var modes []string
		for _, at := range m.Timings {
			modes = append(modes, at.Mode)
			if len(at.Iterations) != 2 || at.Error != "" || (at.P50 > 0) != (at.Mode == record.Streaming) || (at.Replays > 0) == (at.Mode == record.Streaming) {
				t.Errorf("%s: %+v", m.Title, at)
			}
		}
		if m.Error != "" || !slices.Equal(modes, want) {
			t.Errorf("%s: error %q, modes %q, expected %q", m.Title, m.Error, modes, want)
		}
	}
	checkRows(t, all)
}

// checkRows keeps the records and reads them again.
func checkRows(t *testing.T, all []Measured) {
	t.Helper()
	store := record.Store{Dir: t.TempDir()}
	if err := Keep(store, all); err != nil {
		t.Fatal(err)
	}
	records, _, err := store.Load("fakes")
	if err != nil {
		t.Fatal(err)
	}
	tests, err := results.ReadTimes(store, records)
	if err != nil {
		t.Fatal(err)
	}
	rows := results.LatencyRows(tests)
	for _, metric := range []string{"latency_3x20_graph", "latency_3x20_graph_with_copies"} {
		n := 0
		for _, r := range rows {
			if r.Metric == metric && r.Mean > 0 && r.N == 2 {
				n++
			}
		}
		if n != 3 {
			t.Errorf("%d rows of %s, expected one of each of 3 models", n, metric)
		}
	}
}

// faulty is a card on which something is wrong with the recordings: what
// replay makes of the n-th replay of the n-th recording, both from 0 on.
type faulty struct {
	*cuda.Device
	replay func(recording, n int, r kernels.Recording) error
	made   *int
}

func (f faulty) Record(copied bool, do func()) (kernels.Recording, error) {
	r, err := f.Device.Record(copied, do)
	if err != nil {
		return nil, err
	}
	*f.made++
	return &faultyRecording{Recording: r, of: f, number: *f.made - 1}, nil
}

type faultyRecording struct {
	kernels.Recording
	of        faulty
	number, n int
}

func (r *faultyRecording) Replay() error {
	r.n++
	return r.of.replay(r.number, r.n-1, r.Recording)
}

// The recordings of a graph.
const (
	restoring = iota
	passing
)

// TestFaultsOfGraphsOnCard: a replay that is not done when the clock stops, or
// that does not start from the state before, gives no time.
func TestFaultsOfGraphsOnCard(t *testing.T) {
	for name, c := range map[string]struct {
		replay func(recording, n int, r kernels.Recording) error
		want   string
	}{
		"the clock does not wait": {func(recording, n int, r kernels.Recording) error {
			if recording == passing && n > 2 {
				return nil
			}
			return r.Replay()
		}, "answers event 3940 with NaN"},
		"the state is not put back": {func(recording, n int, r kernels.Recording) error {
			if recording == restoring && n > 2 {
				return nil
			}
			return r.Replay()
		}, "the timed run answers event"},
		"the card fails": {func(int, int, kernels.Recording) error { return errors.New("it fell off the bus") }, "it fell off the bus"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := newSubject(recorded(t, "dgs"), loadFake(t), devices.Target{}, 1)
			if err != nil {
				t.Fatal(err)
			}
			s.Open = func(int) (kernels.Device, error) {
				return faulty{cudatest.Device(t).(*cuda.Device), c.replay, new(int)}, nil
			}
			s.Record.Latency = &record.Latency{}
			if err := s.prepare(); err != nil {
				t.Fatal(err)
			}
			g := &graph{subject: s, mode: record.Graph}
			defer g.close()
			r := runner{rng: rand.New(rand.NewPCG(1, 0))}
			if err := r.takeTurns(t.Context(), []measurement{g}, 3); err != nil {
				t.Fatal(err)
			}
			if out := s.Record.Latency.Graphs[0]; !strings.Contains(out.Error, c.want) || len(s.Times[record.Graph]) != 0 {
				t.Errorf("error %q, expected %q; %d replays are kept", out.Error, c.want, len(s.Times[record.Graph]))
			}
		})
	}
}
