package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// reportSuite has everything that a report shows, and a title that would be a
// tag.
const reportSuite = `name: toy-report
title: <img src=x onerror=alert(1)> Toy
protocol: {batch: 20, epochs: 3}
seeds: 3
runs:
  - {task: nc, datasets: [toy], models: [user-count, raw, graph-sprints]}
  - {task: lp, settings: [T], datasets: [toy], models: [recency-pop, edgebank]}
  - {task: nc, datasets: [toy], models: [raw, graph-sprints], protocol: {latency: {batches: 20, iterations: 3, lead: 40}}}
tables:
  show: [nc, lp, auc-runtime, latency, datasets]
`

// hostile is a model whose name would run as a script.
const hostile = "id: mine\nmodel: raw\ntitle: \"Mine</title></svg><script>alert(1)</script>\"\noptions: {head: {hidden: [8]}}\n"

// reported is a folder with what a report of the toy suite is made of, and the
// arguments that choose it.
func reported(t *testing.T) (dir string, args []string) {
	t.Helper()
	dir = workplace(t)
	write(t, filepath.Join(dir, "specs", "toy-report.yaml"), reportSuite)
	write(t, filepath.Join(dir, "mine.yaml"), hostile)
	args = []string{
		filepath.Join(dir, "mine.yaml"), "--suite", "toy-report", "--specs", filepath.Join(dir, "specs"), "--data", filepath.Join(dir, "data"),
	}
	measure(t, append([]string{"all", "--out", filepath.Join(dir, "out")}, args...)...)
	return dir, args
}

func measure(t *testing.T, args ...string) {
	t.Helper()
	if code, _, stderr := bench(args...); code != exitDone {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
}

// TestReport: one page with everything, the same bytes each time, and nothing
// in it that came from a name is markup.
func TestReport(t *testing.T) {
	dir, args := reported(t)
	measure(t, tuneToy(dir, "out")...)
	report := append([]string{"report", "--out", filepath.Join(dir, "out")}, args...)
	code, stdout, stderr := bench(report...)
	if code != exitDone || stdout != "" || !strings.Contains(stderr, "done: "+filepath.Join(dir, "out", "toy-report", "report.html")) {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if strings.Contains(stderr, "reading") || strings.Contains(stderr, "%") {
		t.Errorf("progress, where nobody can see it:\n%s", stderr)
	}
	page := read(t, dir, "out", "toy-report", "report.html")
	for _, want := range []string{
		"Node classification, test events", "Link prediction, test events", "AUC against runtime", "Latency on toy",
		"Learning curves", "Latency, batches of 20 events", "Tuning", "Specifications", "Pairs of models", "SHA-256", "simulated data",
		"Graph-Sprints on toy, node classification", "3 seeds: loss from", "Best of 6 trials: AUC", "over 60 batches",
		"options.head.hidden", "mine.yaml:4",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q on the page", want)
		}
	}
	for _, curves := range []string{"ROC curves", "Precision and recall", "Calibration", "AUC by day"} { // which the suite does not list
		if !strings.Contains(page, "<h3>"+curves+", test events</h3>") {
			t.Errorf("no figure of %s on the page", curves)
		}
		if strings.Contains(page, "node classification by ") {
			t.Errorf("models are compared by points of curves that the suite does not list")
		}
		if _, printed, _ := bench(append([]string{"tables", "--out", filepath.Join(dir, "out")}, args...)...); strings.Contains(printed, curves) {
			t.Errorf("bench tables prints %s", curves)
		}
	}
	if n := strings.Count(page, "<script"); n != 1 {
		t.Errorf("%d scripts", n)
	}
	if strings.Contains(page, "<img") {
		t.Error("the suite's title is a tag")
	}
	measure(t, report...)
	if again := read(t, dir, "out", "toy-report", "report.html"); again != page {
		t.Error("the second page is not the first")
	}
}

// TestReportSideBySide: folders under another spec stand beside each other,
// and the page says so.
func TestReportSideBySide(t *testing.T) {
	dir, args := reported(t)
	write(t, filepath.Join(dir, "other", "toy-report.yaml"), strings.Replace(reportSuite, "{batch: 20, epochs: 3}", "{batch: 20, epochs: 2}", 1))
	other := []string{"--suite", "toy-report", "--specs", filepath.Join(dir, "other"), "--data", filepath.Join(dir, "data"), "--models", "raw,user-count"}
	measure(t, append([]string{"run", "--seeds", "2", "--out", filepath.Join(dir, "out2")}, other...)...)
	target := filepath.Join(dir, "both.html")
	measure(t, append([]string{"report", filepath.Join(dir, "out"), filepath.Join(dir, "out2"), target}, args...)...)
	page := read(t, target)
	for _, want := range []string{
		"The folders differ in: records; latency measured; specs or seeds.", ">protocol.epochs<", "not measured",
		"B − A", "All tables of B:", "Raw, A", "Raw, B",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q on the page", want)
		}
	}
	row := regexp.MustCompile(`<tr><th scope="row">protocol.epochs</th><td[^>]*>\x{2007}*3</td><td[^>]*>\x{2007}*2</td><td class="words">[^<]*Raw[^<;]* on toy, node classification`)
	if !row.MatchString(page) {
		t.Errorf("the page does not say that Raw had 3 epochs in one folder and 2 in the other: %s", regexp.MustCompile(`.*protocol.epochs.*`).FindString(page))
	}
}

