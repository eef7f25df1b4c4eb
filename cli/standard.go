package cli

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"dgsbench/datasets"
	"dgsbench/internal/atomicfile"
	"dgsbench/internal/lists"
	"dgsbench/internal/names"
	"dgsbench/internal/regular"
	"dgsbench/results"
	"dgsbench/specs"

	"github.com/spf13/cobra"
)

// defaultHours is the budget of a standard suite.
const defaultHours = 0.25

// standardFile holds the standard suite that was measured, beside its results.
const standardFile = "suite.yaml"

func newInit(o options) *cobra.Command {
	cmd := o.with("out specs data dataset hours label-delay device workers quiet", &cobra.Command{
		Use: "init [FILE.yaml]", Short: "Write the standard suite of your datasets as YAML, to change it",
		Long: "init writes what bench all --dataset measures: the models, sizes, epochs and\n" +
			"seeds that fit the budget on this machine. Measure the changed suite with bench\n" +
			"all FILE.yaml. Without FILE.yaml it is called by the datasets. A file that\n" +
			"exists is not replaced.",
		Example: "  bench init --dataset payments\n  bench init --dataset payments --hours 2 slow.yaml",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file := o.standardName() + ".yaml"
			if len(args) > 0 {
				file = args[0]
			}
			if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%s exists already: name another file, or remove it", file)
			}
			lib, err := o.library()
			if err != nil {
				return err
			}
			data, err := o.standardDatasets()
			if err != nil {
				return err
			}
			text, err := o.makeStandard(cmd.Context(), lib, data)
			if err != nil {
				return err
			}
			if err := atomicfile.Write(file, text); err != nil {
				return err
			}
			return o.done("the suite is in "+file+"; measure it with: bench all "+file, false)
		},
	})
	_ = cmd.MarkFlagRequired("dataset") // it fails for unknown flags only
	return cmd
}

// standardName returns the name of the standard suite of --dataset.
func (o *options) standardName() string {
	joined := strings.Join(o.dataset, "-")
	name := strings.NewReplacer("@", "-", ".", "-").Replace(joined)
	if names.Check(name) != nil { // too long, as two names may be
		name = fmt.Sprintf("standard-%08x", crc32.ChecksumIEEE([]byte(joined)))
	}
	return name
}

// standardWords returns the flags that ask for the standard suite; none where they
// do not.
func (o *options) standardWords() []string {
	if len(o.dataset) == 0 {
		return nil
	}
	hours, delay := "", ""
	if o.hours != defaultHours {
		hours = strconv.FormatFloat(o.hours, 'g', -1, 64)
	}
	if o.delay != 0 {
		delay = strings.Replace(strings.Replace(o.delay.String(), "m0s", "m", 1), "h0m", "h", 1)
	}
	return flagWords("dataset", strings.Join(o.dataset, ","), "hours", hours, "label-delay", delay)
}

// standardMade returns the first line of the standard suite that the flags ask for,
// without its sign of a comment.
func (o *options) standardMade() string {
	return strings.Join(append([]string{"Made by: bench init"}, o.standardWords()...), " ")
}

// standardData returns the second line: what the suite depends on of the datasets.
func standardData(data []datasets.Dataset) string {
	of := lists.Map(data, func(d datasets.Dataset) string {
		labels := "no labels"
		if d.Labelled {
			labels = "labelled"
		}
		return fmt.Sprintf("%s (%q, %d events, %s)", d.Name, d.Title, d.Want.Events, labels)
	})
	return "Data: " + strings.Join(of, ", ")
}

// standardDatasets returns those of --dataset.
func (o *options) standardDatasets() ([]datasets.Dataset, error) {
	var data []datasets.Dataset
	for _, name := range o.dataset {
		d, err := datasets.Lookup(name)
		if err != nil {
			return nil, err
		}
		data = append(data, d)
	}
	return data, nil
}

// addStandard adds the standard suite of --dataset to the library: the one beside
// the results, of any budget if the command has no flag for one, or else a new one,
// which is put there before it is measured.
//
// It sets the flags of the suite that it adds.
func (s *selection) addStandard(ctx context.Context, lib *specs.Library) (specs.Entry, error) {
	o := &s.options
	data, err := o.standardDatasets()
	if err != nil {
		return specs.Entry{}, err
	}
	file := filepath.Join(o.out, o.standardName(), standardFile)
	text, err := regular.Read(file, specs.MaxFile)
	made, rest, _ := strings.Cut(string(text), "\n")
	sameFlags := made == "# "+o.standardMade() || !o.makesSuites && strings.HasPrefix(made, "# "+o.standardMade()+" ")
	if err == nil && sameFlags && strings.HasPrefix(rest, "# "+standardData(data)+"\n") {
		s.standard = strings.Fields(strings.TrimPrefix(made, "# Made by: bench init"))
		return lib.Add(file, text)
	}
	if !o.makesSuites {
		return specs.Entry{}, fmt.Errorf("%s is not there, or of other data: measure first, by bench all --dataset %s", file, strings.Join(o.dataset, ","))
	}
	s.standard = o.standardWords()
	if text, err = o.makeStandard(ctx, lib, data); err == nil && o.keepsSuites && !o.dryRun {
		if err = o.makeOut(); err == nil {
			err = atomicfile.Root(o.out).Write(file, text)
		}
	}
	if err != nil {
		return specs.Entry{}, err
	}
	return lib.Add(file, text)
}

// makeStandard returns the standard suite with the largest effort that fits --hours
// by the plan, or with the least one, and prints its seeds and epochs. A dry run, which
// plans nothing, goes by the number of events alone.
func (o *options) makeStandard(ctx context.Context, lib *specs.Library, data []datasets.Dataset) ([]byte, error) {
	if !(o.hours > 0) {
		return nil, fmt.Errorf("--hours is %v, expected more than 0", o.hours)
	}
	if o.delay < 0 || o.delay != o.delay.Truncate(time.Second) {
		return nil, fmt.Errorf("--label-delay is %v, expected whole seconds, as in 6h or 90s", o.delay)
	}
	on, err := o.findDevice()
	if err != nil {
		return nil, err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	events := 0
	for _, d := range data {
		events += d.Want.Events
	}
	for i, e := range specs.Efforts {
		last := i == len(specs.Efforts)-1
		if float64(events) > float64(e.Events)*o.hours/defaultHours && !last {
			continue
		}
		text := specs.StandardSuite(o.standardName(), o.standardMade()+"\n# "+standardData(data), data, e, o.delay)
		if o.dryRun {
			return text, nil
		}
		entry, err := lib.Add(standardFile, text)
		if err != nil {
			return nil, err
		}
		suite, err := lib.LoadSuite(entry.Name)
		if err != nil {
			return nil, err
		}
		s := selection{options: *o, suiteSpec: suite}
		s.suite = entry.Name
		if s.trials, err = suite.Trials(specs.Filter{}); err != nil {
			return nil, err
		}
		p, err := s.plan(ctx, on)
		if err != nil {
			return nil, explainMissing(err)
		}
		if p.Seconds > o.hours*3600 && !last {
			continue
		}
		fmt.Fprintf(o.progress(), "standard suite of %s: %s, %s; --hours %g\n",
			o.standardName(), results.Count(e.Seeds, "seed"), results.Count(e.Epochs, "epoch"), o.hours)
		return text, nil
	}
	panic("cli: no effort is the last one")
}
