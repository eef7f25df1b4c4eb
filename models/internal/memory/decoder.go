package memory

import (
	"math"

	"dgsbench/nn"
)

// newDecoder draws the link predictor w relu(Wa z_u + ba + Wb z_v + bb) + c
// for embeddings of so many columns: as many hidden units, all uniform in
// +-1/sqrt(columns).
func newDecoder(net *nn.Network, width int) nn.DecoderParams {
	bound := 1 / math.Sqrt(float64(width))
	matrix := func(name string, out int) *nn.Node {
		return net.Weight(name+".weight", net.Uniform(width*out, bound), width, out)
	}
	bias := func(name string, out int) *nn.Node { return net.Weight(name+".bias", net.Uniform(out, bound), out) }
	return nn.DecoderParams{
		Left: matrix("pred.lin_src", width), LeftBias: bias("pred.lin_src", width),
		Right: matrix("pred.lin_dst", width), RightBias: bias("pred.lin_dst", width),
		Out: matrix("pred.lin_final", 1), OutBias: bias("pred.lin_final", 1),
	}
}

// pairLayers are those of the decoder, for ranking.
func pairLayers(net *nn.Network, p nn.DecoderParams, width int) nn.PairLayers {
	return nn.PairLayers{
		Left: width, Right: width, Width: width,
		LeftW: net.Buffer(p.Left), LeftBias: net.Buffer(p.LeftBias),
		RightW: net.Buffer(p.Right), RightBias: net.Buffer(p.RightBias),
		Out: net.Buffer(p.Out),
	}
}
