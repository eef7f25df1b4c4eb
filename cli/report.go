package cli

import (
	"bytes"
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
	"dgsbench/specs"

	"github.com/spf13/cobra"
)

// reporting is bench report with its flags and arguments.
type reporting struct {
	shared  *options
	folders []string
	tuned   []string
	files   []string // specs
	target  string
}

func newReport(o *options) *cobra.Command {
	r := &reporting{shared: o}
	cmd := &cobra.Command{
		Use: "report [FOLDER...] [SPEC.yaml...] [FILE.html]", Short: "Write one HTML page of everything that was measured",
		Long: "report writes a page that needs no other file and no network: the tables of the suite, which can be\n" +
			"sorted, figures, learning curves, latency histograms, searches of bench tune, comparisons, specs,\n" +
			"machine, code and checksums of the data. It measures nothing.\n\n" +
			"Several folders of results (two machines, two versions, two devices) stand side by side, with what\n" +
			"differs in their specs, code, machines and data. A folder is an argument or given with --out.\n" +
			"Without FILE.html, the page of one folder is report.html beside its tables.\n\n" + ownSpecs,
		Example: "  bench report\n" +
			"  bench report --suite smoke --out results report.html\n" +
			"  bench report before after comparison.html",
		RunE: func(_ *cobra.Command, args []string) error { return r.run(args) },
	}
	cmd.Flags().StringArrayVar(&r.folders, "out", nil, "folder of results; several times to compare")
	cmd.Flags().Lookup("out").DefValue = "bench-out"
	cmd.Flags().StringArrayVar(&r.tuned, "tuned", nil, "folder that bench tune left, one for each folder of results (default: tuned in that folder)")
	o.addSpecs(cmd)
	o.addData(cmd)
	o.addWhat(cmd)
	o.addDevice(cmd)
	o.addStale(cmd)
	return cmd
}

func (r *reporting) run(args []string) error {
	if err := r.sort(args); err != nil {
		return err
	}
	trials, err := r.shared.trials(r.files, false)
	if err != nil {
		return err
	}
	p, err := untilStill(func() (page.Page, error) { return r.read(trials) })
	if err != nil {
		return err
	}
	return r.write(p)
}

// read summarises what every folder has of the suite.
func (r *reporting) read(trials []specs.Trial) (page.Page, error) {
	p := page.Page{Title: "Searches of bench tune", Command: r.command()}
	for i, name := range r.folders {
		r.shared.out = name
		if n := len(r.folders); n > 1 && isTerminal(r.shared.stderr) {
			fmt.Fprintf(r.shared.stderr, "reading %s, folder %d of %d\n", name, i+1, n)
		}
		f, title, err := r.folder(trials, r.tunedOf(i))
		if err != nil {
			return p, err
		}
		f.Name = name
		p.Folders = append(p.Folders, f)
		if title != "" {
			p.Title = title
		}
	}
	return p, nil
}

// folder is what one folder has of the suite, with the suite's title, and the
// searches that bench tune left in tuned. These may be all that it has.
func (r *reporting) folder(trials []specs.Trial, tuned string) (f page.Folder, title string, err error) {
	if f.Searches, err = tune.Past(tuned); err != nil {
		return f, "", err
	}
	records, err := r.records(trials)
	if err != nil {
		return f, "", err
	}
	if len(records) == 0 && len(f.Searches) > 0 {
		f.Warnings = []string{fmt.Sprintf("no records of suite %s, only searches of bench tune", r.shared.suite)}
		return f, "", nil
	}
	f.Report, err = r.shared.summarise(records, trials, r.files)
	return f, f.Title, err
}

// records takes one folder's records as all commands do; of several folders
// also those of other specs and devices, because that may be what they are
// compared for.
func (r *reporting) records(trials []specs.Trial) ([]record.Record, error) {
	o := r.shared
	if len(r.folders) == 1 {
		return o.records(trials)
	}
	all, err := o.load()
	if err != nil {
		return nil, err
	}
	isOther := func(r record.Record) bool { return !o.ofDevice(r) }
	if some := slices.DeleteFunc(slices.Clone(all), isOther); len(some) > 0 {
		all = some
	}
	records, unclear := results.FitOrForeign(all, trials)
	if unclear > 0 {
		fmt.Fprintf(o.stderr, "%d records in %s are of several other specs and are left out\n", unclear, o.out)
	}
	return o.ofOneClass(records)
}

// sort tells the arguments apart: the page, specs, folders of results.
func (r *reporting) sort(args []string) error {
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
	return r.check()
}

// check refuses folders that are none, and pages without a place.
func (r *reporting) check() error {
	if n := len(r.folders); n > 1 && r.target == "" {
		return fmt.Errorf("%d folders: say which file to write, as in: bench report %s comparison.html", n, strings.Join(r.folders, " "))
	} else if n > page.MostFolders {
		return fmt.Errorf("%d folders, expected %d at most", n, page.MostFolders)
	}
	if len(r.tuned) > len(r.folders) {
		return errors.New("more --tuned than folders of results")
	}
	for i, name := range r.folders {
		if info, err := os.Stat(name); err != nil || !info.IsDir() {
			return fmt.Errorf("%s is no folder of results; expected what --out of bench all was, or a file that ends in .html or .yaml", name)
		}
		r.folders[i] = filepath.Clean(name)
		if slices.Contains(r.folders[:i], r.folders[i]) {
			return fmt.Errorf("%s is given twice", name)
		}
	}
	for _, name := range r.tuned {
		if info, err := os.Stat(name); err != nil || !info.IsDir() {
			return fmt.Errorf("--tuned: %s is no folder; expected the folder tuned in what --out of bench tune was", name)
		}
	}
	return nil
}

// tunedOf is where searches of a folder are.
func (r *reporting) tunedOf(i int) string {
	if i < len(r.tuned) {
		return r.tuned[i]
	}
	return tune.PastDir(r.folders[i])
}

// command makes the page again.
func (r *reporting) command() string {
	args := slices.Concat(r.folders, r.files)
	if r.target != "" {
		args = append(args, r.target)
	}
	return r.shared.commandLine("bench report", args)
}

// write puts the page in its place.
func (r *reporting) write(p page.Page) error {
	target, write := r.target, atomicfile.Write
	if target == "" {
		write = atomicfile.Root(r.folders[0]).Write // where what a killed one leaves is removed
		target = filepath.Join(r.folders[0], r.shared.suite, "report.html")
	}
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		return err
	}
	if err := write(target, out.Bytes()); err != nil {
		return &harness.StoreError{Err: err}
	}
	fmt.Fprintf(r.shared.stderr, "done: %s, %.1f MB; open it in a browser\n", target, float64(out.Len())/1e6)
	return nil
}
