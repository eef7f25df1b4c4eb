//go:build gpu && cu

package driver_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// noCard is a driver that finds no card.
const noCard = `
int cuInit(unsigned flags) { return 100; }
int cuGetErrorName(int error, const char **name) { *name = "NO_DEVICE"; return 0; }
int cuGetErrorString(int error, const char **text) { return 1; }
`

// TestNoCard: a program that is linked with the driver ends before it begins,
// with exit code 2, and says why and what to do.
func TestNoCard(t *testing.T) {
	dir := t.TempDir()
	source := filepath.Join(dir, "no_card.c")
	if err := os.WriteFile(source, []byte(noCard), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-shared", "-fPIC", "-o", filepath.Join(dir, "libcuda.so.1"), source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program := exec.Command(os.Args[0], "-test.run=^$")
	program.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dir)
	var stdout, stderr strings.Builder
	program.Stdout, program.Stderr = &stdout, &stderr
	err := program.Run()
	const want = "no usable CUDA device: cuInit: error 100 of the CUDA driver, NO_DEVICE: ?\n" +
		"A build with the tags gpu and cu starts only where there is a card; build with -tags gpu for one that starts everywhere.\n"
	if program.ProcessState.ExitCode() != 2 || stdout.Len() > 0 || stderr.String() != want {
		t.Errorf("%v, standard output %q, standard error %q", err, stdout.String(), stderr.String())
	}
}
