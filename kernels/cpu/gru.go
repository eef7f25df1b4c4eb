package cpu

import "dgsbench/kernels/portable"

// GRUCell is the element-wise part of a GRU cell in PyTorch's convention.
// From the pre-activations gi = W_i a + b_i and gh = W_h q + b_h, whose rows
// hold the blocks r, z, n of units columns each, and the state q it computes
//
//	r = sigmoid(gi_r + gh_r)
//	z = sigmoid(gi_z + gh_z)
//	n = tanh(gi_n + r*gh_n)
//	h = n + z*(q - n)  (= (1 - z)*n + z*q)
//
// gates receives r, z, n in the layout of gi; the gradient needs it. h may
// be q, and gates may be gi.
func (k Kernels) GRUCell(h, gates, gi, gh, q []float32, units int) {
	same("GRUCell", len(h), len(q))
	same("GRUCell", 3*len(h), len(gates), len(gi), len(gh))
	if k.level == Portable {
		portable.GRUCell(h, gates, gi, gh, q, units)
		return
	}
	for at := 0; at < len(h); at += units {
		h, q := h[at:at+units], q[at:at+units]
		gates, gi, gh := gates[3*at:][:3*units], gi[3*at:][:3*units], gh[3*at:][:3*units]
		if k.level == AVX512 {
			gruForwardAVX512(h, gates, gi, gh, q)
		} else {
			gruForwardAVX2(h, gates, gi, gh, q)
		}
	}
}

// GRUCellGrad is the gradient of gi, gh and q, from that of h:
//
//	dq = dh*z
//	dgi_n = dh*(1 - z)*(1 - n^2)    dgh_n = dgi_n*r
//	dgi_z = dh*(q - n)*z*(1 - z)    dgh_z = dgi_z
//	dgi_r = dgi_n*gh_n*r*(1 - r)    dgh_r = dgi_r
//
// dq holds only what passes the gates; the part through gh is left to the
// matrix product with W_h. dq may be dh.
func (k Kernels) GRUCellGrad(dgi, dgh, dq, dh, gates, gh, q []float32, units int) {
	same("GRUCellGrad", len(dh), len(dq), len(q))
	same("GRUCellGrad", 3*len(dh), len(dgi), len(dgh), len(gates), len(gh))
	if k.level == Portable {
		portable.GRUCellGrad(dgi, dgh, dq, dh, gates, gh, q, units)
		return
	}
	for at := 0; at < len(dh); at += units {
		dq, dh, q := dq[at:at+units], dh[at:at+units], q[at:at+units]
		dgi, dgh := dgi[3*at:][:3*units], dgh[3*at:][:3*units]
		gates, gh := gates[3*at:][:3*units], gh[3*at:][:3*units]
		if k.level == AVX512 {
			gruBackwardAVX512(dgi, dgh, dq, dh, gates, gh, q)
		} else {
			gruBackwardAVX2(dgi, dgh, dq, dh, gates, gh, q)
		}
	}
}
