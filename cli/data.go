package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"dgsbench/datasets"
	"dgsbench/datasets/fetch"
	"dgsbench/datasets/own"
	"dgsbench/results/table"

	"github.com/spf13/cobra"
)

func newData(o options) *cobra.Command {
	cmd := &cobra.Command{Use: "data", Short: "List, describe, import, fetch and verify datasets"}
	asGroup(cmd)
	cmd.AddCommand(o.with("data json", &cobra.Command{
		Use: "list", Short: "List the datasets and whether their files are there", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return o.listData() },
	}), o.with("data json", &cobra.Command{
		Use: "stats NAME", Short: "Read a dataset and count what is in it", Args: cobra.ExactArgs(1),
		Example: "  bench data stats wikipedia-nofeat --data ~/streams",
		RunE:    func(_ *cobra.Command, args []string) error { return o.dataStats(args[0]) },
	}), o.with("data dry-run quiet", &cobra.Command{
		Use: "fetch NAME", Short: "Download a dataset, or resume its download", Args: cobra.ExactArgs(1),
		Long: "fetch downloads the file of a dataset to the data folder. It may be interrupted:\n" +
			"the same command goes on. The file gets its name when its checksum is right.",
		Example: "  bench data fetch wikipedia --data ~/streams",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.fetch(cmd.Context(), args[0]) },
	}), o.with("data json", &cobra.Command{
		Use: "verify [NAME...]", Short: "Check the files of datasets: all that are there, or those named",
		Long: "verify compares files with their known checksums, or, where none is known, with\n" +
			"the counts of what must be in them.",
		Example: "  bench data verify --data ~/streams\n  bench data verify wikipedia --data ~/streams",
		RunE:    func(_ *cobra.Command, names []string) error { return o.verify(names) },
	}), newImport(o), newRemove(o), newNames(o))
	return cmd
}

// datasetEntry is a dataset of bench data list.
type datasetEntry struct {
	Name     string `json:"name"`
	Title    string `json:"title"`
	Here     string `json:"here"` // made, yes, no or damaged
	Events   *int   `json:"events"`
	Nodes    *int   `json:"nodes"`
	Features int    `json:"features"`
	Labelled bool   `json:"labelled"`
	Split    string `json:"split"`
	From     string `json:"from"`
	Fetch    bool   `json:"fetch"` // bench data fetch downloads it
	Import   bool   `json:"import"`

	columns string // what models get
}

func (o *options) listData() error {
	var list []datasetEntry
	for _, name := range datasets.Names() {
		d, err := datasets.Lookup(name)
		if err != nil {
			return err
		}
		list = append(list, datasetEntry{
			Name: name, Title: d.Title, Here: o.presence(d), Events: known(d.Want.Events), Nodes: known(d.Want.Nodes),
			Features: d.Want.Features, Labelled: d.Labelled, Split: d.Split.String(), From: d.URL, Fetch: d.Served(), Import: d.Imported, columns: features(d),
		})
	}
	return o.printValue(list, func(w io.Writer) error { return o.printDatasets(w, list) })
}

func (o *options) printDatasets(w io.Writer, list []datasetEntry) error {
	t := table.New("DATASET", "HERE", "EVENTS", "NODES", "FEATURES", "SPLIT", "FROM")
	t.Columns[2].Right, t.Columns[3].Right = true, true
	number := func(n *int) any {
		if n == nil {
			return "?"
		}
		return *n
	}
	var served []string
	for _, d := range list {
		if d.Fetch {
			served = append(served, d.Name)
		}
		t.Add(d.Name, d.Here, number(d.Events), number(d.Nodes), d.columns, d.Split, d.From)
	}
	if err := table.WriteList(w, t); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nmade: simulated when it is used, also at another size: NAME@0.1\n"+
		"yes, no: whether its file is in %s (--data DIR looks elsewhere)\n"+
		"`bench data fetch NAME` downloads: %s\n"+
		"`bench data import FILE` makes a dataset of your own file\n", o.data, strings.Join(served, ", "))
	return err
}

