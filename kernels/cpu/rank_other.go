//go:build !amd64 || purego

package cpu

func newScorer(_ Level, parts, _, _ int) scorer { return &portableScorer{bad: make([]int, parts)} }
