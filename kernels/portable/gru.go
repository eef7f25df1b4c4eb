package portable

// GRUCell is the element-wise part of a GRU cell in PyTorch's convention.
// From the pre-activations gi = W_i a + b_i and gh = W_h q + b_h, whose rows
// hold the blocks r, z, n of units columns each, and the state q it computes
//
//	r = sigmoid(gi_r + gh_r)
//	z = sigmoid(gi_z + gh_z)
//	n = tanh(gi_n + r*gh_n)
//	h = n + z*(q - n)  (= (1 - z)*n + z*q)
//
// gates receives r, z, n in the layout of gi; the gradient needs it.
func GRUCell[T Float](h, gates, gi, gh, q []T, units int) {
	for at := 0; at < len(h); at += units {
		for j := at; j < at+units; j++ {
			r, z, n := 2*at+j, 2*at+j+units, 2*at+j+2*units
			gates[r] = sigmoid(gi[r] + gh[r])
			gates[z] = sigmoid(gi[z] + gh[z])
			gates[n] = tanh(fma(gates[r], gh[n], gi[n]))
			h[j] = fma(gates[z], q[j]-gates[n], gates[n])
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
// matrix product with W_h.
func GRUCellGrad[T Float](dgi, dgh, dq, dh, gates, gh, q []T, units int) {
	for at := 0; at < len(dh); at += units {
		for j := at; j < at+units; j++ {
			iR, iZ, iN := 2*at+j, 2*at+j+units, 2*at+j+2*units
			d, r, z, n := dh[j], gates[iR], gates[iZ], gates[iN]
			dz := d * (q[j] - n) * T(z*(1-z))
			dn := d * (1 - z) * fma(-n, n, 1)
			dr := dn * gh[iN] * T(r*(1-r))
			dq[j] = d * z
			dgi[iR], dgi[iZ], dgi[iN] = dr, dz, dn
			dgh[iR], dgh[iZ], dgh[iN] = dr, dz, dn*r
		}
	}
}
