//go:build gpu

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"dgsbench/datasets"
	"dgsbench/internal/atomicfile"
)

// peer is a script of PyTorch's, beside the program.
type peer struct {
	title, script string
	limit         time.Duration
}

var peers = []peer{
	{"inference of DGS", "dgs_card.py", 70 * time.Second},
	{"inference of TGN and Jodie", "tgn_card.py", 90 * time.Second},
	{"training of DGS", "dgs_training_card.py", 50 * time.Second},
	{"training of TGN and Jodie", "tgn_training_card.py", 50 * time.Second},
	{"ranking", "ranking_card.py", 40 * time.Second},
}

// peer runs a script on the stream that ours run on.
func (c *check) peer(p peer) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := c.findTorch(ctx); err != nil {
			return fmt.Errorf("%w: %w", errSkipped, err)
		}
		stream := filepath.Join(c.work, "stream.csv")
		if err := writeStream(stream, c.report.Tiny); err != nil {
			return err
		}
		return c.times(ctx, c.home, "python3", p.script, stream)
	}
}

// findTorch asks python3 for a PyTorch that finds the card: times of its
// processor say nothing about goals. To import it takes seconds, so it is not
// asked for again once it is there.
func (c *check) findTorch(ctx context.Context) error {
	if c.hasTorch {
		return nil
	}
	const load, find = "import torch", "; assert torch.cuda.is_available(), 'torch finds no card'"
	_, err := output(ctx, "", "python3", "-c", c.pick(load+find, load))
	c.hasTorch = err == nil
	return err
}

// Simulated streams.
const (
	fullStream = "wikipedia-sim"
	tinyStream = "shop-sim@0.17"
)

// writeStream writes nodes and times of the stream's events.
func writeStream(path string, tiny bool) error {
	name := fullStream
	if tiny {
		name = tinyStream
	}
	d, err := datasets.Lookup(name)
	if err != nil {
		return err
	}
	loaded, err := d.Load("")
	if err != nil {
		return err
	}
	s := loaded.Stream
	var b bytes.Buffer
	b.WriteString("src,dst,t\n")
	for i := range s.Src {
		fmt.Fprintf(&b, "%d,%d,%.0f\n", s.Src[i], s.Dst[i], s.Time[i])
	}
	if s.Len() == 0 {
		return errors.New(name + " has no events")
	}
	return atomicfile.Write(path, b.Bytes())
}
