//go:build !amd64.v3

package cpu

import "runtime"

// architecture is what the bits of portable Go depend on.
const architecture = runtime.GOARCH
