//go:build gpu

package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"dgsbench/kernels/cuda/cudatest"
	"dgsbench/kernels/devices"
)

// TestTinyCheck builds what goes to a machine with a card, plants a failure,
// and runs it on the emulated card, or a real one, where it finds no other
// programs: neither Go nor PyTorch.
func TestTinyCheck(t *testing.T) {
	library := cudatest.Library(t)
	folder := filepath.Join(t.TempDir(), "gpu-check")
	build := exec.Command("bash", filepath.Join("..", "..", "scripts", "gpu-check"), folder)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const planted = "fixtures of DGS"
	if err := os.WriteFile(filepath.Join(folder, "models", "dgs", "tests"), []byte("#!/bin/sh\necho 'planted_test.go:1: wrong'\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}

	check := exec.Command(filepath.Join(folder, "run"), "-tiny", "-out", "results")
	check.Dir = t.TempDir()
	check.Env = append(os.Environ(), "PATH="+emulatorAlone(t), devices.LibraryVariable+"="+library)
	out, err := check.CombinedOutput()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("%v, expected exit code 1", err)
	}
	t.Logf("%s", out)
	r := readResults(t, filepath.Join(check.Dir, "results"))
	for _, s := range r.Steps {
		if want := s.Name == planted; (s.Outcome == failed) != want {
			t.Errorf("%+v", s)
		}
	}
	for _, task := range []string{inference, singleEvents, trainingLP, rankingTask, driverTask} {
		if !slices.ContainsFunc(r.Times, func(t Time) bool { return t.Task == task }) {
			t.Errorf("there are no times of %s", task)
		}
	}
	if len(r.Agreement) == 0 || len(r.Facts.PTX) != 12 || r.Facts.Card == "" {
		t.Errorf("%d scores of both devices; %+v", len(r.Agreement), r.Facts)
	}
	ranked := slices.ContainsFunc(r.Goals, func(g Reached) bool { return g.Goal == "Ranking of the test part" && g.Percent > 0 })
	if !ranked {
		t.Errorf("the goal of ranking is not measured: %+v", r.Goals)
	}
}

// emulatorAlone is a folder of programs with nothing but the compiler of the
// emulated card, where that is.
func emulatorAlone(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if compiler, err := exec.LookPath("g++"); err == nil {
		if err := os.Symlink(compiler, filepath.Join(dir, "g++")); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// readResults reads the one of a folder.
func readResults(t *testing.T, dir string) (r Results) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, error %v", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}
