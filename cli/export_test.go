package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"
)

// checkpoint writes one of an untrained model with two features, and returns its path.
func checkpoint(t *testing.T, kind string, task protocol.Task) string {
	t.Helper()
	k, err := models.Lookup(kind)
	if err != nil {
		t.Fatal(err)
	}
	setup := models.Setup{
		Task: task, NumNodes: 3, NumFeat: 2, MaxBatch: 1, Threads: 1, Columns: []string{"amount", "hour"},
		Train: datasets.Stream{NumNodes: 3, NumFeat: 2},
	}
	m, err := k.New(setup, k.Options())
	if err != nil {
		t.Fatal(err)
	}
	data, err := models.Save(m, k, setup, k.Options(), `{"kind": "`+kind+`", "task": "`+string(task)+`", "options": {}}`).Encode()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.safetensors")
	write(t, path, string(data))
	return path
}

// TestExport: a file is written at once, and printed as it is.
func TestExport(t *testing.T) {
	to := filepath.Join(t.TempDir(), "new", "dgs.onnx")
	code, stdout, stderr := bench("export", checkpoint(t, "dgs", protocol.NodeClassification), to)
	if code != exitDone {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	var rows [][]string
	for line := range strings.Lines(stdout) {
		if f := strings.Fields(line); len(f) > 1 && (f[0] == "input" || f[0] == "output") {
			rows = append(rows, f[:min(5, len(f))])
		}
	}
	want := [][]string{
		{"input", "features", "n", "x", "2"}, {"input", "source_state", "n", "x", "100"}, {"input", "destination_state", "n", "x", "100"},
		{"output", "logit", "n", "one", "an"}, {"output", "new_source_state", "n", "x", "100"}, {"output", "new_destination_state", "n", "x", "100"},
	}
	if !slices.EqualFunc(rows, want, slices.Equal) || !strings.HasPrefix(stdout, to+": ") {
		t.Errorf("printed\n%s", stdout)
	}
	files, err := os.ReadDir(filepath.Dir(to))
	if err != nil || len(files) != 1 || !strings.Contains(read(t, to), `["amount","hour"]`) {
		t.Errorf("%v, files %v", err, files)
	}
}

// TestExportRefused: what cannot be written, or not there, is named, and leaves nothing.
func TestExportRefused(t *testing.T) {
	dir := t.TempDir()
	good, out := checkpoint(t, "dgs", protocol.NodeClassification), filepath.Join(dir, "out.onnx")
	text := read(t, good)
	write(t, filepath.Join(dir, "cut.safetensors"), text[:len(text)-4])
	write(t, filepath.Join(dir, "file"), "")
	if err := os.Mkdir(filepath.Join(dir, "folder.onnx"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, to string
		code     int
		want     string
	}{
		{checkpoint(t, "jodie", protocol.NodeClassification), out, exitUsage, "a model of kind jodie is no graph of the event's features and of its two states; known: [dgs graphsprints raw]"},
		{checkpoint(t, "dgs", protocol.LinkPrediction), out, exitUsage, "a model of task lp, expected one of nc"},
		{filepath.Join(dir, "none.safetensors"), out, exitUsage, "no such file"},
		{filepath.Join(dir, "cut.safetensors"), out, exitUsage, "cut.safetensors"},
		{good, good, exitUsage, "expected a name that ends in .onnx"},
		{good, filepath.Join(dir, "folder.onnx"), exitUsage, "is a folder"},
		{good, filepath.Join(dir, "file", "out.onnx"), exitUsage, "not a directory"},
		{good, filepath.Join("/proc", "out.onnx"), exitFailed, "/proc"},
	} {
		code, stdout, stderr := bench("export", c.from, c.to)
		if code != c.code || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("export %s %s: exit code %d, expected %d with %q\n%s%s", c.from, c.to, code, c.code, c.want, stdout, stderr)
		}
	}
	if _, err := os.Stat(out); err == nil || read(t, good) != text {
		t.Error("a file that was refused has been written")
	}
}
