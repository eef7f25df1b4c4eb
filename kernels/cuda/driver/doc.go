// Package driver is the part of CUDA's driver API that this project needs,
// behind one small interface. It takes the build tag gpu; without it the
// package is empty.
//
// The library of the driver is looked for when the program runs, so that one
// binary works with and without a card and needs nothing of CUDA to be built.
// With the tags gpu and cu the calls are those of gorgonia.org/cu instead: such
// a program is linked with the driver and does not start without a card.
package driver
