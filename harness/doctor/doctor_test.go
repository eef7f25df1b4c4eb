package doctor

import (
	"sync/atomic"
	"testing"
	"time"
)

// TestRate: a load that sleeps has a known rate, and cores add up.
func TestRate(t *testing.T) {
	const pause, cores = 2 * time.Millisecond, 4
	var made atomic.Int64
	g := newGauge(cores, 3, func() func() {
		made.Add(1)
		return func() { time.Sleep(pause) }
	})
	if made.Load() != cores {
		t.Errorf("%d setups on %d cores", made.Load(), cores)
	}
	for range 3 {
		g.run(20 * time.Millisecond)
	}
	// A sleep is never shorter, and on a busy machine longer.
	limit := g.amount / pause.Seconds()
	if g.best.OneCore > limit || g.best.OneCore < limit/10 {
		t.Errorf("rate %.0f on one core, expected up to %.0f", g.best.OneCore, limit)
	}
	if all := cores * limit; g.best.AllCores > all || g.best.AllCores < all/10 {
		t.Errorf("rate %.0f on %d cores, expected up to %.0f", g.best.AllCores, cores, all)
	}
}

// TestLoads: the copy keeps within its memory, also where it comes round, and
// the product counts its operations.
func TestLoads(t *testing.T) {
	call := copying(1, 10<<20).calls[0] // two chunks and a half
	for range 7 {
		call()
	}
	if amount := product(1, 200, 100, 172).amount; amount != .00688 {
		t.Errorf("a product of 200x172x100 counts as %v GFLOP, expected 0.00688", amount)
	}
}

func TestMeasure(t *testing.T) {
	r := measure(effort{runs: 1, length: time.Millisecond, copyBytes: 8 << 20})
	for name, rate := range map[string]Rate{"peak": r.Peak, "copy": r.Copy, "sgemm": r.Gemm} {
		for _, v := range []float64{rate.OneCore, rate.AllCores} {
			if v < .01 || v > 1e6 {
				t.Errorf("%s is %v: the unit is wrong", name, rate)
			}
		}
	}
	if r.Machine == "" || r.Vector == "" || r.Cores < 1 || r.GPU == "" {
		t.Errorf("incomplete: %+v", r)
	}
}
