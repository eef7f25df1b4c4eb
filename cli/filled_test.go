package cli

import (
	"context"
	"strings"
	"testing"
)

// TestEmptyFlags: a script's variable that is not set does not measure
// everything, or read the folder that one is in; of a list of several
// lines none is left out without a word.
func TestEmptyFlags(t *testing.T) {
	dir := workplace(t)
	t.Chdir(dir)
	for _, args := range [][]string{
		{"plan", "--dry-run", "--models", ""}, {"all", "--dry-run", "--datasets="}, {"tables", "--tasks", ""},
		{"data", "list", "--data", ""}, {"latency", "--dry-run", "--models="}, {"plan", "--dry-run", "--models", "raw\nuser-count"},
	} {
		var out, failed strings.Builder
		code := run(context.Background(), args, &out, &failed)
		if code != exitUsage || !strings.Contains(failed.String(), "invalid argument") {
			t.Errorf("%q: exit code %d, %q", args, code, failed.String())
		}
	}
}
