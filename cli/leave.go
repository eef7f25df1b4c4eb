package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"dgsbench/harness"
	"dgsbench/internal/atomicfile"
	"dgsbench/internal/escape"
	"dgsbench/internal/regular"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// report prints the tables and leaves them beside the records.
func (o *options) report(trials []specs.Trial, files []string) error {
	r, err := o.wholeReport(trials, files)
	if err != nil {
		return err
	}
	if err := o.print(r, writeText); err != nil {
		return err
	}
	return o.leave(r)
}

// leftFiles are what a whole suite leaves in its folder, beside figures.
var leftFiles = []struct {
	name  string
	write func(io.Writer, results.Report) error
}{
	{"tables.md", func(w io.Writer, r results.Report) error { return writeMarkdown(w, r, false) }},
	{"tables.tex", func(w io.Writer, r results.Report) error { return writeLaTeX(w, r, false) }},
	{"tables.html", func(w io.Writer, r results.Report) error { return writeHTML(w, r, false) }},
	{"results.csv", func(w io.Writer, r results.Report) error { return results.WriteCSV(w, r.Rows) }},
	{"comparisons.csv", func(w io.Writer, r results.Report) error { return results.WriteComparisons(w, r.Comparisons) }},
}

// canLeave makes the folder of the results and reports, before anything is
// measured, what is in the place of a file that leave writes.
func (o *options) canLeave() error {
	if err := o.makeOut(); err != nil || o.narrowed() {
		return err
	}
	for _, f := range leftFiles {
		if err := regular.Replaceable(filepath.Join(o.out, o.suite, f.name)); err != nil {
			return err
		}
	}
	return nil
}

// leave puts tables, figures and numbers of a whole suite beside the records.
func (o *options) leave(r results.Report) error {
	if o.narrowed() {
		return nil // the files are those of the whole suite
	}
	files := map[string][]byte{}
	for _, f := range leftFiles {
		var out bytes.Buffer
		if err := f.write(&out, r); err != nil {
			return err
		}
		files[f.name] = out.Bytes()
	}
	for _, f := range r.Figures {
		files[f.Name+".svg"], files[f.Name+".png"] = f.SVG, f.PNG
	}
	for name, data := range files {
		if err := atomicfile.Root(o.out).Write(filepath.Join(o.out, o.suite, name), data); err != nil {
			return &harness.StoreError{Err: err}
		}
	}
	return nil
}

// reportOn summarises what has been measured of the suite of the flags and
// files.
func (o *options) reportOn(files []string) (results.Report, error) {
	trials, err := o.trials(files, false)
	if err != nil {
		return results.Report{}, err
	}
	return o.newReport(trials, files)
}

// wholeReport is newReport of trials that all have a record. One that is gone
// makes it an error.
func (o *options) wholeReport(trials []specs.Trial, files []string) (results.Report, error) {
	return untilStill(func() (results.Report, error) { return o.tryWholeReport(trials, files) })
}

func (o *options) tryWholeReport(trials []specs.Trial, files []string) (results.Report, error) {
	records, err := o.records(trials)
	if err != nil {
		return results.Report{}, err
	}
	there := map[record.Key]bool{}
	for _, r := range records {
		there[r.Key] = true
	}
	missing := slices.DeleteFunc(slices.Clone(trials), func(t specs.Trial) bool { return there[results.KeyOf(t)] })
	if len(missing) > 0 {
		return results.Report{}, gone(missing, len(trials))
	}
	r, err := o.summarise(records, trials, files)
	if errors.Is(err, fs.ErrNotExist) {
		err = failure{fmt.Errorf("%w; the same command measures it again", err)}
	}
	return r, err
}

// newReport summarises what has been measured of the trials.
func (o *options) newReport(trials []specs.Trial, files []string) (results.Report, error) {
	return untilStill(func() (results.Report, error) {
		records, err := o.records(trials)
		if err != nil {
			return results.Report{}, err
		}
		return o.summarise(records, trials, files)
	})
}

// untilStill reads records again if another run replaced them meanwhile.
func untilStill[T any](read func() (T, error)) (T, error) {
	for {
		x, err := read()
		if !errors.Is(err, record.ErrReplaced) {
			return x, err
		}
	}
}

// summarise makes a report of the records, and shows its progress on a
// terminal: intervals of a big folder take a while.
func (o *options) summarise(records []record.Record, trials []specs.Trial, files []string) (results.Report, error) {
	if len(records) == 0 {
		return results.Report{}, fmt.Errorf("no records of suite %s in %s; measure it with: %s --out %s --data DIR",
			o.suite, o.out, o.command(trials, files), o.out)
	}
	shown := o.shown
	shown.Trials, shown.Command = trials, o.command(trials, files)
	bar := newBar(o.stderr)
	bar.show()
	shown.Progress = bar.progress
	r, err := results.NewReport(o.store(), records, shown)
	bar.close()
	for _, warning := range r.Warnings {
		fmt.Fprintln(o.stderr, "warning:", escape.Text(warning))
	}
	return r, err
}
