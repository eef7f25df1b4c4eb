package cpu

// Level is an instruction set.
type Level int

// The levels, each wider than the one before.
const (
	Portable Level = iota
	AVX2           // with FMA
	AVX512         // F, DQ, BW, VL, and BMI2
)

func (l Level) String() string { return [...]string{"portable", "avx2", "avx512"}[l] }

// Kernels are the kernels of one level.
type Kernels struct {
	level Level
}

// Level says which instruction set is used.
func (k Kernels) Level() Level { return k.level }

// Class names the kernels as far as bits depend on them: AVX2 and AVX-512
// agree bit for bit, and portable Go with itself on one architecture: the
// compiler fuses multiplications and additions on some.
func (k Kernels) Class() string {
	if k.level == Portable {
		return "cpu/portable-" + architecture
	}
	return "cpu/vector"
}

// Best are the kernels of the widest level that this processor has.
func Best() Kernels { return Kernels{best} }

// Available lists the kernels of every level that this processor has, the
// portable ones first.
func Available() []Kernels {
	var out []Kernels
	for l := Portable; l <= best; l++ {
		out = append(out, Kernels{l})
	}
	return out
}
