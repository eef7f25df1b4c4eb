package plan

import (
	"testing"

	"dgsbench/datasets"
	_ "dgsbench/datasets/sim"
	"dgsbench/protocol"
	"dgsbench/specs"

	"github.com/google/go-cmp/cmp"
)

// TestTotal: only what is to be done takes time, memory and disk; the data is
// in memory too; latency and live tests run after the others, one at a time.
func TestTotal(t *testing.T) {
	p := planner{out: Plan{Workers: 2, Data: 1000, Free: 1500}}
	for _, c := range []Cell{
		{Trials: 3, ToDo: 2, Seconds: 4, Least: 1, Memory: 10, Disk: 100},
		{Trials: 5, ToDo: 0, Seconds: 99, Memory: 9999, Disk: 7},
		{Trials: 1, ToDo: 1, Seconds: 6, Memory: 30, Disk: 50, Latency: true},
		{Trials: 2, ToDo: 2, Seconds: 7, Memory: 30, Disk: 60, Live: true},
	} {
		p.cells = append(p.cells, &cell{Cell: c})
	}
	p.total()
	got := p.out
	got.Cells, got.Workers, got.Free, got.Data = nil, 0, 0, 0
	want := Plan{Trials: 11, ToDo: 5, Seconds: 4 + 6 + 2*7, Least: 1 + 6 + 2*7, Latency: 6, Live: 2 * 7, Memory: 1000 + 2*10, Disk: 2*100 + 50 + 2*60}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestStandIn: the small datasets can be planned without their files, also
// those whose features are derived.
func TestStandIn(t *testing.T) {
	small, derived := 0, 0
	for _, name := range datasets.Names() {
		d, err := datasets.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if d.File == "" || d.Want.Events == 0 || d.Want.Events*max(1, d.Want.Features) > 1e6 {
			continue
		}
		small++
		derived += len(d.Features)
		if l, err := standIn(d); err != nil || l.Stream.Len() != d.Want.Events || l.Stream.NumFeat != d.Want.Features {
			t.Errorf("%s: %d events of %d features, expected %d of %d; %v", name, l.Stream.Len(), l.Stream.NumFeat, d.Want.Events, d.Want.Features, err)
		}
	}
	if small < 2 || derived == 0 {
		t.Errorf("%d small datasets with %d derived features", small, derived)
	}
}

// TestDiskOfCandidates: every set of candidates has counts of its own for
// every judged event.
func TestDiskOfCandidates(t *testing.T) {
	l := &datasets.Loaded{Stream: datasets.Stream{Src: make([]int32, 1000)}, Split: datasets.Split{TrainEnd: 600}}
	trial := specs.Trial{Task: protocol.LinkPrediction}
	trial.Protocol.Candidates = []protocol.CandidateSet{"one"}
	one := diskOf(trial, l)
	trial.Protocol.Candidates = []protocol.CandidateSet{"one", "two"}
	if got := diskOf(trial, l) - one; got != 400*countBytes {
		t.Errorf("one more set of candidates: %d bytes more, expected %d", got, 400*countBytes)
	}
}
