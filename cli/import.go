package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"dgsbench/datasets"
	"dgsbench/datasets/own"
	"dgsbench/results/table"

	"github.com/spf13/cobra"
)

// importing is bench data import with its flags.
type importing struct {
	options
	own.Source
	features        []string
	separator, unit string
	shares          []float64
}

func newImport(o options) *cobra.Command {
	i := &importing{options: o, Source: own.Source{Split: own.DefaultSplit}}
	cmd := i.with("data", &cobra.Command{
		Use: "import FILE", Short: "Make a dataset out of an event log", Args: cobra.ExactArgs(1),
		Long: "import reads a CSV file (also compressed by gzip or zstd) with one event a line and\n" +
			"makes a dataset of it, which is then used by its name like any other. Columns go by\n" +
			"name, or by number from 1; columns that are not named are not read. Times are numbers\n" +
			"or ISO 8601. Read docs/your-data.md for an example.",
		Example: "  bench data import docs/your-data/payments.csv --name payments " +
			"--src account --dst shop --bipartite --time paid_at --label fraud --features amount,retries",
		RunE: func(cmd *cobra.Command, args []string) error { return i.run(cmd.Context(), args[0]) },
	})
	cmd.PreRunE = nil // it reads the data folder itself
	f := cmd.Flags()
	f.StringVar(&i.Name, "name", "", "name of the dataset: small letters, digits and dashes")
	f.StringVar(&i.Title, "title", "", "what listings and tables call it (default: its name)")
	f.StringVar(&i.Layout.Src, "src", "", "column of the node that acts")
	f.StringVar(&i.Layout.Dst, "dst", "", "column of the node that it acts on")
	f.StringVar(&i.Layout.Time, "time", "", "column of the time")
	f.StringVar(&i.unit, "time-unit", "auto", "what numbers in the time column are: s (or steps), ms, us or ns; auto: s, if they can be")
	f.StringVar(&i.Layout.Label, "label", "", "column of the class: 0, 1, and -1 or nothing where it is not known")
	f.StringSliceVar(&i.features, "features", []string{"none"}, "columns of numbers (a,b,c), rest (all other columns) or none")
	f.BoolVar(&i.Layout.Bipartite, "bipartite", false, "sources and destinations are different things, even where ids are the same")
	f.StringVar(&i.separator, "separator", "auto", "auto, comma, tab, semicolon, pipe or space")
	f.BoolVar(&i.Layout.NoHeader, "no-header", false, "the first line is an event; columns go by number")
	f.BoolVar(&i.Layout.Sort, "sort", false, "put events in order of time; those of equal time keep their order")
	f.Float64SliceVar(&i.shares, "split", []float64{i.Split.Train, i.Split.Val}, "where the train and the validation part end")
	f.StringVar(&i.Split.By, "split-by", i.Split.By, "time (shares of the quantiles of time) or row (of the events)")
	for _, name := range []string{"name", "src", "dst", "time"} {
		_ = cmd.MarkFlagRequired(name) // it fails for unknown flags only
	}
	return cmd
}

// complete sets what is not a flag as it is.
func (i *importing) complete(file string) (err error) {
	if len(i.shares) != 2 {
		return fmt.Errorf("--split has %d numbers, expected two such as 0.7,0.85", len(i.shares))
	}
	i.File, i.Split.Train, i.Split.Val = file, i.shares[0], i.shares[1]
	switch {
	case slices.Equal(i.features, []string{"rest"}):
		i.Layout.Rest = true
	case slices.Equal(i.features, []string{"none"}):
	case slices.Contains(i.features, "rest"), slices.Contains(i.features, "none"):
		return fmt.Errorf("--features %s: rest and none stand alone (a column of that name goes by its number)", strings.Join(i.features, ","))
	default:
		i.Layout.Features = i.features
	}
	if i.Layout.Separator, err = datasets.ParseSeparator(i.separator); err != nil {
		return fmt.Errorf("--separator: %w", err)
	}
	if i.Layout.Unit, err = datasets.ParseUnit(i.unit); err != nil {
		return fmt.Errorf("--time-unit: %w", err)
	}
	return nil
}

func (i *importing) run(ctx context.Context, file string) error {
	if err := i.complete(file); err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	bar := newBar(i.stderr)
	if isTerminal(i.stderr) {
		bar.open(1, "importing "+file)
	}
	i.Progress = bar.progress
	l, err := own.Import(ctx, i.data, i.Source)
	bar.close()
	if err != nil {
		return explainImport(err, file)
	}
	n := l.Stream.Counts()
	fmt.Fprintf(i.stdout, "%s: %d events, %d nodes, %d features\n", filepath.Join(i.data, l.Dataset.Name), n.Events, n.Nodes, n.Features)
	t := table.New(fmt.Sprintf("PART (%s)", l.Dataset.Split), "EVENTS", "POSITIVES")
	for k, part := range l.Split.Parts(l.Stream) {
		c := part.Counts()
		t.Add(datasets.PartNames[k], c.Events, positives(l.Dataset, c.Positives))
	}
	return table.WriteList(i.stdout, t)
}

// remedies are flags under which a file may not be damaged.
var remedies = map[datasets.Option]string{
	datasets.OptionSort:      "--sort puts events in order of time",
	datasets.OptionUnit:      "--time-unit says what they are (s for seconds or steps)",
	datasets.OptionNoHeader:  "--no-header says that the first line is an event, and columns go by number",
	datasets.OptionSeparator: "--separator says what stands between fields",
}

// explainImport adds to an error the flag that may help.
func explainImport(err error, file string) error {
	var damage *datasets.Damage
	var place *fs.PathError
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("interrupted: nothing of %s is imported or left behind: %w", file, err)
	case errors.As(err, &damage) && damage.Option != datasets.NoOption:
		return fmt.Errorf("%w; %s", err, remedies[damage.Option])
	case errors.As(err, &place) && place.Path != file: // the data folder: what was asked for is right
		return failure{err}
	}
	return err
}
