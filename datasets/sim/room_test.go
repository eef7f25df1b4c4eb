package sim

import (
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"dgsbench/datasets"
)

// allocated is what f takes from the heap, garbage included.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// TestSizeIsWhatIsAllocated: of every simulator, also at other scales, the
// size that is known before is what making the stream takes, within 10%.
func TestSizeIsWhatIsAllocated(t *testing.T) {
	for _, s := range Simulators {
		for _, scale := range []float64{1, 2, 1e-6 * math.Ceil(1e6*s.smallest())} {
			p, err := s.Scaled(scale)
			if err != nil || p.Events > 70_000 {
				continue
			}
			d, err := s.dataset(scale)
			if err != nil {
				t.Fatal(err)
			}
			got := allocated(func() { Generate(p, Seed) })
			if want := d.Size(); float64(got) < .9*float64(want) || float64(got) > 1.1*float64(want) {
				t.Errorf("%s at %v: %d bytes allocated, and %d said before", s.Name, scale, got, want)
			}
			// An oracle makes the stream again, without features.
			stream := Generate(p, Seed)
			for _, links := range []bool{false, true} {
				got := allocated(func() {
					if links {
						stream.Truth.Links(0, []int32{0}, make([]float32, 1))
					} else {
						stream.Truth.Logit(0)
					}
				})
				if want := stream.Truth.Bytes(links); float64(got) < .9*float64(want) || float64(got) > 1.1*float64(want) {
					t.Errorf("truth of %s at %v, links %v: %d bytes allocated, and %d said before", s.Name, scale, links, got, want)
				}
			}
		}
	}
}

// TestHugeIsRefused: at once, with the numbers and what to do.
func TestHugeIsRefused(t *testing.T) {
	for _, name := range []string{"fi-b-sim@1000", "reddit-sim@1000", "fi-a-sim@1000"} {
		d, err := datasets.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, err = d.Load("")
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("%s: refused after %v", name, took)
		}
		if err == nil || !strings.HasPrefix(err.Error(), "dataset "+name+": needs ") || !strings.HasSuffix(err.Error(), " GB are free; take a smaller scale (NAME@SCALE), or a machine with more") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := datasets.CheckRoom([]string{"fi-b-sim@1000", "shop-sim", "fi-b-sim@1000"}); err == nil || !strings.HasPrefix(err.Error(), "the 3 datasets together: needs 327.1 GB") {
		t.Errorf("%v", err)
	}
}
