package sim

import (
	"fmt"
	"math"
	"testing"

	"dgsbench/datasets"
)

// TestBuffers: labels are those of the definition, which is unrolled here: the
// number that leaves a node's buffer went in Delay of its events ago.
func TestBuffers(t *testing.T) {
	for delay := 1; delay <= bufferDelays; delay++ {
		b := Buffers{Nodes: 12, Events: 600, Delay: delay}
		s := b.Generate(7)
		events := make([][]int, b.Nodes) // of a node, so far
		entered := map[[2]int]float64{}  // by event and node
		last := func(n int) float64 {
			at := len(events[n]) - delay
			if at < 0 {
				return 0
			}
			return entered[[2]int{events[n][at], n}]
		}
		for k := range s.Len() {
			u, v := int(s.Src[k]), int(s.Dst[k])
			if u == v {
				t.Fatalf("event %d joins node %d with itself", k, u)
			}
			lastU, lastV := last(u), last(v)
			want := int8(datasets.Unlabelled)
			if sum := lastU + lastV; sum != 0 {
				want = 0
				if sum > 0 {
					want = 1
				}
				if logit := s.Truth.Logit(k); (logit > 0) != (sum > 0) {
					t.Errorf("delay %d, event %d: the truth says %v of a sum of %v", delay, k, logit, sum)
				}
			}
			// Features are rounded to float32: so small a sum is of either sign.
			if math.Abs(lastU+lastV) > 1e-5 && s.Label[k] != want || want == datasets.Unlabelled && s.Label[k] != want {
				t.Fatalf("delay %d, event %d: label %d, expected %d", delay, k, s.Label[k], want)
			}
			x := float64(s.Feat[k])
			entered[[2]int{k, u}], entered[[2]int{k, v}] = x/2+lastV/2, x/2+lastU/2
			events[u], events[v] = append(events[u], k), append(events[v], k)
		}
	}
}

// TestBuffersFrozen pins the registered streams.
func TestBuffersFrozen(t *testing.T) {
	for delay, want := range map[int]string{
		1: "b073647dccb137d4cdce7bd0132ea82d40b1f515d583e0ff84c53239eca0f14e",
		2: "2e5ce3cc66bcc43710f5a00ea4671f91361cd186c75688ed72dbca3b438e010f",
		3: "ee28ff8c8ff8c1bbd08b0e8e5fba239c55c9a0237bceaba7bddbb9b40c0f9b3f",
		4: "6f53fee929a27adea45c02ef48c273fd84c0c98383a568d5c86196c163e2c452",
		5: "366d2c7d245af00d4eb0296ac34a60198b4c99ee27467da1bfe85204488c8c89",
	} {
		d, err := datasets.Lookup(fmt.Sprintf("buffer-sim-%d", delay))
		if err != nil {
			t.Fatal(err)
		}
		l, err := d.Load("no such folder")
		if err != nil {
			t.Fatal(err)
		}
		if got := fingerprint(l.Stream); got != want {
			t.Errorf("buffer-sim-%d: %s, expected %s", delay, got, want)
		}
	}
}
