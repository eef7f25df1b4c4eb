package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestSameScores: two kinds of model that answer alike raise a warning, and a
// footnote at both rows; one kind under two names does not.
func TestSameScores(t *testing.T) {
	dir := workplace(t)
	for _, id := range []string{"sleeper", "stuck", "alias"} {
		kind := strings.Replace(id, "alias", "stuck", 1)
		write(t, filepath.Join(dir, "specs", id+".yaml"), "id: "+id+"\nmodel: "+kind+"\ntitle: The "+id+"\n")
	}
	suite := func(models string) (stdout, stderr string) {
		write(t, filepath.Join(dir, "specs", "toy.yaml"), strings.Replace(toySuite, "user-count", models, 1))
		t.Setenv(sleep, "0s")
		code, _, stderr := bench(all(dir, "out", "--tasks", "nc")...)
		if code != exitDone {
			t.Fatal(stderr)
		}
		args := all(dir, "out", "--tasks", "nc", "--notes")
		args[0] = "tables"
		_, stdout, _ = bench(args...)
		return stdout, stderr
	}
	stdout, stderr := suite("sleeper, stuck")
	const warning = "warning: sleeper on toy, nc (suite toy): the same test scores, bit for bit, as The stuck (1 seed)\n"
	if strings.Count(stderr, "warning:") != 1 || !strings.Contains(stderr, warning) {
		t.Errorf("expected %q alone in\n%s", warning, stderr)
	}
	for _, footnote := range []string{"bit for bit, as The stuck (1 seed)", "bit for bit, as The sleeper (1 seed)"} {
		if !strings.Contains(stdout, footnote) {
			t.Errorf("no %q in\n%s", footnote, stdout)
		}
	}
	if _, stderr := suite("alias, stuck"); strings.Contains(stderr, "warning") {
		t.Errorf("a warning about one kind under two names:\n%s", stderr)
	}
}
