// Package baseline holds the numbers that `bench check` compares with.
package baseline

import _ "embed"

// CI is the accepted measurement of the suite ci (see results/regression).
//
//go:embed ci.json
var CI []byte
