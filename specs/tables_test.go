package specs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"dgsbench/protocol"
	"dgsbench/specs"
)

const tablesSuite = `name: shown
title: T
runs:
  - {task: nc, datasets: [wikipedia], models: [toy, toy+wide]}
`

// loadSuite reads a suite of a file beside the toys.
func loadSuite(t *testing.T, text string) specs.Suite {
	t.Helper()
	file := filepath.Join(t.TempDir(), "shown.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	lib := toyLibrary(t)
	if _, err := lib.AddFile(file); err != nil {
		t.Fatal(err)
	}
	suite, err := lib.LoadSuite("shown")
	if err != nil {
		t.Fatal(err)
	}
	return suite
}

func TestTables(t *testing.T) {
	got := loadSuite(t, tablesSuite+`tables:
  show:
    - lp
    - {table: nc, title: Other, models: [toy+wide], without: [toy], datasets: [wikipedia], metrics: [ap, precision@7/day]}
`).Tables
	want := specs.Tables{Show: []specs.Table{
		{ID: "lp"},
		{ID: "nc", Title: "Other", Models: []string{"toy+wide"}, Without: []string{"toy"}, Datasets: []string{"wikipedia"}, Metrics: []string{"ap", "precision@7/day"}},
	}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(specs.Table{})); diff != "" {
		t.Error(diff)
	}
	if err := got.Known(map[string]protocol.Task{"nc": "nc", "lp": "lp"}); err != nil {
		t.Error(err)
	}
	err := got.Known(map[string]protocol.Task{"lp": "lp", "ncs": "nc"})
	if err == nil || !strings.HasSuffix(err.Error(), `shown.yaml:8: tables.show[1]: unknown table "nc" (did you mean "ncs"?)`) {
		t.Errorf("got %v", err)
	}
	for task, want := range map[protocol.Task]string{
		"":   `shown.yaml:8: tables.show[1].metrics: the metrics of the table nc are its own; leave the key out`,
		"lp": `shown.yaml:8: tables.show[1].metrics[0]: ap is no metric of the table nc, which is about the task "lp"`,
	} {
		if err := got.Known(map[string]protocol.Task{"lp": "", "nc": task}); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("got %v, expected %s", err, want)
		}
	}
	if got := loadSuite(t, tablesSuite).Tables; got.Show != nil {
		t.Errorf("a suite that says nothing shows %+v", got)
	}
}

// TestModelsOfASuite: each once, in its order, variants with it.
func TestModelsOfASuite(t *testing.T) {
	var ids []string
	for _, m := range loadSuite(t, strings.Replace(tablesSuite, "[toy,", "[raw, toy,", 1)).Models() {
		ids = append(ids, m.ID)
	}
	if got := strings.Join(ids, " "); got != "raw toy" {
		t.Errorf("got %s", got)
	}
}
