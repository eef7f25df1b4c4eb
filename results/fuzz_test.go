package results

import (
	"math"
	"testing"
)

// FuzzReferences: any text is a table of published values, all of them
// finite, or refused.
func FuzzReferences(f *testing.F) {
	f.Add(paperYAML)
	f.Add([]byte("paper: P\ntables:\n  - {source: T, task: lp, setting: T, values: {m: {D: {mrr: [1, 2]}}}}\n"))
	f.Add([]byte("tables: [{values: {m: {D: {mrr: []}, d: {mrr: [1, 2, 3]}}}}]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := parsePaper("paper.yaml", data)
		if err != nil {
			return
		}
		for key, ref := range p.values {
			if math.IsNaN(ref.Mean) || math.IsInf(ref.Mean, 0) || math.IsInf(float64(ref.Std), 0) {
				t.Errorf("%+v: %+v", key, ref)
			}
		}
	})
}
