package plan_test

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/harness"
	"dgsbench/harness/plan"
)

// TestCount: it counts as a plan does, before and after measuring, leaves
// nothing behind, and names files that are missing.
func TestCount(t *testing.T) {
	q := question(t, "  - {task: nc, datasets: [toy, absent], models: [user-count, raw]}\n"+
		"  - {task: nc, datasets: [toy], models: [raw], protocol: {latency: {batches: 5, lead: 40, iterations: 2}}}\n")
	before := counted(t, q)
	if before.Trials != 2*(1+3)+1 || before.ToDo != before.Trials || len(before.Missing) != 1 || before.Missing[0].Dataset != "absent" {
		t.Errorf("before measuring: %+v", before)
	}
	if left, err := filepath.Glob(filepath.Join(q.Store.Dir, "*")); err != nil || len(left) != 0 {
		t.Errorf("it left %v, %v", left, err)
	}
	runner := harness.Runner{Store: q.Store, DataDir: q.DataDir, Workers: 2, Device: q.Device}
	if _, err := runner.Run(context.Background(), q.Trials[:4]); err != nil {
		t.Fatal(err)
	}
	after, whole := counted(t, q), planned(t, q)
	if after.ToDo != before.ToDo-4 || after.ToDo != whole.ToDo || len(after.Cells) != len(whole.Cells) {
		t.Errorf("after measuring: %d to do in\n%+v\n%d in the plan\n%+v", after.ToDo, after, whole.ToDo, whole)
	}
	for i, c := range after.Cells {
		if w := whole.Cells[i]; c.CellKey != w.CellKey || c.Trials != w.Trials || c.ToDo != w.ToDo {
			t.Errorf("%+v, in the plan %+v", c, w)
		}
	}
	var out bytes.Buffer
	if err := after.WriteCounts(&out); err != nil || !strings.Contains(out.String(), "\nmissing:\n  dataset absent: no file absent.csv in ") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

func counted(t *testing.T, q plan.Question) plan.Plan {
	t.Helper()
	p, err := plan.Count(q)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
