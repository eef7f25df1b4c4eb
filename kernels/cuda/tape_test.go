//go:build gpu

package cuda_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/cudatest"
)

// session is work for a card of every kind: it writes to a buffer again and
// again, calls kernels, launches a chain, and reads.
type session struct {
	kernels.Device
	layers  *layers
	chain   kernels.Fused
	scratch *scratch
	x, y    kernels.Buffer
	host    []float32 // that is written
	read    [][]float32
}

const (
	sessionRows = 21
	sessionMore = 10
	sessionMost = 45 // rows of its chain
)

func newSession(d kernels.Device) *session {
	s := &session{Device: d, layers: newLayers(d, sessionMost), x: d.NewBuffer(sessionRows), y: d.NewBuffer(sessionRows + sessionMore)}
	s.chain = d.(kernels.Fuser).Fuse(sessionMost)
	s.scratch = newScratch(s.chain, sessionMost, s.chain.NewVector)
	s.host = make([]float32, sessionRows)
	for range 3 {
		s.read = append(s.read, make([]float32, sessionRows), make([]float32, sessionRows*narrow), make([]float32, sessionRows+sessionMore))
	}
	return s
}

// work ends with a chain that nobody reads the answer of.
func (s *session) work() {
	rng := rand.New(rand.NewPCG(7, 8))
	for round := range 3 {
		for i := range s.host {
			s.host[i] = float32(rng.NormFloat64())
		}
		s.Write(s.x, s.host)
		s.Affine(sessionRows, s.x, 2, s.x, 1)
		s.Read(s.read[3*round], s.x)
		s.Write(s.y, s.host)
		s.Write(s.View(s.y, sessionMore, sessionRows), s.host) // over the end of the one before
		s.runChain(drawBatch(rng, sessionRows))
		s.Read(s.read[3*round+1], s.layers.out)
		s.Read(s.read[3*round+2], s.y)
	}
	s.runChain(drawBatch(rng, sessionRows))
}

func (s *session) runChain(b batch) {
	s.chain.Begin(sessionRows)
	s.layers.run(s.chain, s.scratch, b)
	s.chain.End()
}

// results are all numbers that were read, and what is left on the card.
func (s *session) results() []float32 {
	return slices.Concat(slices.Concat(s.read...), read(s, s.x), read(s, s.y), read(s, s.layers.out), read(s, s.layers.kept))
}

// TestRecorded: recorded work has on every replay the results of
// work that is done at once.
func TestRecorded(t *testing.T) {
	for _, d := range cudatest.Devices(t) {
		now := newSession(d)
		now.work()
		want := now.results()
		for _, copied := range []bool{false, true} {
			s := newSession(d)
			recording, err := d.(kernels.Recorder).Record(copied, s.work)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				s.forget()
				if err := recording.Replay(); err != nil {
					t.Fatal(err)
				}
				recording.ReadResults()
				if got := s.results(); !slices.Equal(got, want) {
					t.Fatalf("copied %v: a replay gives %v, expected %v", copied, got, want)
				}
			}
			recording.Close()
		}
	}
}

// TestRecordedWideChain: a recording keeps what its chain had outside of shared
// memory, though the chain takes more later.
func TestRecordedWideChain(t *testing.T) {
	const most = 9
	d := cudatest.Device(t)
	l, c := newLayers(d, most), wideChain(t, d, most)
	own, rng := newScratch(c, most, c.NewVector), rand.New(rand.NewPCG(5, 6))
	run := func(b batch, answers []float32) {
		c.Begin(len(b.from))
		l.run(c, own, b)
		c.End()
		d.Read(answers, l.out)
	}
	b, got, want := drawBatch(rng, 1), make([]float32, narrow), make([]float32, narrow)
	recording, err := d.(kernels.Recorder).Record(false, func() { run(b, got) })
	if err != nil {
		t.Fatal(err)
	}
	defer recording.Close()
	run(drawBatch(rng, most), make([]float32, most*narrow))
	for range 3 {
		runtime.GC()
		d.NewBuffer(1) // gives back what nobody uses
	}
	if err := recording.Replay(); err != nil {
		t.Fatal(err)
	}
	recording.ReadResults()
	run(b, want)
	near(t, 1, "answers", got, want)
}

// forget writes something else wherever results go.
func (s *session) forget() {
	for _, x := range s.read {
		for i := range x {
			x[i] = float32(math.NaN())
		}
	}
	s.Write(s.x, slices.Repeat([]float32{5}, s.x.Len()))
	s.Write(s.y, slices.Repeat([]float32{5}, s.y.Len()))
}
