package harness

import (
	"fmt"
	"os"
	"testing"
	"time"

	"dgsbench/datasets"
	"dgsbench/datasets/sim"
	"dgsbench/models"
	"dgsbench/results"
	"dgsbench/specs"
)

func TestTune(t *testing.T) {
	name := os.Getenv("SIM")
	for _, s := range sim.Simulators {
		if s.Name != name {
			continue
		}
		for _, seed := range []uint64{1, 2, 3} {
			start := time.Now()
			st := sim.Generate(s.Params, seed)
			el := time.Since(start)
			d, _ := datasets.Lookup(name)
			l := &datasets.Loaded{Dataset: d, Stream: st, Split: d.Split.Split(st)}
			ds, err := l.Describe()
			if err != nil {
				t.Fatal(err)
			}
			fmt.Printf("seed %d %.0f ev/s same %.3f repeat %.3f stale %.3f surv %.3f nodes %.1f last %d dest %d parts %v span %.0f\n", seed, float64(st.Len())/el.Seconds(), ds.SameAgain, ds.RepeatPairs, ds.Batches.Stale, ds.Batches.Surviving, ds.Batches.Nodes, ds.LastPositives, ds.Destinations, ds.Parts, ds.Span)
			if os.Getenv("LP") != "" {
				for _, rule := range []string{"edgebank", "recency", "popularity", "recency-pop", "oracle"} {
					if _, err := models.Lookup(rule); err != nil {
						continue
					}
					tr := link(rule, datasets.Transductive, 200)
					tr.Protocol.Candidates = []specs.CandidateSet{specs.Destinations}
					fmt.Printf("  %s MRR %.4f", rule, zeroParameter(t, l, tr, "mrr")[results.Test+" destinations"])
					if rule == "recency-pop" || rule == "oracle" {
						fmt.Printf(" R@10 %.4f", zeroParameter(t, l, tr, "recall@10")[results.Test+" destinations"])
					}
				}
				fmt.Println()
			}
			for _, rule := range []string{"user-count", "user-age", "oracle"} {
				if _, err := models.Lookup(rule); err != nil {
					continue
				}
				auc := zeroParameter(t, l, specs.Trial{Task: models.NodeClassification, Kind: rule, Protocol: specs.DefaultProtocol()}, "auc")
				fmt.Printf("  %s AUC val %.4f test %.4f", rule, auc[results.Validation+" "], auc[results.Test+" "])
			}
			fmt.Println()
		}
	}
}
