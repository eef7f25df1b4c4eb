//go:build gpu

package cudatest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"dgsbench/kernels/cuda"
	"dgsbench/kernels/cuda/driver"
)

// mistakes are the kernels of testdata/mistakes.cu, and the sanitizer that
// sees what is wrong with them.
var mistakes = map[string]string{
	"missing_barrier":      "thread",
	"missing_warp_barrier": "thread",
	"past_buffer":          "address",
	"before_buffer":        "address",
	"past_shared":          "address",
	"same_word":            "thread",
	"flag_without_acquire": "thread",
}

// mistake names the variable that makes these tests a program that launches a
// kernel, "NAME 1" for a wrong one.
const mistake = "DGSBENCH_MISTAKE"

func TestMain(m *testing.M) {
	var name string
	var wrong uint64
	if n, _ := fmt.Sscan(os.Getenv(mistake), &name, &wrong); n == 0 {
		os.Exit(m.Run())
	}
	if err := launchMistake(name, wrong); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// TestSanitizers: each mistake is reported, and none where there is none.
func TestSanitizers(t *testing.T) {
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip(errNoCompiler)
	}
	for _, sanitizer := range []string{"address", "thread"} {
		for kernel, by := range mistakes {
			t.Run(sanitizer+"/"+kernel, func(t *testing.T) {
				if out := watched(t, sanitizer, kernel, 0); strings.Contains(out, "Sanitizer") {
					t.Errorf("a report about what is right:\n%s", out)
				}
				if sanitizer != by {
					return
				}
				if out := watched(t, sanitizer, kernel, 1); !strings.Contains(out, "Sanitizer: ") || !strings.Contains(out, "mistakes.cu:") {
					t.Errorf("no report:\n%s", out)
				}
			})
		}
	}
}

// TestMisaligned: the emulated card reads no several numbers at once from where
// a card could not.
func TestMisaligned(t *testing.T) {
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip(errNoCompiler)
	}
	if err := launchMistake("between_fours", 0); err != nil {
		t.Error(err)
	}
	const want = "CUDA_ERROR_MISALIGNED_ADDRESS: between_fours: touches memory that is misaligned for its type (line "
	if err := launchMistake("between_fours", 1); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, expected %s", err, want)
	}
}

// watched is the report of a sanitizer about the launch of a kernel.
func watched(t *testing.T, sanitizer, kernel string, wrong int) string {
	t.Helper()
	library, err := exec.Command("g++", "-print-file-name=lib"+sanitizer[:1]+"san.so").Output()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(),
		"LD_PRELOAD="+strings.TrimSpace(string(library)), "DGSBENCH_SANITIZER="+sanitizer, fmt.Sprintf("%s=%s %d", mistake, kernel, wrong),
		"ASAN_OPTIONS=detect_leaks=0", "TSAN_OPTIONS=ignore_interceptors_accesses=1 halt_on_error=1")
	out, err := command.CombinedOutput()
	if err != nil && wrong == 0 {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// launchMistake launches a kernel on an emulated card that has only these.
func launchMistake(name string, wrong uint64) error {
	sources, err := readAll(emulator, os.DirFS("testdata"))
	if err != nil {
		return err
	}
	const header = "compat.h"
	text, err := cuda.Sources.ReadFile(header)
	if err != nil {
		return err
	}
	sources[header] = string(text)
	library, err := libraryOf(sources)
	if err != nil {
		return err
	}
	d, err := driver.Open(library, 0)
	if err != nil {
		return err
	}
	return d.Do(func() error { return onZeros(d, name, wrong) })
}

// onZeros launches a kernel as mistakes.cu says.
func onZeros(d *driver.Device, name string, wrong uint64) error {
	const blocks, threads, shared, numbers, word = 2, 64, 4 * 61, 2*64 + 1, 4
	module, loadErr := d.Load("")
	kernel, findErr := d.Function(module, name, shared)
	stream, streamErr := d.NewStream()
	x, allocErr := d.Alloc(numbers * word)
	flag, flagErr := d.Alloc(word)
	if err := errors.Join(loadErr, findErr, streamErr, allocErr, flagErr); err != nil {
		return err
	}
	return errors.Join(
		d.Clear(x, numbers*word, stream),
		d.Clear(flag, word, stream),
		d.Launch(kernel, driver.Launch{Blocks: [2]int{blocks, 1}, Threads: threads, Shared: shared}, stream, wrong, numbers, uint64(x), uint64(flag)),
		d.Sync(stream))
}
