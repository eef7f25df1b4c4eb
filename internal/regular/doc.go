// Package regular reads files as a whole: only regular ones of a plausible
// size, so that nothing waits for a pipe's writer or reads a device for ever.
package regular
