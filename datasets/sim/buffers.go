package sim

import (
	"fmt"
	"math/rand/v2"

	"dgsbench/datasets"
)

// Buffers are the parameters of a stream whose difficulty is the length of memory
// that it takes, the synthetic task of Bravo et al., "Mind the truncation gap"
// (2024). Every node holds a buffer of Delay numbers, zero at first. An event joins
// two different nodes, drawn uniformly, and has one feature x, standard normal. Its
// label says whether the last numbers of both buffers have a sum above zero, before
// the event; where the sum is exactly zero there is none. Then both buffers move on
// by one place, and the new first number of each is x/2 plus half of what was the
// other's last.
type Buffers struct {
	Nodes, Events, Delay int
}

// bufferDelays are those of the registered streams.
const bufferDelays = 5

// Generate returns the stream with its truth. Events are a second apart.
func (b Buffers) Generate(seed uint64) datasets.Stream {
	rng := rand.New(rand.NewPCG(seed, 1))
	s := datasets.NewStream(b.Events, 1)
	s.NumNodes = b.Nodes
	sums := make([]float64, b.Events)
	buffers := make([][]float64, b.Nodes) // last number first
	for n := range buffers {
		buffers[n] = make([]float64, b.Delay)
	}
	for k := range b.Events {
		u, v := rng.IntN(b.Nodes), rng.IntN(b.Nodes-1)
		if v >= u {
			v++
		}
		x := rng.NormFloat64()
		lastU, lastV := buffers[u][0], buffers[v][0]
		buffers[u] = append(buffers[u][1:], x/2+lastV/2)
		buffers[v] = append(buffers[v][1:], x/2+lastU/2)
		sums[k] = lastU + lastV
		s.Src[k], s.Dst[k], s.Time[k], s.Feat[k] = int32(u), int32(v), float64(k), float32(x)
		s.Label[k] = labelOf(sums[k])
	}
	s.Truth = bufferTruth{b, s.Src, sums}
	return s
}

func labelOf(sum float64) int8 {
	switch {
	case sum > 0:
		return 1
	case sum < 0:
		return 0
	}
	return datasets.Unlabelled
}

// bufferTruth knows the buffers.
type bufferTruth struct {
	Buffers
	sources []int32
	sums    []float64
}

// certain are the log-odds of a label that is known.
const certain = 30

// Logit implements datasets.Truth.
func (t bufferTruth) Logit(event int) float64 {
	if t.sums[event] > 0 {
		return certain
	}
	return -certain
}

// Links implements datasets.Truth: all other nodes are equally likely.
func (t bufferTruth) Links(event int, candidates []int32, scores []float32) {
	for i, v := range candidates {
		scores[i] = 1 / float32(t.Nodes-1)
		if v == t.sources[event] {
			scores[i] = 0
		}
	}
}

// Bytes implements datasets.Truth: what there is, is there before.
func (t bufferTruth) Bytes(bool) int64 { return 0 }

// dataset returns the registry's entry.
func (b Buffers) dataset() datasets.Dataset {
	return datasets.Dataset{
		Name:     fmt.Sprintf("buffer-sim-%d", b.Delay),
		Title:    fmt.Sprintf("Simulated buffers of %d; label: the sum of both ends' last numbers is above zero", b.Delay),
		Citation: "Bravo et al. 2024, arXiv 2412.21046 (the task)", Licence: "as this project", URL: "docs/simulators.md",
		Open: func(string) (datasets.Stream, string, error) {
			return b.Generate(Seed), checksum("buffers 1", b, Seed), nil
		},
		Want: datasets.Counts{Events: b.Events, Nodes: b.Nodes, Features: 1}, Split: datasets.ByRow(0.60, 0.80),
		HeldOut: datasets.SampleHeldOut(2020), Labelled: true, HasTruth: true, Delay: b.Delay,
		Notes:     []string{fmt.Sprintf("simulated data (generator of buffers, version 1, seed %d); events meet within a batch of more than a few", Seed)},
		OpenBytes: int64(b.Events)*8 + int64(b.Nodes*b.Delay)*8,
	}
}

func init() {
	for delay := range bufferDelays {
		datasets.Register(Buffers{Nodes: 100, Events: 20_000, Delay: delay + 1}.dataset())
	}
}
