package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"dgsbench/datasets"
	"dgsbench/datasets/own"
	"dgsbench/internal/regular"
	"dgsbench/results/table"

	"github.com/spf13/cobra"
)

// importing is bench data import with its flags.
type importing struct {
	options
	own.Source
	features        []string
	missing         []string
	separator, unit string
	shares          []float64
}

func newImport(o options) *cobra.Command {
	i := &importing{options: o, Source: own.Source{Split: own.DefaultSplit, Categories: own.DefaultCategories}}
	cmd := i.with("data quiet", &cobra.Command{
		Use: "import FILE...", Short: "Make a dataset out of an event log", Args: cobra.MinimumNArgs(1),
		Long: "import reads CSV files (also compressed by gzip or zstd) with one event a line,\n" +
			"or Parquet files with one event a row, and makes a dataset of them, which is\n" +
			"then used by its name like any other. Several files are one stream, in this\n" +
			"order; - is standard input. Columns go by name, or by number from 1; columns\n" +
			"that are not named are not read. Times are numbers or ISO 8601. Read\n" +
			"docs/your-data.md for an example.",
		Example: "  bench data import docs/your-data/payments.csv --name payments " +
			"--src account --dst shop --bipartite --time paid_at --label fraud --features amount,retries",
		RunE: func(cmd *cobra.Command, args []string) error {
			i.Files, i.Input = args, cmd.InOrStdin()
			return i.run(cmd.Context())
		},
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
	f.StringSliceVar(&i.Categories.Columns, "categories", nil, "columns of text that become features: columns of 0 and 1")
	f.IntVar(&i.Categories.OneHot, "one-hot", i.Categories.OneHot, "texts of a category in the train part, at most, that have a column each")
	f.IntVar(&i.Categories.Hashed, "hashed", i.Categories.Hashed, "columns that the texts of a category share if they are more")
	f.StringSliceVar(&i.missing, "missing", nil, "what takes the place of missing features: a number or mean (of the train part); NAME=FILL for one column")
	f.BoolVar(&i.Replace, "replace", false, "replace the dataset of this name that was imported before")
	f.BoolVar(&i.Layout.Bipartite, "bipartite", false, "sources and destinations are different things, even where ids are the same")
	f.StringVar(&i.separator, "separator", "auto", "auto, comma, tab, semicolon, pipe or space")
	f.BoolVar(&i.Layout.NoHeader, "no-header", false, "the first line is an event; columns go by number")
	f.BoolVar(&i.Layout.Sort, "sort", false, "put events in order of time; those of equal time keep their order")
	f.Float64SliceVar(&i.shares, "split", []float64{i.Split.Train, i.Split.Val}, "where the train and the validation part end")
	f.StringVar(&i.Split.By, "split-by", i.Split.By, "time (shares of the quantiles of time) or row (of the events)")
	return cmd
}

// firstLine is as much of a file's first line as a message shows.
const firstLine = 400

// needed fails where a flag is missing without which nothing can be imported,
// and shows the names of the columns to choose from.
func (i *importing) needed() error {
	var missing []string
	for flag, value := range map[string]string{"--name": i.Name, "--src": i.Layout.Src, "--dst": i.Layout.Dst, "--time": i.Layout.Time} {
		if value == "" {
			missing = append(missing, flag)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	err := fmt.Errorf("required flags are not set: %s", strings.Join(missing, ", "))
	if i.Files[0] == own.Stdin {
		return err
	}
	file, _, openErr := regular.Open(i.Files[0], math.MaxInt64)
	if openErr != nil {
		return openErr
	}
	defer file.Close()
	text := make([]byte, firstLine)
	n, _ := io.ReadFull(file, text) // a shorter file is read as far as it goes
	line, _, _ := strings.Cut(string(text[:n]), "\n")
	if !utf8.ValidString(line) || strings.ContainsRune(line, 0) {
		return err // compressed, or Parquet
	}
	return fmt.Errorf("%w; %s begins with %q", err, i.Files[0], strings.TrimSuffix(line, "\r"))
}

// complete sets what is not a flag as it is.
func (i *importing) complete() (err error) {
	if len(i.shares) != 2 {
		return fmt.Errorf("--split has %d numbers, expected two such as 0.7,0.85", len(i.shares))
	}
	i.Split.Train, i.Split.Val = i.shares[0], i.shares[1]
	if files := slices.DeleteFunc(slices.Clone(i.Files), func(f string) bool { return f != own.Stdin }); len(files) > 1 {
		return errors.New("standard input (-) is named more than once")
	}
	for _, text := range i.missing {
		if err := i.addMissing(text); err != nil {
			return fmt.Errorf("--missing %s: %w", text, err)
		}
	}
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

// addMissing reads a value of --missing, FILL or NAME=FILL.
func (i *importing) addMissing(text string) error {
	name, fill := "", text
	if k := strings.LastIndexByte(text, '='); k >= 0 {
		name, fill = text[:k], text[k+1:]
	}
	f, err := own.ParseFill(fill)
	switch {
	case err != nil:
		return err
	case name != "":
		i.MissingOf = append(i.MissingOf, own.ColumnFill{Column: name, Fill: f})
	case i.Missing != nil:
		return errors.New("a second value for all features, expected one")
	default:
		i.Missing = &f
	}
	return nil
}

func (i *importing) run(ctx context.Context) error {
	if err := i.needed(); err != nil {
		return err
	}
	if err := i.complete(); err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	bar := i.newBar()
	if isTerminal(bar.out) {
		bar.open(1, "importing "+strings.Join(i.Files, ", "))
	}
	i.Progress = bar.progress
	l, err := own.Import(ctx, i.data, i.Source)
	bar.close()
	if err != nil {
		return explainImport(err, i.Files)
	}
	n := l.Stream.Counts()
	fmt.Fprintf(i.stdout, "%s: %d events, %d nodes, %d features\n", filepath.Join(i.data, l.Dataset.Name), n.Events, n.Nodes, n.Features)
	t := table.New(fmt.Sprintf("PART (%s)", l.Dataset.Split), "EVENTS", "POSITIVES")
	for k, part := range l.Split.Parts(l.Stream) {
		c := part.Counts()
		t.Add(datasets.PartNames[k], c.Events, positives(l.Dataset, c.Positives))
	}
	if err := table.WriteList(i.stdout, t); err != nil {
		return err
	}
	for _, line := range l.Columns {
		fmt.Fprintln(i.stdout, line)
	}
	return nil
}

// remedies are flags under which a file may not be damaged.
var remedies = map[datasets.Option]string{
	datasets.OptionSort:      "--sort puts events in order of time",
	datasets.OptionUnit:      "--time-unit says what they are (s for seconds or steps)",
	datasets.OptionNoHeader:  "--no-header says that the first line is an event, and columns go by number",
	datasets.OptionSeparator: "--separator says what stands between fields",
	datasets.OptionMissing:   "--missing mean, or a number, takes the place of missing values (--missing NAME=0: of one column)",
	datasets.OptionCategory:  "--categories NAME makes columns of 0 and 1 of a text",
}

// explainImport adds to an error the flag that may help.
func explainImport(err error, files []string) error {
	var damage *datasets.Damage
	var place *fs.PathError
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("interrupted: nothing of %s is imported or left behind: %w", strings.Join(files, ", "), err)
	case errors.As(err, &damage) && damage.Option != datasets.NoOption:
		return fmt.Errorf("%w; %s", err, remedies[damage.Option])
	case errors.As(err, &place) && !slices.Contains(files, place.Path): // the data folder: what was asked for is right
		return failure{err}
	}
	return err
}
