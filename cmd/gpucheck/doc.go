//go:build gpu

// Command gpucheck checks and measures the project on a card, from binaries
// that scripts/gpu-check has built: the target needs neither Go nor a network.
//
//	gpu-check/run [-out DIR] [-tiny]
//	go run -tags gpu ./cmd/gpucheck -goals -out results/recorded
//
// It runs the tests of the kernels and the models on the card, trains models
// on both devices and compares their scores, and times inference, training,
// ranking and the driver, beside PyTorch where that is installed. Each step is
// a program of its own with a time limit, all of them together have eight
// minutes: one that fails, or breaks the card, does not keep the others from
// running, and what goals are about comes early. The results are a JSON file,
// written anew after each step, and the same as Markdown.
//
// With -goals it only prints what the newest results in the folder make of the
// project's goals, which are in goals.yaml.
//
// It takes the build tag gpu. Exit codes: 0 all steps passed, 1 some failed, 2
// there is no card, or an unknown argument.
package main
