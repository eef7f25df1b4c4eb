package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"dgsbench/datasets"
	"dgsbench/datasets/fetch"
	"dgsbench/datasets/own"

	"github.com/spf13/cobra"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

func newFetch(o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use: "fetch NAME", Short: "Download a dataset, or go on with its download", Args: cobra.ExactArgs(1),
		Long: "fetch downloads the file of a dataset to the data folder. It may be interrupted: the\n" +
			"same command goes on. The file gets its name when its checksum is right.",
		Example: "  bench data fetch wikipedia --data ~/streams",
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := o.dataset(args[0])
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			bytes := newByteBar(o.stderr)
			err = fetch.Fetcher{Progress: bytes.progress}.Fetch(ctx, d, o.data)
			bytes.close()
			path := filepath.Join(o.data, d.File)
			if errors.Is(err, fetch.ErrThere) {
				fmt.Fprintln(o.stderr, "nothing to do:", err)
				return nil
			}
			if err == nil {
				fmt.Fprintf(o.stderr, "done: %s is in %s\n", d.Name, path)
			}
			return err
		},
	}
	o.addData(cmd)
	return cmd
}

// byteBar shows a download on a terminal, with its rate and the time left;
// elsewhere it is silent.
type byteBar struct {
	container *mpb.Progress // nil where out is no terminal
	line      *mpb.Bar      // from the first byte on
	started   time.Time
	first     int64 // bytes that an earlier call has brought
}

func newByteBar(out io.Writer) *byteBar {
	b := &byteBar{}
	if isTerminal(out) {
		b.container = mpb.New(mpb.WithOutput(out), mpb.WithWidth(60))
	}
	return b
}

func (b *byteBar) progress(done, all int64) {
	if b.container == nil {
		return
	}
	if b.line == nil {
		b.started, b.first = time.Now(), done
		b.line = b.container.AddBar(all, mpb.BarRemoveOnComplete(), mpb.AppendDecorators(decor.Any(func(s decor.Statistics) string {
			return rate(s.Current, s.Total, b.first, time.Since(b.started))
		})))
	}
	b.line.SetTotal(all, false)
	b.line.SetCurrent(done)
}

// rate says how much of a file is there, how fast what came behind the first
// bytes has come, and how long the rest takes.
func rate(done, all, first int64, spent time.Duration) string {
	const mega = 1e6
	perSecond := float64(done-first) / spent.Seconds()
	text := fmt.Sprintf("  %.1f MB  %.1f MB/s", float64(done)/mega, perSecond/mega)
	if all <= done || perSecond <= 0 {
		return text
	}
	left := time.Duration(float64(all-done) / perSecond * float64(time.Second))
	return fmt.Sprintf("  %.1f of %.1f MB  %.1f MB/s  %v left", float64(done)/mega, float64(all)/mega, perSecond/mega, left.Round(time.Second))
}

func (b *byteBar) close() {
	if b.line != nil {
		b.line.Abort(true)
		b.container.Wait()
	}
}

func newVerify(o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use: "verify [NAME...]", Short: "Check the files of datasets: all that are there, or those named",
		Long: "verify compares files with their known checksums, or, where none is known, with the\n" +
			"counts of what must be in them.",
		Example: "  bench data verify --data ~/streams\n  bench data verify wikipedia --data ~/streams",
		RunE:    func(_ *cobra.Command, names []string) error { return o.verify(names) },
	}
	o.addData(cmd)
	return cmd
}

// verify goes on behind a damaged file, and ends with an error if there is
// one.
func (o *options) verify(names []string) error {
	if err := own.Use(o.data); err != nil {
		return err
	}
	all := len(names) == 0
	if all {
		names = datasets.Names()
	}
	whole, bad := 0, 0
	for _, name := range names {
		d, err := datasets.Lookup(name)
		if err != nil {
			return err
		}
		if d.File == "" {
			if !all {
				return fmt.Errorf("dataset %s is made when it is used: there is no file to verify", name)
			}
			continue
		}
		switch err := d.Verify(o.data); {
		case all && errors.Is(err, fs.ErrNotExist):
		case err != nil:
			bad++
			fmt.Fprintln(o.stderr, err)
		default:
			whole++
			fmt.Fprintf(o.stdout, "%s: whole\n", name)
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d files in %s are damaged or missing", bad, whole+bad, o.data)
	}
	if whole == 0 {
		fmt.Fprintf(o.stdout, "no files of datasets in %s\n", o.data)
	}
	return nil
}
