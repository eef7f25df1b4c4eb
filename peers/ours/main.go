// Command ours is our side of the comparisons in this folder's parent: it
// runs a registered model on data that a script wrote, and answers on
// standard output, a line of JSON for every line of standard input. So a
// script alternates between this process and its own measurement.
//
//	ours latency  STREAM MODEL LOGITS
//	ours training STREAM MODEL
//
// STREAM and MODEL are safetensors files, described at readStream and
// readModel. latency warms the state up, writes the logits of the events that
// are measured to LOGITS and answers {}; then every line is answered with the
// seconds of one pass over them. training answers each line, a number of
// batches, with the seconds that the next so many took, and their losses.
package main

import (
	"fmt"
	"os"

	_ "dgsbench/models/standard"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "ours:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 4 && args[0] == "latency":
		return latency(args[1], args[2], args[3])
	case len(args) == 3 && args[0] == "training":
		return training(args[1], args[2])
	}
	return fmt.Errorf("usage: ours latency STREAM MODEL LOGITS, or ours training STREAM MODEL")
}
