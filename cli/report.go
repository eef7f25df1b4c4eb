package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dgsbench/harness"
	"dgsbench/harness/tune"
	"dgsbench/internal/atomicfile"
	"dgsbench/results"
	"dgsbench/results/page"
	"dgsbench/results/record"

	"github.com/spf13/cobra"
)

// reporting is bench report with its flags and arguments.
type reporting struct {
	options
	folders []string
	tuned   []string
	files   []string // specs
	target  string
}

func newReport(o options) *cobra.Command {
	r := &reporting{options: o}
	cmd := r.with(suiteFlags+"specs data device allow-stale quiet", &cobra.Command{
		Use: "report [FOLDER...] [SPEC.yaml...] [FILE.html]", Short: "Write one HTML page of everything that was measured",
		Long: "report writes a page that needs no other file and no network: the summary and\n" +
			"tables of the suite; figures, comparisons, learning curves and latency\n" +
			"histograms of each dataset; searches of bench tune, specs, machine, code and\n" +
			"checksums of the data. It measures nothing.\n\nSeveral folders of results (two machines, two versions, two devices) stand side\n" +
			"by side, with what differs in their specs, code, machines and data. A folder is\n" +
			"an argument or given with --out. Without FILE.html, the page of one folder is\nreport.html beside its tables.\n\n" + ownSpecs,
		Example: "  bench report\n" +
			"  bench report --suite smoke --out results report.html\n" +
			"  bench report before after comparison.html",
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), args) },
	})
	cmd.Flags().StringArrayVar(&r.folders, "out", nil, "folder of results; several times to compare")
	cmd.Flags().Lookup("out").DefValue = "bench-out"
	cmd.Flags().StringArrayVar(&r.tuned, "tuned", nil,
		"folder that bench tune left, one for each folder of results (default: tuned in that folder)")
	return cmd
}

func (r *reporting) run(ctx context.Context, args []string) error {
	if err := r.sortArguments(args); err != nil {
		return err
	}
	if err := r.checkFolders(); err != nil {
		return err
	}
	r.out = r.folders[0] // where a standard suite is
	s, err := r.choose(ctx, r.files, false)
	if err != nil {
		return err
	}
	p, err := retryReplaced(func() (page.Page, error) { return r.read(s) })
	if err != nil {
		return err
	}
	return r.write(p, s.suite)
}

// sortArguments finds the page, specs and folders of results.
func (r *reporting) sortArguments(args []string) error {
	for _, arg := range args {
		switch filepath.Ext(arg) {
		case ".html":
			if r.target != "" {
				return fmt.Errorf("two pages, %s and %s: expected one FILE.html", r.target, arg)
			}
			r.target = arg
		case ".yaml", ".yml":
			r.files = append(r.files, arg)
		default:
			r.folders = append(r.folders, arg)
		}
	}
	if len(r.folders) == 0 {
		r.folders = []string{"bench-out"}
	}
	return nil
}

// checkFolders reports folders that are none, and pages without a name.
func (r *reporting) checkFolders() error {
	if n := len(r.folders); n > 1 && r.target == "" {
		return fmt.Errorf("%d folders: say which file to write, as in: bench report %s comparison.html", n, strings.Join(r.folders, " "))
	} else if n > page.MostFolders {
		return fmt.Errorf("%d folders, expected %d at most", n, page.MostFolders)
	}
	if len(r.tuned) > len(r.folders) {
		return errors.New("more --tuned than folders of results")
	}
	isFolder := func(name string) bool {
		info, err := os.Stat(name)
		return err == nil && info.IsDir()
	}
	for i, name := range r.folders {
		if !isFolder(name) {
			return fmt.Errorf("%s is not a folder of results; expected what --out of bench all was, or a file that ends in .html or .yaml", name)
		}
		r.folders[i] = filepath.Clean(name)
		if slices.Contains(r.folders[:i], r.folders[i]) {
			return fmt.Errorf("%s is given twice", name)
		}
	}
	for _, name := range r.tuned {
		if !isFolder(name) {
			return fmt.Errorf("--tuned: %s is not a folder; expected the folder tuned in what --out of bench tune was", name)
		}
	}
	return nil
}

// read summarises what every folder has of the suite.
func (r *reporting) read(s selection) (page.Page, error) {
	args := slices.Concat(r.folders, r.files)
	if r.target != "" {
		args = append(args, r.target)
	}
	p := page.Page{Title: "Searches of bench tune", Command: s.commandLine("bench report", args)}
	for i, name := range r.folders {
		if n := len(r.folders); n > 1 && isTerminal(r.progress()) {
			fmt.Fprintf(r.progress(), "reading %s, folder %d of %d\n", name, i+1, n)
		}
		tuned := tune.PastDir(name)
		if i < len(r.tuned) {
			tuned = r.tuned[i]
		}
		s.out = name
		f, err := r.folder(s, tuned)
		if err != nil {
			return p, err
		}
		p.Folders = append(p.Folders, f)
		p.Title = cmp.Or(f.Title, p.Title)
	}
	return p, nil
}

// folder returns what one folder has of the suite, and the searches of bench tune
// in the folder tuned. These may be all that it has.
func (r *reporting) folder(s selection, tuned string) (f page.Folder, err error) {
	f.Name = s.out
	if f.Searches, err = tune.Past(tuned); err != nil {
		return f, err
	}
	read := s.records
	if len(r.folders) > 1 {
		read = s.comparedRecords
	}
	records, err := read()
	if err != nil {
		return f, err
	}
	if len(records) == 0 && len(f.Searches) > 0 {
		f.Warnings = []string{fmt.Sprintf("no records of suite %s, only searches of bench tune", s.suite)}
		return f, nil
	}
	f.Report, err = s.summarise(records, true)
	return f, err
}

// comparedRecords returns the records of one folder of several: also those of other
// specs and devices, because that may be what the folders are compared for.
func (s selection) comparedRecords() ([]record.Record, error) {
	all, err := s.load()
	if err != nil {
		return nil, err
	}
	isOther := func(r record.Record) bool { return !s.ofDevice(r) }
	if some := slices.DeleteFunc(slices.Clone(all), isOther); len(some) > 0 {
		all = some
	}
	records, unclear := results.FitOrForeign(all, s.trials)
	if unclear > 0 {
		fmt.Fprintf(s.stderr, "%d records in %s are of several other specs and are left out\n", unclear, s.out)
	}
	return s.ofOneClass(records)
}

func (r *reporting) write(p page.Page, suite string) error {
	target, write := r.target, atomicfile.Write
	if target == "" {
		write = atomicfile.Root(r.folders[0]).Write // below which the next command removes what a killed one was writing
		target = filepath.Join(r.folders[0], suite, "report.html")
	}
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		return err
	}
	if err := write(target, out.Bytes()); err != nil {
		return &harness.StoreError{Err: err}
	}
	return r.done(fmt.Sprintf("%s, %.1f MB; open it in a browser", target, float64(out.Len())/1e6), false)
}
