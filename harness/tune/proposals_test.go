package tune

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dgsbench/harness"
	"dgsbench/harness/tune/tpe"
	"dgsbench/internal/lock"
	"dgsbench/kernels/devices"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// proposing is a search of trials of a moment, the folder of results, and a folder
// through which others measure its trials.
func proposing(t *testing.T) (s Study, out string, p Proposals) {
	t.Helper()
	brief := specs.DefaultProtocol()
	brief.Epochs = 1
	s, err := NewStudy(testStudy(t).Model, specs.Place{Dataset: "shop-sim@0.17", Task: protocol.NodeClassification}, brief, 4, 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	return s, t.TempDir(), Proposals{Folder: t.TempDir(), Every: time.Millisecond}
}

// labOf is what a process has that works on the search.
func labOf(t *testing.T, out string, s Study) *harness.Lab {
	t.Helper()
	lab, err := OpenLab(out, "", devices.Target{}, 1, []Study{s})
	if err != nil {
		t.Fatal(err)
	}
	return lab
}

// TestProposals: several processes measure what a search proposes, each trial once,
// and end with the search. Two trials of the same values are one.
func TestProposals(t *testing.T) {
	s, out, p := proposing(t)
	var mu sync.Mutex
	var measured []string
	var workers, search sync.WaitGroup
	for range 3 {
		lab := labOf(t, out, s)
		workers.Go(func() {
			err := p.Serve(t.Context(), out, lab, []Study{s}, time.Minute, func(r record.Record) {
				mu.Lock()
				defer mu.Unlock()
				measured = append(measured, r.Identity)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	random := s.values(tpe.New(s.space(), s.Seed, s.Random).Ask(0))
	lab := labOf(t, out, s)
	got := make([]record.Record, 4)
	for i, values := range []map[string]any{nil, random, random, random} {
		trial, err := s.trial(values)
		if err != nil {
			t.Fatal(err)
		}
		search.Go(func() {
			var err error
			if got[i], err = p.Validate(t.Context(), lab, s, values, trial); err != nil {
				t.Errorf("trial %d: %v", i, err)
			}
			if rec, found, err := lab.Find(trial); err != nil || !found || rec.Identity != got[i].Identity || rec.Failed() {
				t.Errorf("trial %d: %+v, %v, %v", i, rec, found, err)
			}
		})
	}
	search.Wait()
	if files, _ := filepath.Glob(filepath.Join(p.Folder, "*.json")); len(files) > 0 {
		t.Errorf("%v are still there", files)
	}
	if err := p.End(); err != nil {
		t.Fatal(err)
	}
	workers.Wait()
	want := []string{got[0].Identity, got[1].Identity}
	slices.Sort(want)
	slices.Sort(measured)
	if !slices.Equal(measured, want) {
		t.Errorf("measured %v, expected %v", measured, want)
	}
	if got[1].Identity == got[0].Identity || got[1].Identity != got[3].Identity {
		t.Errorf("answers to other trials: %+v", got)
	}
	// What has a record is not proposed.
	trial, err := s.trial(nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Folder = filepath.Join(p.Folder, "nowhere")
	if rec, err := p.Validate(t.Context(), lab, s, nil, trial); err != nil || rec.Identity != got[0].Identity {
		t.Errorf("%+v, %v", rec, err)
	}
}

// proposed writes the file of a trial that nobody measures.
func proposed(t *testing.T, out string, p Proposals, s Study) (file string) {
	t.Helper()
	trial, err := s.trial(nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, errors.New("nobody came"))
	defer stop()
	if _, err := p.Validate(ctx, labOf(t, out, s), s, nil, trial); err == nil || err.Error() != "nobody came" {
		t.Fatalf("a search without an answer: %v", err)
	}
	files, err := filepath.Glob(filepath.Join(p.Folder, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v, expected the file of the trial", files, err)
	}
	return files[0]
}

// TestProposalsDamaged: a file that is no trial of the search is one error that names it.
func TestProposalsDamaged(t *testing.T) {
	s, out, p := proposing(t)
	file := proposed(t, out, p, s)
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lab := labOf(t, out, s)
	for name, c := range map[string]struct{ text, want string }{
		"empty":          {"", "unexpected end"},
		"cut short":      {string(good[:len(good)/2]), "unexpected end"},
		"another search": {strings.Replace(string(good), s.String(), "dgs on the moon", 1), "is of the search for dgs on the moon"},
		"another trial":  {strings.Replace(string(good), `"trial":{`, `"trial":{"more":1,`, 1), "specs or versions differ"},
		"other values":   {strings.Replace(string(good), `"values":null`, `"values":{"no-such-option":1}`, 1), "1 values, expected"},
		"of a megabyte":  {strings.Repeat(" ", 1<<20+1), "expected"},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		err := p.Serve(t.Context(), out, lab, []Study{s}, time.Second, func(record.Record) { t.Errorf("%s: measured", name) })
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v, expected %q and %s", name, err, c.want, file)
		}
	}
}

// TestProposalsPatience: who waits for too long ends, as does who is asked to, and
// what another process works on is nothing to do.
func TestProposalsPatience(t *testing.T) {
	s, out, p := proposing(t)
	proposed(t, out, p, s)
	lab := labOf(t, out, s)
	trial, err := s.trial(nil)
	if err != nil {
		t.Fatal(err)
	}
	rec, _, err := lab.Find(trial)
	if err != nil {
		t.Fatal(err)
	}
	held, err := lock.Try(lock.In(out, filepath.Join("trials", filepath.FromSlash(rec.Key.Path(rec.Identity)))))
	if err != nil {
		t.Fatal(err)
	}
	measured := 0
	serve := func(ctx context.Context, patience time.Duration) error {
		return p.Serve(ctx, out, lab, []Study{s}, patience, func(record.Record) { measured++ })
	}
	const patience = 50 * time.Millisecond
	began := time.Now()
	if err := serve(t.Context(), patience); err != nil || time.Since(began) < patience {
		t.Errorf("%v after %s", err, time.Since(began))
	}
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errors.New("enough"))
	if err := serve(ctx, time.Minute); err == nil || err.Error() != "enough" {
		t.Errorf("%v, expected the cause", err)
	}
	if measured != 0 {
		t.Error("measured what another process works on")
	}
	held.Release()
	if err := p.End(); err != nil {
		t.Fatal(err)
	}
	if err := serve(t.Context(), time.Minute); err != nil || measured != 1 {
		t.Errorf("%v, %d measured, expected what was proposed before the end", err, measured)
	}
}
