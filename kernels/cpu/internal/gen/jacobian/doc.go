// Command jacobian writes the assembly that reads and writes blocks of
// Jacobians into the current folder.
//
// A block has groups of 16, 8 or 4 lanes; a group is a row of its lanes for
// each feature. A group of 16 is one register of AVX-512 or two of AVX2; the
// smaller ones need no more than AVX2. Every lane gets the same operations in
// the same order, so all give the same bits.
package main
