package cpu

import "dgsbench/kernels"

// NewJacobians keeps Jacobians of one shape.
func (d *Device) NewJacobians(s kernels.JacobianShape) kernels.Jacobians {
	if s.Half {
		return newJacobians(d, s, halfJacobians[d.kernels.level])
	}
	return newJacobians(d, s, floatJacobians[d.kernels.level])
}