// known returns a count, or nil if it is not known.
func known(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

// features returns the number of feature columns of the file, and what models
// get where it is not these.
func features(d datasets.Dataset) string {
	text := strconv.Itoa(d.Want.Features)
	switch {
	case d.Imported && d.Want.Features > 0:
		text += ", standardised"
	case len(d.Features) > 0:
		text += ", and derived"
	}
	return text
}

// presence returns "made" (simulated), "yes", "no" or "damaged".
func (o *options) presence(d datasets.Dataset) string {
	switch {
	case d.Damaged != nil:
		return "damaged"
	case d.File == "":
		return "made"
	case d.Present(o.data) != nil:
		return "no"
	}
	return "yes"
}

func (o *options) dataStats(name string) error {
	d, err := datasets.Lookup(name)
	if err != nil {
		return err
	}
	loaded, err := d.Load(o.data)
	if err != nil {
		return err
	}
	s, err := loaded.Describe()
	if err != nil {
		return err
	}
	return o.printValue(s, func(w io.Writer) error { return printStats(w, loaded, s) })
}

// positives formats a number of positive events, which unlabelled data has not.
func positives(d datasets.Dataset, n int) string {
	if d.Labelled {
		return strconv.Itoa(n)
	}
	return "–"
}

// constantFeatures lists the names of the first ten.
func constantFeatures(d datasets.Dataset, numbers []int) string {
	const limit = 10
	var names []string
	for _, i := range numbers[:min(limit, len(numbers))] {
		name := fmt.Sprintf("number %d", i+1)
		if i < len(d.Layout.Features) {
			name = d.Layout.Features[i]
		}
		names = append(names, name)
	}
	if len(numbers) > limit {
		names = append(names, "and others")
	}
	return strings.Join(names, ", ")
}

func printStats(out io.Writer, l *datasets.Loaded, s datasets.Stats) error {
	t := table.New("", "")
	row := func(what, format string, args ...any) { t.Add(what, fmt.Sprintf(format, args...)) }
	d := l.Dataset
	row("dataset", "%s", d.Title)
	row("citation", "%s", d.Citation)
	row("licence", "%s", d.Licence)
	row("from", "%s", d.URL)
	row("SHA-256", "%s", l.SHA256)
	row("events", "%d", s.Events)
	row("nodes", "%d", s.Nodes)
	if s.Users > 0 {
		row("users, items", "%d, %d", s.Users, s.Items)
	}
	row("destinations", "%d", s.Destinations)
	row("features in the file", "%d", s.Features)
	if n := len(s.Constant); n > 0 {
		row("features that are constant", "%d: %s", n, constantFeatures(d, s.Constant))
	}
	row("time span", "%.0f s, %d different times", s.Span, s.Distinct)
	row("events at the time of the one before", "%d", s.EqualTimes)
	row("self loops", "%d", s.SelfLoops)
	row("split", "%s", d.Split)
	for i, part := range datasets.PartNames {
		row("  "+part, "%d events, %s positive", s.Parts[i].Events, positives(d, s.Parts[i].Positives))
	}
	share := ""
	if d.Labelled {
		share = fmt.Sprintf(" (%.3f %%), %d on their source's last event", 100*float64(s.Positives)/float64(s.Events), s.LastPositives)
	}
	row("positive labels", "%s%s", positives(d, s.Positives), share)
	row("pair seen before", "%.1f %%", 100*s.RepeatPairs)
	row("goes where its source went last", "%.1f %%", 100*s.SameAgain)
	row("batches of 200", "%.1f different nodes; %.1f %% of events meet a node of their batch; %.1f %% of writes survive",
		s.Batches.Nodes, 100*s.Batches.Stale, 100*s.Batches.Surviving)
	row("inductive", "%d nodes held out, %d new; %d train, %d validation, %d test events",
		s.Inductive.HeldOut, s.Inductive.NewNodes, s.Inductive.Train, s.Inductive.Val, s.Inductive.Test)
	for _, note := range d.Notes {
		row("note", "%s", note)
	}
	return table.WriteList(out, t)
}

func (o *options) fetch(ctx context.Context, name string) error {
	d, err := datasets.Lookup(name)
	if err != nil {
		return err
	}
	if err := fetch.Fetchable(d); err != nil {
		return err
	}
	path := filepath.Join(o.data, d.File)
	if o.dryRun {
		if d.Present(o.data) == nil {
			_, err = fmt.Fprintf(o.stdout, "%s is there, and would be verified\n", path)
		} else {
			_, err = fmt.Fprintf(o.stdout, "would download %s to %s, of which %d bytes are there\n", d.URL, path, fetch.Begun(d, o.data))
		}
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	bar := o.newBar()
	waiting := func(path string) {
		fmt.Fprintf(o.progress(), "another process is downloading %s: waiting for it\n", path)
	}
	err = fetch.Fetcher{Progress: bar.bytes, Wait: waiting}.Fetch(ctx, d, o.data)
	bar.close()
	switch {
	case errors.Is(err, fetch.ErrComplete):
		fmt.Fprintln(o.progress(), "nothing to do:", err)
		return nil
	case err != nil:
		return failure{err}
	}
	return o.done(fmt.Sprintf("%s is in %s", d.Name, path), false)
}

// verified is a file that bench data verify has checked.
type verified struct {
	Dataset string `json:"dataset"`
	Whole   bool   `json:"whole"`
	Problem string `json:"problem,omitempty"`
}

// verify checks the files after a damaged one, too, and fails at the end.
func (o *options) verify(names []string) error {
	all := len(names) == 0
	if all {
		names = datasets.Names()
	}
	files, bad := []verified{}, 0
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
		err = d.Verify(o.data)
		if err == nil && d.Imported {
			err = own.Verify(o.data, name)
		}
		switch {
		case all && errors.Is(err, fs.ErrNotExist):
		case err != nil:
			bad++
			files = append(files, verified{name, false, err.Error()})
			fmt.Fprintln(o.stderr, err)
		default:
			files = append(files, verified{name, true, ""})
			if !o.asJSON {
				fmt.Fprintf(o.stdout, "%s: whole\n", name)
			}
		}
	}
	switch {
	case o.asJSON:
		if err := writeJSON(o.stdout, files); err != nil {
			return err
		}
	case len(files) == 0:
		fmt.Fprintf(o.stdout, "no files of datasets in %s\n", o.data)
	}
	if bad > 0 {
		return failure{fmt.Errorf("%d of %d files in %s are damaged or missing", bad, len(files), o.data)}
	}
	return nil
}
