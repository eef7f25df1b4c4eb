// Package doctor measures what the machine can do, so that a reader can
// judge the speed of everything else: floating-point peak, memory bandwidth,
// and a matrix product of the size that models use.
package doctor
