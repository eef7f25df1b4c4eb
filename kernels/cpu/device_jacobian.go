package cpu

import "dgsbench/kernels"

// NewJacobians keeps Jacobians of one shape.
func (d *Device) NewJacobians(s kernels.JacobianShape) kernels.Jacobians {
	if s.Half {
		j := newJacobians[uint16](s, d.pool)
		j.read, j.write = d.kernels.readJacobianHalf, d.kernels.writeJacobianHalf
		return j
	}
	j := newJacobians[float32](s, d.pool)
	j.read, j.write = d.kernels.readJacobian, d.kernels.writeJacobian
	return j
}
