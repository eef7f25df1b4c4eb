//go:build gpu

package cuda_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda"
	"dgsbench/kernels/cuda/cudatest"
)

// pair is two chains of a device, each of which doubles some rows and adds
// one.
type pair struct {
	kernels.Device
	first, second kernels.Fused
}

const (
	pairRows = 9
	pairCols = 300 // more than one thread of a block each
)

func newPair(d kernels.Device) *pair {
	c := d.(kernels.Fuser)
	p := &pair{d, c.Fuse(pairRows), c.Fuse(pairRows)}
	p.second.NewBuffer(4 * pairRows * pairCols) // it has more memory than the first one
	return p
}

func double(c kernels.Fused, to, from kernels.Buffer) {
	own := c.NewBuffer(pairRows * pairCols)
	c.Begin(pairRows)
	c.Affine(pairRows*pairCols, own, 2, from, 0)
	c.Affine(pairRows*pairCols, to, 1, own, 1)
	c.End()
}

// TestChainsTogether: two chains are one launch if they do not conflict, and
// always compute what they do one after the other.
func TestChainsTogether(t *testing.T) {
	const n = pairRows * pairCols
	rng := rand.New(rand.NewPCG(3, 1))
	for _, d := range cudatest.Devices(t) {
		p, b := newPair(d), make([]kernels.Buffer, 4)
		for i := range b {
			b[i] = d.NewBuffer(n)
		}
		for _, c := range []struct {
			what                                     string
			firstTo, firstFrom, secondTo, secondFrom int
			launches                                 int
		}{
			{"apart", 0, 1, 2, 3, 1},
			{"of the same numbers", 0, 1, 2, 1, 1},
			{"the second reads what the first writes", 0, 1, 2, 0, 2},
			{"the second writes what the first reads", 0, 1, 1, 3, 2},
			{"both write the same", 0, 1, 0, 3, 2},
		} {
			host := make([][]float32, len(b))
			for i := range b {
				host[i] = normals(rng, n)
				d.Write(b[i], host[i])
			}
			read(d, b[0]) // all is there
			d.(*cuda.Device).Work()
			double(p.first, b[c.firstTo], b[c.firstFrom])
			double(p.second, b[c.secondTo], b[c.secondFrom])
			got := read(d, b[c.secondTo]) // the last one's own answer
			if launches := d.(*cuda.Device).Work().Launches; launches != c.launches {
				t.Errorf("%s: %d launches, expected %d", c.what, launches, c.launches)
			}
			for _, step := range [][2]int{{c.firstTo, c.firstFrom}, {c.secondTo, c.secondFrom}} {
				to, from := step[0], slices.Clone(host[step[1]])
				for i, x := range from {
					host[to][i] = 2*x + 1
				}
			}
			near(t, pairRows, c.what+": answer", got, host[c.secondTo])
			for i := range b {
				near(t, pairRows, c.what, read(d, b[i]), host[i])
			}
		}
	}
}

// TestChainBeginsAgain: a run that is pending is not changed by the next one of
// the same chain, nor by what the host writes in between.
func TestChainBeginsAgain(t *testing.T) {
	const n = pairRows * pairCols
	rng := rand.New(rand.NewPCG(3, 2))
	for _, d := range cudatest.Devices(t) {
		p := newPair(d)
		from, to, other := d.NewBuffer(n), d.NewBuffer(n), d.NewBuffer(n)
		x, y := normals(rng, n), normals(rng, n)
		d.Write(from, x)
		double(p.first, to, from)
		p.first.Begin(pairRows)
		d.Write(from, y)
		p.first.Affine(n, other, 1, from, 0)
		p.first.End()
		near(t, pairRows, "the second run", read(d, other), y)
		want := make([]float32, n)
		for i := range want {
			want[i] = 2*x[i] + 1
		}
		near(t, pairRows, "the first run", read(d, to), want)
	}
}

// TestChainAndUploads: what the host writes overtakes a pending chain only if
// that neither reads nor writes there.
func TestChainAndUploads(t *testing.T) {
	const n = pairRows * pairCols
	rng := rand.New(rand.NewPCG(3, 3))
	for _, d := range cudatest.Devices(t) {
		p := newPair(d)
		from, to, other, last := d.NewBuffer(n), d.NewBuffer(n), d.NewBuffer(n), d.NewBuffer(n)
		x, y, z := normals(rng, n), normals(rng, n), normals(rng, n)
		want := make([]float32, n)
		for i := range want {
			want[i] = 2*x[i] + 1
		}
		d.Write(from, x)
		double(p.first, to, from)
		d.Write(other, z) // overtakes
		d.(*cuda.Device).Work()
		double(p.second, last, other)
		near(t, pairRows, "first", read(d, to), want)
		if launches := d.(*cuda.Device).Work().Launches; launches != 1 {
			t.Errorf("an upload to other numbers: %d launches, expected one of both chains", launches)
		}
		double(p.first, to, from)
		d.Write(from, y) // does not
		double(p.second, last, from)
		near(t, pairRows, "what was read", read(d, to), want)
		double(p.first, to, from)
		d.Write(to, z) // nor does this
		near(t, pairRows, "what was written", read(d, to), z)
	}
}
