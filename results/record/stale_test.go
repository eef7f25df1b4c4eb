package record_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"dgsbench/results/record"
	"dgsbench/results/record/recordtest"
)

func TestSelectKeepsStaleRecordsApart(t *testing.T) {
	old, current := recordtest.Trial("nc", "", "dgs", 0), recordtest.Trial("nc", "", "dgs", 0)
	old.Numerics, old.Identity = 1, "ffffffffffffffff"
	alone := recordtest.Trial("nc", "", "raw", 0)
	alone.Numerics = 1
	all := []record.Record{old, current, alone}
	for _, c := range []struct {
		allow bool
		want  []string // identity and model of what is used
	}{
		{false, []string{recordtest.Identity + " dgs"}},
		{true, []string{recordtest.Identity + " dgs", recordtest.Identity + " raw"}},
	} {
		use, stale := record.Select(all, 2, c.allow)
		var got []string
		for _, r := range use {
			got = append(got, r.Identity+" "+r.Key.Model)
		}
		if diff := cmp.Diff(c.want, got); diff != "" || len(stale) != 2 {
			t.Errorf("allow %v: %d stale, used (-want +got):\n%s", c.allow, len(stale), diff)
		}
	}
}
