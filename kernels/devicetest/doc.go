// Package devicetest is the conformance suite of kernels.Device: every device
// must give the results of the reference device to within rounding, and the
// same ones again and again.
package devicetest
