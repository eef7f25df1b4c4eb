package tune

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const pastHead = `{"study":{"model":"dgs","dataset":"toy","task":"lp","setting":"T","seed":3,"random":1}}` + "\n"

// TestPast: trials in their order, the model's own options beside them.
func TestPast(t *testing.T) {
	dir := t.TempDir()
	writeHistory(t, dir, pastHead+
		`{"trial":-1,"phase":"default","value":0.25,"epochs":4}`+"\n"+
		`{"trial":0,"phase":"random","values":{"size":100,"lr":0.00012345},"value":0.5,"epochs":7,"seconds":1.5}`+"\n"+
		`{"trial":1,"phase":"tpe","error":"no loss"}`+"\n")
	all, err := Past(dir)
	if err != nil || len(all) != 1 {
		t.Fatalf("%d searches, %v", len(all), err)
	}
	s := all[0]
	if s.Model != "dgs" || s.Setting != "T" || s.Metric != "MRR" || s.Seed != 3 || s.Own != .25 || len(s.Trials) != 2 {
		t.Fatalf("%+v", s)
	}
	if first := s.Trials[0]; first.Value != .5 || first.Options["size"] != "100" || first.Options["lr"] != "0.000123" || first.Epochs != 7 {
		t.Errorf("%+v", first)
	}
	if second := s.Trials[1]; second.Value.Present() || second.Error != "no loss" || second.Phase != "tpe" {
		t.Errorf("%+v", second)
	}
	if none, err := Past(filepath.Join(dir, "nowhere")); len(none) > 0 || err != nil {
		t.Errorf("a folder that is not there: %d, %v", len(none), err)
	}
}

// TestPastDamaged: the message names file and line.
func TestPastDamaged(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "dgs.jsonl:1: no study of bench tune",
		"{}\n":                      "dgs.jsonl:1: no study of bench tune",
		`{"study":{"model":"dgs"}}`: `dgs.jsonl:1: unknown task ""`,
		pastHead + "{\n":            "dgs.jsonl:2: ",
	} {
		dir := t.TempDir()
		writeHistory(t, dir, text)
		if _, err := Past(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %q", text, err, want)
		}
	}
}

func writeHistory(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, "toy-lp-T"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "toy-lp-T", "dgs.jsonl"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
