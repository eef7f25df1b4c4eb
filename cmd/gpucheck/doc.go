//go:build gpu

// Command gpucheck checks and measures the project on a card, from binaries
// that scripts/gpu-check has built: the target needs neither Go nor a network.
//
//	gpu-check/run [-out DIR] [-tiny]
//
// It runs the tests of the kernels and the models on the card, trains models
// on both devices and compares their scores, and times inference, training and
// ranking, beside PyTorch where that is installed. Each step has a time limit;
// one that fails does not keep the others from running. The results are a JSON
// file, and the same as Markdown.
//
// It takes the build tag gpu. Exit codes: 0 all steps passed, 1 some failed, 2
// there is no card.
package main
