package cli

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dgsbench/kernels/devices"
	"dgsbench/results/record"
)

// What narrows the kernels of a process on amd64.
const (
	noAVX512 = "GODEBUG=cpu.avx512f=off"
	portable = "GODEBUG=cpu.avx2=off"
)

// hasVectors reports whether this build and processor have a level to leave.
func hasVectors() bool { return devices.Target{}.Name() == "cpu/vector" }

// forced runs bench in a process of its own with other kernels.
func forced(t *testing.T, kernels string, args ...string) (stdout, stderr string) {
	t.Helper()
	if !hasVectors() {
		t.Skip("this build or processor has only portable kernels")
	}
	cmd, out, err := process(args...)
	cmd.Env = append(cmd.Env, kernels)
	if e := cmd.Run(); e != nil {
		t.Fatalf("%s bench %s: %v\n%s%s", kernels, strings.Join(args, " "), e, out, err)
	}
	return out.String(), err.String()
}

// TestVersion: the class of the kernels and their exact level.
func TestVersion(t *testing.T) {
	for kernels, want := range map[string][2]string{
		noAVX512: {"kernels   cpu/vector\n", ", avx2 kernels\n"},
		portable: {"kernels   cpu/portable-amd64", ", portable kernels\n"},
	} {
		if text, _ := forced(t, kernels, "version"); !strings.Contains(text, want[0]) || !strings.HasSuffix(text, want[1]) {
			t.Errorf("%s: %s", kernels, text)
		}
	}
}

// TestKernelsShareFolder: what any vector kernels have measured is measured for
// all of them, and nothing of it for portable ones; no table has both.
func TestKernelsShareFolder(t *testing.T) {
	dir := workplace(t)
	args := all(dir, "out", "--tasks", "nc", "--seeds", "2", "--models", "raw")
	if code, _, stderr := bench(args...); code != exitDone || !strings.Contains(stderr, "2 trials measured, 0 found") {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	if _, stderr := forced(t, noAVX512, args...); !strings.Contains(stderr, "0 trials measured, 2 found") {
		t.Errorf("AVX2 after the best level:\n%s", stderr)
	}
	_, stderr := forced(t, portable, args...)
	if !strings.Contains(stderr, "2 trials measured, 0 found") || !strings.Contains(stderr, "2 records in "+filepath.Join(dir, "out")+" are of other kernels (cpu/vector) and are left out") {
		t.Errorf("portable kernels after vector kernels:\n%s", stderr)
	}

	all, _, err := record.Store{Dir: filepath.Join(dir, "out")}.Load("toy")
	if err != nil || len(all) != 4 {
		t.Fatalf("%d records, %v", len(all), err)
	}
	for _, r := range all {
		if isPortable := strings.HasPrefix(r.Device, "cpu/portable-amd64"); isPortable != strings.HasSuffix(r.Machine, ", portable kernels") || !isPortable && r.Device != "cpu/vector" {
			t.Errorf("device %s, machine %s", r.Device, r.Machine)
		}
	}

	_, rows, stderr := bench(append([]string{"results"}, where(dir)...)...)
	if strings.Count(rows, ",cpu/vector,") != strings.Count(rows, "\n")-1 || !strings.Contains(stderr, "other kernels (cpu/portable-amd64") {
		t.Errorf("vector kernels show\n%s%s", rows, stderr)
	}
	if rows, _ := forced(t, portable, append([]string{"results"}, where(dir)...)...); strings.Count(rows, ",cpu/portable-amd64") != strings.Count(rows, "\n")-1 {
		t.Errorf("portable kernels show\n%s", rows)
	}
}

// TestOneClass: a folder of another machine can be read, one of several others
// cannot.
func TestOneClass(t *testing.T) {
	own := devices.Target{}.Name()
	for _, c := range []struct {
		have, want []string
		stderr     string
		err        string
	}{
		{nil, nil, "", ""},
		{[]string{own, own}, []string{own, own}, "", ""},
		{[]string{"cpu/a", own, "cpu/b"}, []string{own}, "2 records in out are of other kernels (cpu/a, cpu/b) and are left out: this build's are " + own + "\n", ""},
		{[]string{"cpu/a", "cpu/a"}, []string{"cpu/a", "cpu/a"}, "all records in out are of other kernels (cpu/a) than this build's, " + own + "\n", ""},
		{[]string{"cpu/b", "cpu/a"}, nil, "", "several classes of kernels (cpu/a, cpu/b), and none of this build's"},
	} {
		var stderr bytes.Buffer
		o := &options{out: "out", device: devices.CPU, stderr: &stderr}
		var records []record.Record
		for _, device := range c.have {
			records = append(records, record.Record{Device: device})
		}
		some, err := o.ofOneClass(records)
		var got []string
		for _, r := range some {
			got = append(got, r.Device)
		}
		if !slices.Equal(got, c.want) || stderr.String() != c.stderr || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%v: %v, %v, %s", c.have, got, err, &stderr)
		}
	}
}
