// Package cuda runs the kernels on a card: *.cu files, compiled ahead to PTX
// that lies beside them (gen.sh), and a device that launches them. It takes
// the build tag gpu; without it the package is empty.
//
// Everything stays on the card: a call puts work on the device's stream and
// returns; only reading waits. Results have the same bits whatever the order
// in which threads run. Methods without a comment are documented by the
// interfaces of package kernels.
package cuda
