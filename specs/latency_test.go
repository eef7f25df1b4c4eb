package specs_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	_ "dgsbench/datasets/sim"
	"dgsbench/specs"
)

// TestLatencySuite is the paper's test, on streams of the paper's sizes, and
// measures the deployed form of a model beside the plain one.
func TestLatencySuite(t *testing.T) {
	for _, name := range []string{"latency", "latency-real"} {
		s, err := embeddedLibrary(t).LoadSuite(name)
		if err != nil {
			t.Fatal(err)
		}
		trials, err := s.Trials(specs.Filter{Models: []string{"graph-sprints", "dgs"}})
		if err != nil {
			t.Fatal(err)
		}
		deployed := map[string]bool{}
		for _, trial := range trials {
			deployed[trial.Ref()] = trial.Deployed
			if strings.HasSuffix(trial.Title, ", deployed") != trial.Deployed {
				t.Errorf("%s is titled %q", trial.Ref(), trial.Title)
			}
			p := trial.Protocol
			if p.Batch != 200 || p.Latency.Batches != 200 || p.Latency.Iterations != 10 || p.Latency.Warmups < 1 {
				t.Errorf("%s: batches of %d, %+v", trial.Ref(), p.Batch, p.Latency)
			}
		}
		want := map[string]bool{"graph-sprints": false, "graph-sprints+deployed": true, "dgs": false, "dgs+size-250": false}
		if diff := cmp.Diff(want, deployed); diff != "" || len(trials) != 3*len(want) {
			t.Errorf("%d trials, deployed:\n%s", len(trials), diff)
		}
	}
}
