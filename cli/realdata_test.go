//go:build unix

package cli

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// realData is the folder with the real streams.
func realData(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("DGSBENCH_DATA")
	if dir == "" {
		t.Skip("DGSBENCH_DATA is not set: no real data")
	}
	return dir
}

// csvRows reads CSV into one map a line.
func csvRows(t *testing.T, text string) []map[string]string {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		out = append(out, row)
	}
	return out
}

// processorTime is what this process has used so far: unlike the time on the
// wall, it does not depend on what else the machine does.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestRealDataZeroParameterRows: `bench all` prints, from the files to the
// CSV, the numbers of testdata/zero-parameter.csv to four digits, in ten
// seconds of processor time. They were computed independently of this project; EdgeBank's .527
// and .495 stand on TGB's leaderboard too.
func TestRealDataZeroParameterRows(t *testing.T) {
	data, out := realData(t), t.TempDir()
	suite := filepath.Join("testdata", "zero-parameter.yaml")
	start := processorTime(t)
	code, _, stderr := bench("all", suite, "--data", data, "--out", out)
	if code != exitDone {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	if took := processorTime(t) - start; took > 10*time.Second {
		t.Errorf("it took %v, expected at most 10 s", took)
	}
	got := map[string]string{}
	key := func(r map[string]string) string {
		return strings.Join([]string{r["dataset"], r["task"], r["setting"], r["model"], r["variant"], r["candidates"], r["split"], r["metric"]}, " ")
	}
	_, text, _ := bench("results", suite, "--out", out)
	for _, row := range csvRows(t, text) {
		got[key(row)] = row["mean"]
	}
	for _, row := range csvRows(t, read(t, "testdata", "zero-parameter.csv")) {
		want, err := strconv.ParseFloat(row["mean"], 64)
		if err != nil {
			t.Fatal(err)
		}
		mean, err := strconv.ParseFloat(got[key(row)], 64)
		if err != nil || math.Abs(mean-want) > .5e-4 {
			t.Errorf("%s: %q, expected %.4f", key(row), got[key(row)], want)
		}
	}
}
