package models

import (
	"fmt"
	"math"
	"slices"

	"dgsbench/kernels"
	"dgsbench/nn"
)

// Fields are the parameters of a model, or what it keeps of nodes: the tensors of
// its snapshots, in their order.
type Fields []Field

// Field is a tensor of snapshots.
type Field struct {
	Name string
	// Shape is that of now. With AnyRows, a snapshot may have another number
	// of rows.
	Shape   []int
	AnyRows bool
	// Floats or Ints copies the numbers, row major. The other one is nil.
	Floats func() []float32
	Ints   func() []int64
	// Check, unless it is nil, returns an error for numbers that the model
	// cannot have. The first tensor is that of the field, and those of the
	// fields behind it follow; all of them have the right shapes.
	Check func(saved []Tensor) error
	// Set replaces the numbers by those of a tensor that has passed Check.
	Set func(saved Tensor)
}

// Tensors copies the fields.
func (fs Fields) Tensors() []Tensor {
	var out []Tensor
	for _, f := range fs {
		t := Tensor{Name: f.Name, Shape: slices.Clone(f.Shape)}
		if f.Ints != nil {
			t.I64 = f.Ints()
		} else {
			t.F32 = f.Floats()
		}
		out = append(out, t)
	}
	return out
}

// Check returns an error for tensors that the model cannot have: of other
// names, shapes or types, or with numbers that are out of range.
func (fs Fields) Check(saved []Tensor) error {
	if len(saved) != len(fs) {
		var names []string
		for _, f := range fs {
			names = append(names, f.Name)
		}
		return fmt.Errorf("snapshot has %d tensors, expected %d: %v", len(saved), len(fs), names)
	}
	for i, f := range fs {
		if err := f.fits(saved[i]); err != nil {
			return err
		}
	}
	for _, t := range saved {
		if i := slices.IndexFunc(t.F32, func(x float32) bool { return !Finite(x) }); i >= 0 {
			return fmt.Errorf("snapshot tensor %s: number %d is %v, expected a finite one", t, i, t.F32[i])
		}
	}
	for i, f := range fs {
		if f.Check == nil {
			continue
		}
		if err := f.Check(saved[i:]); err != nil {
			return err
		}
	}
	return nil
}

// fits returns an error for a tensor of another name, shape or type.
func (f Field) fits(saved Tensor) error {
	own, n := Tensor{Name: f.Name, Shape: slices.Clone(f.Shape)}, 1
	if f.AnyRows && len(saved.Shape) > 0 {
		own.Shape[0] = saved.Shape[0]
	}
	for _, size := range own.Shape {
		n *= size
	}
	floats, ints := n, 0
	if f.Ints != nil {
		own.I64, floats, ints = []int64{}, 0, n
	}
	if own.Name != saved.Name || !slices.Equal(own.Shape, saved.Shape) || len(saved.F32) != floats || len(saved.I64) != ints {
		return fmt.Errorf("snapshot tensor %s does not fit the model's %s", saved, own)
	}
	return nil
}

// Set replaces the fields by tensors that have passed Check.
func (fs Fields) Set(saved []Tensor) {
	for i, f := range fs {
		f.Set(saved[i])
	}
}

// OnDevice is a field of the numbers in a buffer.
func OnDevice(name string, d kernels.Device, b kernels.Buffer, shape ...int) Field {
	return Field{
		Name: name, Shape: shape,
		Floats: func() []float32 {
			x := make([]float32, b.Len())
			d.Read(x, b)
			return x
		},
		Set: func(saved Tensor) { d.Write(b, saved.F32) },
	}
}

// ParamsOf are the parameters of a network.
func ParamsOf(n *nn.Network) (params Fields) {
	for _, p := range n.Params() {
		params = append(params, OnDevice(p.Name, n.Device(), p.Buffer, p.Shape...))
	}
	return params
}

// Floats is a field of the numbers x: a vector, if no shape is given.
func Floats(name string, x []float32, shape ...int) Field {
	return Field{
		Name: name, Shape: shapeOf(len(x), shape),
		Floats: func() []float32 { return slices.Clone(x) },
		Set:    func(saved Tensor) { copy(x, saved.F32) },
	}
}

// Integers is a field of the integers x, from low to high: a vector, if no shape
// is given.
func Integers[T int32 | int64](name string, x []T, low, high int64, shape ...int) Field {
	return Field{
		Name: name, Shape: shapeOf(len(x), shape),
		Ints: func() []int64 { return Convert[int64](x) },
		Check: func(saved []Tensor) error {
			for i, v := range saved[0].I64 {
				if v < low || v > high {
					return fmt.Errorf("snapshot tensor %s: number %d is %d, expected %d to %d", saved[0], i, v, low, high)
				}
			}
			return nil
		},
		Set: func(saved Tensor) { copy(x, Convert[T](saved.I64)) },
	}
}

// Times is a field of times within ±limit seconds, of which tensors have the
// bits: a vector, if no shape is given.
func Times(name string, x []float64, limit float64, shape ...int) Field {
	return Field{
		Name: name, Shape: shapeOf(len(x), shape),
		Ints: func() []int64 {
			out := make([]int64, len(x))
			for i, t := range x {
				out[i] = int64(math.Float64bits(t))
			}
			return out
		},
		Check: func(saved []Tensor) error { return CheckTimes(saved[0], limit) },
		Set: func(saved Tensor) {
			for i, bits := range saved.I64 {
				x[i] = math.Float64frombits(uint64(bits))
			}
		},
	}
}

// TimesOrNever is Times where some may be Never.
func TimesOrNever(name string, x []float64, limit float64) Field {
	f := Times(name, x, limit)
	f.Check = func(saved []Tensor) error { return CheckTimes(saved[0], limit, int64(math.Float64bits(Never))) }
	return f
}

// Never is the time of what has not happened, a NaN.
var Never = math.Float64frombits(math.MaxInt64)

// CheckTimes returns an error for the first number that is neither in none nor
// the bits of a time within ±limit seconds.
func CheckTimes(t Tensor, limit float64, none ...int64) error {
	for i, bits := range t.I64 {
		if x := math.Float64frombits(uint64(bits)); !slices.Contains(none, bits) && !(math.Abs(x) <= limit) {
			return fmt.Errorf("snapshot tensor %s: number %d is the time %v, expected one within ±%g", t, i, x, limit)
		}
	}
	return nil
}

// Within is the Check of a field whose numbers are within ±nn.Largest.
func Within(saved []Tensor) error {
	if t := saved[0]; !nn.Within(t.F32) {
		return fmt.Errorf("snapshot tensor %s has a number beyond ±%g", t, nn.Largest)
	}
	return nil
}

func shapeOf(n int, shape []int) []int {
	if len(shape) == 0 {
		return []int{n}
	}
	return shape
}

// Convert returns the numbers as those of another type.
func Convert[To, From int8 | int32 | int64 | float64](x []From) []To {
	out := make([]To, len(x))
	for i, v := range x {
		out[i] = To(v)
	}
	return out
}
