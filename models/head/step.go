package head

import (
	"fmt"

	"dgsbench/internal/onnx"
	"dgsbench/models"
	"dgsbench/nn"
)

// Step adds the head on top of the rows of x, and the output of logits, n numbers.
func (o Options) Step(s *models.Step, x string) {
	part := func(what string, layer int) string { return fmt.Sprintf("%s%s%d", Prefix, what, layer) }
	dense := func(layer int) string {
		return s.Op(part("z", layer), "Gemm", x, s.Param(part("W", layer)), s.Param(part("b", layer)))
	}
	for i := range o.Hidden {
		layer := i + 1
		z := dense(layer)
		if o.Norm == nn.WithLayer {
			z = s.Op(part("normal", layer), "LayerNormalization", z, s.Param(part("scale", layer)), s.Param(part("shift", layer)))
		}
		x = s.Op(part("h", layer), "Relu", z)
	}
	s.Op("logit", "Reshape", dense(len(o.Hidden)+1), s.Integers("logit/shape", -1))
	s.Output("logit", "one an event", onnx.N)
}
