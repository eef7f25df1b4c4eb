//go:build amd64.v3

package cpu

// architecture is GOAMD64=v3 or a later one, where the compiler fuses
// multiplications and additions, and before v3 it does not.
const architecture = "amd64.v3"
