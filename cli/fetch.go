package cli

import (
	"errors"
	"fmt"
	"path/filepath"

	"dgsbench/datasets"
	"dgsbench/datasets/fetch"

	"github.com/spf13/cobra"
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
			if err := fetch.Fetchable(d); err != nil {
				return err
			}
			if o.dryRun {
				return o.wouldFetch(d)
			}
			ctx, stop := untilSignal(cmd.Context())
			defer stop()
			bytes := newByteBar(o.stderr)
			waiting := func(path string) {
				fmt.Fprintf(o.stderr, "another process is downloading %s: waiting for it\n", path)
			}
			err = fetch.Fetcher{Progress: bytes.progress, Wait: waiting}.Fetch(ctx, d, o.data)
			bytes.close()
			path := filepath.Join(o.data, d.File)
			if errors.Is(err, fetch.ErrThere) {
				fmt.Fprintln(o.stderr, "nothing to do:", err)
				return nil
			}
			if err != nil {
				return failure{err}
			}
			fmt.Fprintf(o.stderr, "done: %s is in %s\n", d.Name, path)
			return nil
		},
	}
	o.addData(cmd)
	o.addDryRun(cmd)
	return cmd
}

// wouldFetch says from where the file would come, and what of it is there.
func (o *options) wouldFetch(d datasets.Dataset) (err error) {
	path := filepath.Join(o.data, d.File)
	if d.Present(o.data) == nil {
		_, err = fmt.Fprintf(o.stdout, "%s is there, and would be verified\n", path)
	} else {
		_, err = fmt.Fprintf(o.stdout, "would download %s to %s, of which %d bytes are there\n", d.URL, path, fetch.Begun(d, o.data))
	}
	return err
}
