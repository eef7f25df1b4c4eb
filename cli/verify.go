package cli

import (
	"errors"
	"fmt"
	"io/fs"

	"dgsbench/datasets"
	"dgsbench/datasets/own"

	"github.com/spf13/cobra"
)

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
		return failure{fmt.Errorf("%d of %d files in %s are damaged or missing", bad, whole+bad, o.data)}
	}
	if whole == 0 {
		fmt.Fprintf(o.stdout, "no files of datasets in %s\n", o.data)
	}
	return nil
}
