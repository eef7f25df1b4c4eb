package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPage: docs/claims.md is what the recorded suites say.
func TestPage(t *testing.T) {
	root := filepath.Join("..", "..")
	want, err := page(filepath.Join(root, "results", "recorded"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, "docs", "claims.md"))
	if err != nil || string(got) != want {
		t.Errorf("docs/claims.md is not what is recorded: go run ./results/claims results/recorded > docs/claims.md (%v)", err)
	}
}

const comparisons = `suite,dataset,task,setting,case,candidates,metric,better,better_variant,other,other_variant,difference,ci_low,ci_high
s,surely,nc,,,,auc,dgs,,dgs-bp,,0.02,0.01,0.03
s,surely-not,nc,,batch-1,,auc,dgs-bp,,dgs,,0.02,0.01,0.03
s,hardly,nc,,,,auc,dgs-bp,,dgs,,0.004,-0.004,0.009
s,once,nc,,,,auc,dgs,,dgs-bp,,0.02,,
s,elsewhere,lp,T,,all_nodes,mrr,dgs,,dgs-bp,,0.02,0.01,0.03
s,variant,nc,,,,auc,dgs,frozen,dgs-bp,,0.02,0.01,0.03
`

const values = `suite,dataset,task,setting,model,variant,candidates,split,metric,mean,std,n,case,ci_low,ci_high
s,a,nc,,dgs,,,,latency_200x200,0.02,,,latency,,
s,a,nc,,jodie,,,,latency_200x200,0.09,,,latency,,
s,a,nc,,raw,,,,latency_200x200,0.01,,,latency,,
s,a,nc,,raw,,,,latency_200x200_inside,0.1,,,latency,,
s,b,nc,,jodie,,,,latency_200x200,0.01,,,latency,,
s,a,lp,T,dgs,,all_nodes,validation,mrr,0.9,0.1,5,,0.8,1
s,a,lp,T,dgs,,all_nodes,test,mrr,0.5,0,4,,0.47,0.54
s,a,lp,I,dgs,,all_nodes,test,mrr,0.6,0,4,,0.56,0.63
s,b,lp,I,dgs,,all_nodes,test,mrr,0.7,0,4,,0.6,0.8
s,c,lp,T,dgs,,all_nodes,test,mrr,0.5,0,4,,0.5,0.5
s,c,lp,I,dgs,,all_nodes,test,mrr,0.6,0.1,4,,0.6,0.6
s,d,lp,T,dgs,,all_nodes,test,mrr,0.1,,2,,0.1,0.1
s,d,lp,I,dgs,,all_nodes,test,mrr,0.2,,2,,0.2,0.2
s,a,lp,T,jodie,,all_nodes,test,mrr,0.1,,1,,0.1,0.1
`

// TestFindings: intervals decide, whichever model is the better one; times are
// compared at one place alone, and a suite that is not there says nothing.
func TestFindings(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "s"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"comparisons.csv": comparisons, "results.csv": values} {
		if err := os.WriteFile(filepath.Join(dir, "s", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	auc := test{Suites: []string{"s", "missing"}, Task: "nc", Metric: "auc", Model: "dgs", Over: []string{"dgs-bp"}}
	surely := auc
	surely.Datasets = []string{"surely"}
	level := auc
	level.Margin = 1
	lp := test{Suites: []string{"s"}, Task: "lp", Candidates: "all_nodes", Metric: "mrr", Model: "dgs+frozen", Over: []string{"dgs-bp"}}
	fast := test{Suites: []string{"s"}, Task: "nc", Metric: "latency_200x200", Model: "dgs", Over: []string{"jodie", "raw"}, Ratio: 4}
	inside := fast
	inside.Over, inside.OverMetric = []string{"raw"}, "latency_200x200_inside"
	settings := test{Suites: []string{"s"}, Task: "lp", Candidates: "all_nodes", Metric: "mrr", Model: "dgs", By: "setting", In: "I", Over: []string{"T"}}
	streams := test{Suites: []string{"s"}, Task: "nc", Metric: "latency_200x200", Model: "jodie", By: "dataset", In: "b", Over: []string{"a"}, Ratio: 2}
	for name, c := range map[string]struct {
		test    test
		want    []string
		verdict string
	}{
		"above":         {auc, []string{"surely +2.00 [+1.00, +3.00] yes", "surely-not, batch-1 -2.00 [-3.00, -1.00] no", "hardly -0.40 [-0.90, +0.40] undecided"}, "partly"},
		"level":         {level, []string{"surely +2.00 [+1.00, +3.00] yes", "surely-not, batch-1 -2.00 [-3.00, -1.00] undecided", "hardly -0.40 [-0.90, +0.40] yes"}, "partly"},
		"dataset alone": {surely, []string{"surely +2.00 [+1.00, +3.00] yes"}, "reproduced"},
		"none":          {lp, nil, "not measured"},
		"setting":       {settings, []string{"a, I +10.00 [+4.34, +14.24] yes", "c, I +10.00 [-5.91, +25.91] undecided"}, "partly"},
		"dataset":       {streams, []string{"b, latency 9.00 times as fast yes"}, "reproduced"},
		"ratio":         {fast, []string{"a, latency 4.50 times as fast yes", "a, latency 0.50 times as fast no"}, "partly"},
		"other metric":  {inside, []string{"a, latency 5.00 times as fast yes"}, "reproduced"},
	} {
		found, err := c.test.findings(dir)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range found {
			got = append(got, strings.Replace(f.place, " (`s`)", "", 1)+" "+f.measured+" "+string(f.says))
		}
		if g, w := strings.Join(got, "\n"), strings.Join(c.want, "\n"); g != w {
			t.Errorf("%s: found\n%s\nexpected\n%s", name, g, w)
		}
		if v, _ := verdict(found); v != c.verdict {
			t.Errorf("%s: %s, expected %s", name, v, c.verdict)
		}
	}
	for _, c := range []struct {
		says answer
		want string
	}{{yes, "reproduced"}, {no, "not reproduced"}, {undecided, "not reproduced"}} {
		if v, _ := verdict([]finding{{says: c.says}}); v != c.want {
			t.Errorf("one comparison that says %s: %s, expected %s", c.says, v, c.want)
		}
	}
}
