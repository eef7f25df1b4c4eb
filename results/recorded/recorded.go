// Package recorded holds results of the project that its programs read.
package recorded

import "embed"

// Tuned holds tuned specs: tuned/specs/MODEL.yaml, as bench tune wrote them.
//
//go:embed tuned/specs/*.yaml
var Tuned embed.FS