// TestReportOfSearches: a folder of bench tune alone has a report too.
func TestReportOfSearches(t *testing.T) {
	dir := workplace(t)
	measure(t, tuneToy(dir, "out")...)
	target := filepath.Join(dir, "tuning.html")
	measure(t, "report", "--suite", "toy", "--specs", filepath.Join(dir, "specs"), "--data", filepath.Join(dir, "data"), filepath.Join(dir, "out"), target)
	page := read(t, target)
	for _, want := range []string{"Warning: no records of suite toy, only searches of bench tune.", "2, of 12 trials", "What the searches found", "Best of 6 trials: AUC"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q on the page", want)
		}
	}
	for _, without := range []string{`id="tables"`, `id="specs"`, "code version"} {
		if strings.Contains(page, without) {
			t.Errorf("%q, of which there is nothing to say", without)
		}
	}
}

// TestReportUnclear: records of two specs, neither of them that of today,
// cannot be compared.
func TestReportUnclear(t *testing.T) {
	dir, args := reported(t)
	for _, epochs := range []string{"1", "2"} {
		write(t, filepath.Join(dir, "other", "toy-report.yaml"), strings.Replace(reportSuite, "epochs: 3", "epochs: "+epochs, 1))
		measure(t, "run", "--suite", "toy-report", "--specs", filepath.Join(dir, "other"), "--data", filepath.Join(dir, "data"),
			"--models", "raw,user-count", "--tasks", "nc", "--seeds", "1", "--out", filepath.Join(dir, "out2"))
	}
	_, _, stderr := bench(append([]string{"report", filepath.Join(dir, "out"), filepath.Join(dir, "out2"), filepath.Join(dir, "both.html")}, args...)...)
	if !strings.Contains(stderr, "are of several other specs and are left out") {
		t.Errorf("nothing is said about them:\n%s", stderr)
	}
}

// TestReportWrongUse: exit code 2 and one line that says what is wrong.
func TestReportWrongUse(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "bench-out is not a folder of results"},
		{[]string{"nowhere"}, "nowhere is not a folder of results; expected what --out of bench all was"},
		{[]string{"a", "."}, "2 folders: say which file to write, as in: bench report a . comparison.html"},
		{[]string{"a", "a/", "x.html"}, "a/ is given twice"},
		{[]string{"a", "x.html", "y.html"}, "two pages, x.html and y.html"},
		{[]string{"a", "--tuned", "nowhere"}, "--tuned: nowhere is not a folder"},
		{[]string{"a", "--tuned", "a", "--tuned", "."}, "more --tuned than folders of results"},
		{[]string{"a", "--suite", "smoke"}, "no records of suite smoke in a; measure it with: bench all --suite smoke --out a"},
	} {
		code, stdout, stderr := bench(append([]string{"report"}, c.args...)...)
		lines := strings.Split(strings.TrimSpace(stderr), "\n")
		if last := lines[len(lines)-1]; code != exitUsage || stdout != "" || !strings.Contains(last, c.want) {
			t.Errorf("report %s: exit code %d, expected %q in\n%s%s", c.args, code, c.want, stdout, stderr)
		}
	}
}
