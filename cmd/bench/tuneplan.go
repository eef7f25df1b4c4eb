package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"runtime"
	"text/tabwriter"
	"time"

	"dgsbench/harness/tune"
)

// planned is a study as --dry-run shows it.
type planned struct {
	Model   string   `json:"model"`
	Dataset string   `json:"dataset"`
	Task    string   `json:"task"`
	Setting string   `json:"setting,omitempty"`
	Search  []string `json:"search"` // names of the parameters
	Trials  int      `json:"trials"`
	Random  int      `json:"random"`
	Epochs  int      `json:"epochs"` // at most
	Found   int      `json:"found"`  // trials that are over
	// Seconds is what the trials left take one after the other, as long as
	// those before on average; absent before the first.
	Seconds float64 `json:"seconds_left,omitempty"`
}

// plan prints what would be done.
func (t *tuning) plan(studies []tune.Study) error {
	var all []planned
	seconds, known := 0.0, true
	for _, s := range studies {
		p := planned{
			Model: s.Model.ID, Dataset: s.At.Dataset, Task: string(s.At.Task), Setting: string(s.At.Setting),
			Trials: s.Trials, Random: s.Random, Epochs: s.Protocol.Epochs,
		}
		for _, q := range s.Searched() {
			p.Search = append(p.Search, q.Name())
		}
		mean := 0.0
		if p.Found, mean = s.Past(t.shared.out); p.Found > 0 {
			p.Seconds = mean * float64(max(0, s.Trials+1-p.Found))
		}
		known = known && p.Found > 0
		seconds += p.Seconds
		all = append(all, p)
	}
	if t.asJSON {
		enc := json.NewEncoder(t.shared.stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(all)
	}
	return t.printPlan(all, seconds, known)
}

func (t *tuning) printPlan(all []planned, seconds float64, known bool) error {
	w := tabwriter.NewWriter(t.shared.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "MODEL\tDATASET\tTASK\tPARAMETERS\tTRIALS\tRANDOM\tEPOCHS\tFOUND\tLEFT")
	for _, p := range all {
		left := "?"
		if p.Found > 0 {
			left = duration(p.Seconds)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t1 + %d\t%d\t%d\t%d\t%s\n", p.Model, p.Dataset, p.Task+" "+p.Setting, len(p.Search), p.Trials, p.Random, p.Epochs, p.Found, left)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	workers := cmp.Or(t.shared.workers, runtime.NumCPU())
	line := "how long it takes shows after the first trial of each model"
	if known {
		line = fmt.Sprintf("about %s with %d workers, by the trials so far", duration(seconds/float64(workers)), workers)
	}
	_, err := fmt.Fprintln(t.shared.stdout, line)
	return err
}

func duration(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}
