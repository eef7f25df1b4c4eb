//go:build unix

package external

import (
	"fmt"
	"os"
	"testing"

	"dgsbench/models"
	"dgsbench/models/modeltest"
	_ "dgsbench/models/standard"
)

// The test binary is a process of another kind where one of these is set: it serves
// the kind of that name, has that fault, or is a harness that will be killed.
const (
	serveEnv   = "DGSBENCH_TEST_SERVE"
	faultEnv   = "DGSBENCH_TEST_FAULT"
	harnessEnv = "DGSBENCH_TEST_HARNESS"
)

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(harnessEnv) != "":
		beHarness()
	case os.Getenv(faultEnv) != "":
		misbehave(os.Getenv(faultEnv))
	case os.Getenv(serveEnv) != "":
		serve(os.Getenv(serveEnv))
	default:
		os.Exit(m.Run())
	}
}

func serve(name string) {
	kind, err := models.Lookup(name)
	if err == nil {
		err = Serve(os.Stdin, os.Stdout, Served{Name: name, Kind: kind, Options: kind.Options()})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// kindOf is the kind external.
func kindOf(t *testing.T) models.Kind {
	t.Helper()
	kind, err := models.Lookup("external")
	if err != nil {
		t.Fatal(err)
	}
	return kind
}

// command starts the test binary with a variable set.
func command(t *testing.T, variable, value string) []string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{"env", variable + "=" + value, program}
}

// served returns the kind and the options of a model of this program in a process of
// its own.
func served(t *testing.T, name string) (models.Kind, *Options) {
	t.Helper()
	of, err := models.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	o := Defaults()
	o.Command = command(t, serveEnv, name)
	o.declared = declared{of.Tasks, featureWords[of.Features], of.Class, of.LogOdds, of.Deterministic}
	kind := kindOf(t).With(o)
	kind.Memory = of.Memory
	return kind, o
}

// TestConformance: a model behind a pipe keeps every promise of the model itself.
func TestConformance(t *testing.T) {
	for _, name := range []string{"raw", "user-count", "label-rate", "edgebank", "jodie", "dgs"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kind, o := served(t, name)
			modeltest.Check(t, kind, o)
		})
	}
}
