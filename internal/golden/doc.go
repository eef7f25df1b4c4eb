// Package golden compares what tests make with files that hold what it should
// be.
package golden
