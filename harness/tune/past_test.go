package tune

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/results/record"
	"dgsbench/results/record/recordtest"
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
	if s.Model != "dgs" || s.Setting != "T" || s.Metric.Title != "MRR" || s.Seed != 3 || s.Own != .25 || len(s.Trials) != 2 {
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

		pastHead + `{"trial":0,"value":1}` + "\n" + `{"trial":0,"value":1}` + "\n": "dgs.jsonl:3: trial 0 is there twice",
		pastHead + `{"trial":0,"value":1,"error":"no loss"}` + "\n":                "dgs.jsonl:2: trial 0: expected a number from -1 on, and a value or an error",
		pastHead + `{"trial":0}` + "\n":                                            "dgs.jsonl:2: trial 0: expected a number from -1 on, and a value or an error",
		pastHead + `{"trial":-2,"value":1}` + "\n":                                 "dgs.jsonl:2: trial -2: expected a number",
		pastHead + `{"trial":0,"value":1,"identity":"ab"}` + "\n":                  `identity "ab", expected 64`,
		strings.Replace(pastHead, "{", `{"sealed":true,`, 1):                       "its last line is gone",
	} {
		dir := t.TempDir()
		writeHistory(t, dir, text)
		if _, err := Past(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %q", text, err, want)
		}
	}
}

// TestPastAgainstRecords: the lines of trials whose records are there say what
// the records do, and those of others are taken as they are.
func TestPastAgainstRecords(t *testing.T) {
	const fields = `"epochs":2,"learned_parameters":7,"seconds":4,`
	r := recordtest.Trial("lp", "T", "dgs", 3)
	r.Key.Suite, r.Key.Dataset, r.Identity = suiteName, "toy", strings.Repeat("a", 64)
	failed := r
	failed.Error, failed.Identity = "no loss", strings.Repeat("b", 64)
	for name, c := range map[string]struct{ line, want string }{
		"the same":          {`"value":0.25,"best_epoch":2,` + fields + `"identity":"` + r.Identity + `"`, ""},
		"the same failure":  {`"error":"no loss","best_epoch":0,` + fields + `"identity":"` + failed.Identity + `"`, ""},
		"another value":     {`"value":0.5,"best_epoch":2,` + fields + `"identity":"` + r.Identity + `"`, "says of its value:"},
		"another epoch":     {`"value":0.25,"best_epoch":1,` + fields + `"identity":"` + r.Identity + `"`, "says of its best_epoch:"},
		"a failure of none": {`"error":"no loss","best_epoch":0,` + fields + `"identity":"` + r.Identity + `"`, "says of its best_epoch, error, value:"},
		"a value of none":   {`"value":0.25,"best_epoch":2,` + fields + `"identity":"` + failed.Identity + `"`, "says of its best_epoch, error, value:"},
		"without a record":  {`"value":0.5,"best_epoch":1,` + fields + `"identity":"` + strings.Repeat("c", 64) + `"`, ""},
		"refused options":   {`"error":"no such size","best_epoch":0,"epochs":0,"learned_parameters":0,"seconds":0,"identity":""`, ""},
	} {
		out := t.TempDir()
		recordtest.Write(t, record.Store{Dir: out}, r, recordtest.Ranking())
		recordtest.Write(t, record.Store{Dir: out}, failed, nil)
		writeHistory(t, PastDir(out), pastHead+`{"trial":0,"phase":"random",`+c.line+"}\n")
		if _, err := Past(PastDir(out)); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", name, err, c.want)
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
