package dgs

import (
	"fmt"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/models/buckets"
)

// addStep adds equation 2 and the head.
func addStep(s *models.Step, o *Options) error {
	size, e := o.Size, ""
	if o.Embedding == Buckets {
		b, err := buckets.Of(s.Saved.Fitted, datasets.Stream{}, s.Saved.Features, o.Buckets)
		if err != nil {
			return err
		}
		size, e = b.Size(), b.OneHot(s.Model, s.Features)
	} else {
		rescale := normalisations[o.Embedding].step
		if rescale == nil {
			return fmt.Errorf("embedding: %s is no operator of ONNX, expected %s, %s or %s", o.Embedding, Softmax, Sum, Buckets)
		}
		z := s.Op("z", "MatMul", s.Features, s.Param("W"))
		blocks := s.Op("z/blocks", "Reshape", z, s.Integers("z/shape", 0, int64(o.Blocks), int64(size/o.Blocks)))
		e = s.Op("E", "Reshape", rescale(s, blocks, o), s.Integers("E/shape", 0, int64(size)))
	}
	o.Head.Step(s, s.Mix(size, e, addFactor(s, o, "alpha"), addFactor(s, o, "beta")))
	return nil
}

// addFactor adds alpha or beta.
func addFactor(s *models.Step, o *Options, name string) string {
	if o.Range == Clamp {
		return s.Param(name)
	}
	logits := s.Param(name + "_logit")
	if o.Factors == Input {
		logits = s.Op(name+"/z", "Gemm", s.Features, s.Param(name+"_weights"), logits)
	}
	return s.Op(name, "Sigmoid", logits)
}

// addSoftmax adds the softmax of blocks, n x blocks x h.
func addSoftmax(s *models.Step, blocks string, o *Options) string {
	scale := s.Floats("1/T", []float32{float32(1 / o.Temperature)})
	return s.Op("E/blocks", "Softmax", s.Op("z/T", "Mul", blocks, scale))
}

// addDivision divides blocks, n x blocks x h, by their sums as nn.DivideSum does.
func addDivision(s *models.Step, blocks string, o *Options) string {
	sum := s.Op("sum", "ReduceSum", blocks, s.Integers("sum/axis", -1))
	size := s.Op("sum/raised", "Max", s.Op("sum/size", "Abs", sum), s.Floats("sum/floor", []float32{float32(o.SumFloor)}))
	negative := s.Op("sum/negative", "Less", sum, s.Floats("zero", []float32{0}))
	signed := s.Op("sum/signed", "Where", negative, s.Op("sum/minus", "Neg", size), size)
	below := s.Op("sum/below", "Add", signed, s.Floats("sum/eps", []float32{sumEps}))
	return s.Op("E/blocks", "Div", blocks, below)
}
