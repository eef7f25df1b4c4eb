//go:build gpu

package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"dgsbench/internal/atomicfile"
	"dgsbench/kernels/devices"
)

func main() {
	out := flag.String("out", "recorded", "folder of the results")
	tiny := flag.Bool("tiny", false, "small sizes: does all of it work?")
	flag.Parse()
	card, err := devices.Find(devices.CUDA)
	if err != nil {
		fmt.Fprintln(os.Stderr, "gpucheck:", err)
		os.Exit(2)
	}
	failed, err := run(*out, *tiny, card.Card())
	if err != nil {
		fmt.Fprintln(os.Stderr, "gpucheck:", err)
		os.Exit(1)
	}
	if failed > 0 {
		os.Exit(1)
	}
}

// run makes all steps and writes the results.
func run(out string, tiny bool, card string) (failed int, err error) {
	program, err := os.Executable()
	if err != nil {
		return 0, err
	}
	work, err := os.MkdirTemp("", "gpu-check-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(work)
	c := &check{home: filepath.Dir(program), work: work, report: Report{Card: card, Date: time.Now().UTC().Format(time.DateOnly), Tiny: tiny}}
	if err := c.unpackSuites(tiny); err != nil {
		return 0, err
	}
	c.all(context.Background())
	name := filepath.Join(out, fileName(card)+"-"+c.report.Date)
	if err := os.MkdirAll(out, 0o755); err != nil {
		return 0, err
	}
	data, err := c.report.json()
	if err != nil {
		return 0, err
	}
	if err := atomicfile.Write(name+".json", data); err != nil {
		return 0, err
	}
	if err := atomicfile.Write(name+".md", c.report.markdown()); err != nil {
		return 0, err
	}
	fmt.Println("results are in", name+".json and .md")
	return c.report.failed(), nil
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// fileName is the card's name without its driver's, as a part of a file's.
func fileName(card string) string {
	name, _, _ := strings.Cut(card, ",")
	return strings.Trim(notInNames.ReplaceAllString(strings.ToLower(name), "-"), "-")
}
