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

// importFlags are those that are not fields of own.Source as they are.
type importFlags struct {
	features        []string
	separator, unit string
	shares          []float64
}

func newImport(o options) *cobra.Command {
	src := own.Source{Split: own.DefaultSplit}
	var flags importFlags
	cmd := o.with("data", &cobra.Command{
		Use: "import FILE", Short: "Make a dataset out of an event log", Args: cobra.ExactArgs(1),
		Long: "import reads a CSV file (also compressed by gzip or zstd) with one event a line and\n" +
			"makes a dataset of it, which is then used by its name like any other. Columns go by\n" +
			"name, or by number from 1; columns that are not named are not read. Times are numbers\n" +
			"or ISO 8601. Read docs/your-data.md for an example.",
		Example: "  bench data import docs/your-data/payments.csv --name payments " +
			"--src account --dst shop --bipartite --time paid_at --label fraud --features amount,retries",
		RunE: func(cmd *cobra.Command, args []string) error {
			src.File = args[0]
			if err := flags.apply(&src); err != nil {
				return err
			}
			return o.importData(cmd.Context(), src)
		},
	})
	cmd.PreRunE = nil // it reads the data folder itself
	f := cmd.Flags()
	f.StringVar(&src.Name, "name", "", "name of the dataset: small letters, digits and dashes")
	f.StringVar(&src.Title, "title", "", "what listings call it (default: the file's name)")
	f.StringVar(&src.Layout.Src, "src", "", "column of the node that acts")
	f.StringVar(&src.Layout.Dst, "dst", "", "column of the node that it acts on")
	f.StringVar(&src.Layout.Time, "time", "", "column of the time")
	f.StringVar(&flags.unit, "time-unit", "auto", "what numbers in the time column are: s (or steps), ms, us or ns; auto: s, if they can be")
	f.StringVar(&src.Layout.Label, "label", "", "column of the class: 0, 1, and -1 or nothing where it is not known")
	f.StringSliceVar(&flags.features, "features", []string{"none"}, "columns of numbers (a,b,c), rest (all other columns) or none")
	f.BoolVar(&src.Layout.Bipartite, "bipartite", false, "sources and destinations are different things, even where ids are the same")
	f.StringVar(&flags.separator, "separator", "auto", "auto, comma, tab, semicolon, pipe or space")
	f.BoolVar(&src.Layout.NoHeader, "no-header", false, "the first line is an event; columns go by number")
	f.BoolVar(&src.Layout.Sort, "sort", false, "put events in order of time; those of equal time keep their order")
	f.Float64SliceVar(&flags.shares, "split", []float64{src.Split.Train, src.Split.Val}, "where the train and the validation part end")
	f.StringVar(&src.Split.By, "split-by", src.Split.By, "time (shares of the quantiles of time) or row (of the events)")
	for _, name := range []string{"name", "src", "dst", "time"} {
		_ = cmd.MarkFlagRequired(name) // it fails for unknown flags only
	}
	return cmd
}

func (f importFlags) apply(src *own.Source) (err error) {
	if len(f.shares) != 2 {
		return fmt.Errorf("--split has %d numbers, expected two such as 0.7,0.85", len(f.shares))
	}
	src.Split.Train, src.Split.Val = f.shares[0], f.shares[1]
	switch {
	case len(f.features) == 1 && f.features[0] == "rest":
		src.Layout.Rest = true
	case len(f.features) == 1 && f.features[0] == "none":
	case slices.Contains(f.features, "rest"), slices.Contains(f.features, "none"):
		return fmt.Errorf("--features %s: rest and none stand alone (a column of that name goes by its number)", strings.Join(f.features, ","))
	default:
		src.Layout.Features = f.features
	}
	if src.Layout.Separator, err = datasets.ParseSeparator(f.separator); err != nil {
		return fmt.Errorf("--separator: %w", err)
	}
	if src.Layout.Unit, err = datasets.ParseUnit(f.unit); err != nil {
		return fmt.Errorf("--time-unit: %w", err)
	}
	return nil
}

// remedies are flags under which a file may not be damaged.
var remedies = map[datasets.Option]string{
	datasets.OptionSort:      "--sort puts events in order of time",
	datasets.OptionUnit:      "--time-unit says what they are (s for seconds or steps)",
	datasets.OptionNoHeader:  "--no-header says that the first line is an event, and columns go by number",
	datasets.OptionSeparator: "--separator says what stands between fields",
}

func (o *options) importData(ctx context.Context, src own.Source) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	bar := newBar(o.stderr)
	if isTerminal(o.stderr) {
		bar.open(1, "importing "+src.File)
	}
	src.Progress = bar.progress
	l, err := own.Import(ctx, o.data, src)
	bar.close()
	if err != nil {
		return explainImport(err, src)
	}
	n := l.Stream.Counts()
	fmt.Fprintf(o.stdout, "%s: %d events, %d nodes, %d features\n", filepath.Join(o.data, l.Dataset.Name), n.Events, n.Nodes, n.Features)
	t := table.New(fmt.Sprintf("PART (%s)", l.Dataset.Split), "EVENTS", "POSITIVES")
	ends := []int{0, l.Split.TrainEnd, l.Split.ValEnd, n.Events}
	for i, part := range []string{"train", "validation", "test"} {
		c := l.Stream.Slice(ends[i], ends[i+1]).Counts()
		t.Add(part, c.Events, positives(l.Dataset, c.Positives))
	}
	return table.WriteList(o.stdout, t)
}

// explainImport adds to an error the flag that may help.
func explainImport(err error, src own.Source) error {
	var damage *datasets.Damage
	var place *fs.PathError
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("interrupted: nothing of %s is imported or left behind: %w", src.File, err)
	case errors.As(err, &damage) && damage.Option != datasets.NoOption:
		return fmt.Errorf("%w; %s", err, remedies[damage.Option])
	case errors.As(err, &place) && place.Path != src.File: // the data folder: what was asked for is right
		return failure{err}
	}
	return err
}
