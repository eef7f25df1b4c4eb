package harness

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/datasets/own"
	"dgsbench/kernels/devices"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/serve"
	"dgsbench/specs"
)

// importPayments imports a bipartite stream with names that payers and payees share,
// categories and missing values, and returns its records in the order of events.
func importPayments(t *testing.T) (dir string, records [][]string) {
	t.Helper()
	lines := []string{"payer,payee,at,fraud,amount,age,kind"}
	for k := range 400 {
		payer := (k*k + k/9) % 11
		if k%17 == 3 {
			payer = k // who comes once
		}
		age := fmt.Sprint(k % 50)
		if k%9 == 4 {
			age = "NA"
		}
		r := []string{fmt.Sprint("n", payer), fmt.Sprint("n", k%6), fmt.Sprint(1_700_000_000 + 3000*(k/2)), fmt.Sprintf("%d.75", k%13), age, []string{"card", "cash", ""}[k*k%3]}
		records = append(records, r)
		lines = append(lines, strings.Join(slices.Insert(slices.Clone(r), 3, fmt.Sprint(k*k/7%3/2)), ","))
	}
	dir = t.TempDir()
	file := filepath.Join(dir, "log.csv")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := own.Import(t.Context(), dir, own.Source{
		Files: []string{file}, Name: "payments", Split: own.DefaultSplit, Missing: &own.Fill{Mean: true}, Categories: own.Categories{Columns: []string{"kind"}, OneHot: 5, Hashed: 4},
		Layout: datasets.Layout{Src: "payer", Dst: "payee", Time: "at", Label: "fraud", Features: []string{"amount", "age"}, Separator: datasets.Comma, Unit: datasets.Seconds, Bipartite: true},
	}); err != nil {
		t.Fatal(err)
	}
	if err := own.Use(dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { datasets.SetImported(nil) })
	return dir, records
}

// numbered returns the records of a stream in which nodes go by their numbers.
func numbered(s datasets.Stream) (records [][]string) {
	for k := range s.Len() {
		r := []string{fmt.Sprint(s.Src[k]), fmt.Sprint(s.Dst[k]), strconv.FormatFloat(s.Time[k], 'g', -1, 64)}
		for _, x := range s.Features(k) {
			r = append(r, strconv.FormatFloat(float64(x), 'g', -1, 32))
		}
		records = append(records, r)
	}
	return records
}

// TestRecordsAnswerAsTheRecord: a Scorer of a checkpoint that is given the records of the
// test part as text, in the batches of an evaluation, gives the scores of the trial's
// record, bit for bit, whatever the features are made of. The scores of the validation part
// are those of the record, too.
func TestRecordsAnswerAsTheRecord(t *testing.T) {
	dir, payments := importPayments(t)
	for _, runs := range []string{`
  - {task: nc, datasets: [toy], models: [raw, graph-sprints, dgs, jodie, user-age], protocol: {evaluation_batch: [20, 1, 100]}}
`, `
  - {task: nc, datasets: [payments], models: [logistic+velocity, dgs+velocity, graph-sprints, tgn-attn], protocol: {evaluation_batch: [1, 20, 60]}}
`, `
  - {task: nc, datasets: [payments], models: [raw+velocity, dgs, jodie+velocity], protocol: {derived_features: before_batch}}
`} {
		trials := slices.DeleteFunc(toyTrials(t, runs), func(s specs.Trial) bool { return s.Seed > 0 || s.Ref() == "broken" })
		store := record.Store{Dir: t.TempDir()}
		runner := Runner{Store: store, DataDir: dir, Checkpoints: true}
		runner.Hooks.Done = func(r record.Record) {
			if r.Failed() {
				t.Error(r.Error)
			}
		}
		if sum, err := runner.Run(context.Background(), trials); err != nil || sum.Failed > 0 {
			t.Fatalf("%+v, %v", sum, err)
		}
		for _, trial := range trials {
			loaded, err := LoadDataset(trial.Dataset, dir)
			if err != nil {
				t.Fatal(err)
			}
			records := payments
			if trial.Dataset == "toy" {
				records = numbered(loaded.Stream)
			}
			rec, ok, err := Find(store, trial, Describe(trial, loaded, devices.Target{}), true)
			if !ok || err != nil {
				t.Fatal(ok, err)
			}
			facts, err := store.Facts(rec)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range trial.Protocol.Evaluations() {
				s, err := serve.Open(checkpointPath(store, rec), serve.Options{Batch: e.Batch})
				if err != nil {
					t.Fatal(err)
				}
				first := s.Events()
				if first != loaded.Split.ValEnd {
					t.Errorf("%d events, expected %d", first, loaded.Split.ValEnd)
				}
				want := facts[record.Part{Split: protocol.Test, Evaluation: e.Name}].Score
				if len(want) != len(records)-first || len(want) == 0 {
					t.Fatalf("%d scores of %d records", len(want), len(records)-first)
				}
				for lo := 0; lo < len(want); lo += e.Batch {
					scores := make([]float64, min(e.Batch, len(want)-lo))
					if err := s.ScoreRecords(records[first+lo:first+lo+len(scores)], scores); err != nil {
						t.Fatal(err)
					}
					for k, got := range scores {
						x := float64(want[lo+k])
						if trial.Kind.LogOdds {
							x = 1 / (1 + math.Exp(-x))
						}
						if got != x {
							t.Fatalf("%s on %s, batches of %d, event %d: %v, the record says %v", trial.Ref(), trial.Dataset, e.Batch, first+lo+k, got, x)
						}
					}
				}
			}
			// With the threshold of no alert, there is none; with one of the largest score, there is.
			s, err := serve.Open(checkpointPath(store, rec), serve.Options{})
			if err != nil {
				t.Fatal(err)
			}
			threshold, err := s.Threshold("0/day")
			validation := facts[record.Part{Split: protocol.Validation, Evaluation: trial.Protocol.Evaluations()[0].Name}].Score
			largest := float64(slices.Max(validation))
			if trial.Kind.LogOdds {
				largest = 1 / (1 + math.Exp(-largest))
			}
			if err != nil || threshold != math.Nextafter(largest, math.Inf(1)) {
				t.Errorf("%s: threshold %v, %v, the largest score is %v", trial.Ref(), threshold, err, largest)
			}
		}
	}
}
