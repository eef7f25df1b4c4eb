package cpu_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
	"dgsbench/kernels/portable"
)

// arrays hands out the slices of one kernel call. The same seed gives the
// same slices. Each lies at an odd place between guards.
type arrays struct {
	rng     *rand.Rand
	special bool // with infinities, NaN, denormals and huge values
	all     []guarded
}

type guarded struct {
	whole []float32
	at    int
	data  []float32
}

const guard = -12345

func newArrays(seed uint64, special bool) *arrays {
	return &arrays{rng: rand.New(rand.NewPCG(seed, 7)), special: special}
}

func (a *arrays) make(n int, f func() float32) []float32 {
	at := 1 + a.rng.IntN(17)
	whole := make([]float32, n+40)
	for i := range whole {
		whole[i] = guard
	}
	data := whole[at : at+n : at+n]
	for i := range data {
		data[i] = f()
	}
	a.all = append(a.all, guarded{whole, at, data})
	return data
}

var specialValues = []float32{
	float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0, float32(math.Copysign(0, -1)),
	1e-40, -1e-40, math.SmallestNonzeroFloat32, 3e38, -3e38, 1.2e-38, 1e10, -100, 100,
}

// normal are values around zero; with special, some that are not normal.
func (a *arrays) normal(n int) []float32 {
	return a.make(n, func() float32 {
		v := float32(a.rng.NormFloat64() * 2)
		if a.special && a.rng.IntN(9) == 0 {
			v = specialValues[a.rng.IntN(len(specialValues))]
		}
		return v
	})
}

// positive are values between 0.1 and 1.1, whatever the kernel.
func (a *arrays) positive(n int) []float32 {
	return a.make(n, func() float32 { return .1 + a.rng.Float32() })
}

type numbers = portable.Buffer[float32]

// buffer and positives are normal and positive as buffers.
func (a *arrays) buffer(n int) kernels.Buffer    { return numbers(a.normal(n)) }
func (a *arrays) positives(n int) kernels.Buffer { return numbers(a.positive(n)) }

// devices are one of each level, by level.
var devices = func() (all []*cpu.Device) {
	for _, k := range cpu.Available() {
		all = append(all, cpu.NewDevice(k, 1))
	}
	return all
}()

func on(k cpu.Kernels) *cpu.Device { return devices[k.Level()] }

func (a *arrays) check(t *testing.T) {
	t.Helper()
	for _, g := range a.all {
		for i, v := range g.whole {
			if inside := i >= g.at && i < g.at+len(g.data); !inside && v != guard {
				t.Fatalf("element %d of %d was written", i-g.at, len(g.data))
			}
		}
	}
}

// A kernelCase prepares a call of a kernel for a size n.
type kernelCase struct {
	name string
	make func(a *arrays, n int) func(k cpu.Kernels)
}

// sizes around every register width, and a few larger ones.
func sizes() []int {
	out := []int{100, 128, 257}
	for n := range 68 {
		out = append(out, n)
	}
	return out
}

// conform runs each case at every level on the same arrays. The vector
// levels must agree bit for bit, and with the portable one to within
// tolerance, times the value and times the largest one of its array.
func conform(t *testing.T, cases []kernelCase, tolerance float64) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, special := range []bool{false, true} {
				for _, n := range sizes() {
					conformAt(t, c, n, special, tolerance)
				}
			}
		})
	}
}

func conformAt(t *testing.T, c kernelCase, n int, special bool, tolerance float64) {
	var plain, vector *arrays
	for _, k := range cpu.Available() {
		a := newArrays(uint64(n), special)
		call := c.make(a, n)
		call(k)
		a.check(t)
		switch {
		case k.Level() == cpu.Portable:
			plain = a
			continue
		case vector == nil:
			vector = a
		}
		for i := range a.all {
			sameBits(t, n, k, a.all[i].data, vector.all[i].data)
			closeTo(t, n, k, a.all[i].data, plain.all[i].data, tolerance)
		}
	}
}

func isNaN(v float32) bool { return v != v }

func sameBits(t *testing.T, n int, k cpu.Kernels, got, want []float32) {
	t.Helper()
	for i := range want {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) && !(isNaN(got[i]) && isNaN(want[i])) {
			t.Fatalf("size %d, element %d: %s gives %v, the other vector level %v", n, i, k.Level(), got[i], want[i])
		}
	}
}

func closeTo(t *testing.T, n int, k cpu.Kernels, got, want []float32, tolerance float64) {
	t.Helper()
	largest := 1.0
	for _, v := range want {
		if size := math.Abs(float64(v)); size < 1e6 {
			largest = max(largest, size)
		}
	}
	for i := range want {
		g, w := float64(got[i]), float64(want[i])
		if g == w || math.IsNaN(g) && math.IsNaN(w) {
			continue
		}
		if !(math.Abs(g-w) <= tolerance*(math.Abs(w)+largest)) {
			t.Fatalf("size %d, element %d: %s gives %v, portable %v", n, i, k.Level(), g, w)
		}
	}
}
