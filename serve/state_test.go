package serve

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// stated returns a folder for a state, a checkpoint, and records after it.
func stated(t *testing.T) (dir, checkpoint string, records [][]string) {
	t.Helper()
	d := newImported(t, true)
	met := d.Split.ValEnd
	return filepath.Join(t.TempDir(), "state"), d.checkpoint(t, classifiers[0], d.parts(t, true, 0), met), d.records[met:]
}

// resumed opens a state as after a kill: what was not committed is lost.
func resumed(t *testing.T, dir, checkpoint string, o Options, from int) *State {
	t.Helper()
	s, err := Resume(dir, checkpoint, o, from, func(*Scorer) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.db.Close() })
	return s
}

// TestStateOfOtherOptions: the log is replayed with the options that its batches were
// scored with, whatever they are now.
func TestStateOfOtherOptions(t *testing.T) {
	dir, checkpoint, records := stated(t)
	plain, err := Open(checkpoint, Options{Batch: 5})
	if err != nil {
		t.Fatal(err)
	}
	var want, got []float64
	score := func(s interface {
		ScoreRecords([][]string, []float64) error
	}, to *[]float64, batch [][]string) {
		t.Helper()
		scores := make([]float64, len(batch))
		if err := s.ScoreRecords(batch, scores); err != nil {
			t.Fatal(err)
		}
		*to = append(*to, scores...)
	}
	score(plain, &want, records[:5])
	score(plain, &want, records[5:10])
	for _, r := range records[10:13] {
		score(plain, &want, [][]string{r})
	}

	first := resumed(t, dir, checkpoint, Options{Batch: 5}, -1)
	start := first.Events()
	score(first, &got, records[:5])
	score(first, &got, records[5:10])
	if err := first.Commit(); err != nil {
		t.Fatal(err)
	}
	var lost []float64
	score(first, &lost, records[10:15])
	if _, err := Resume(dir, checkpoint, Options{}, -1, nil); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("a state of two: %v", err)
	}
	first.db.Close() // killed

	second := resumed(t, dir, checkpoint, Options{Batch: 1, Backwards: true}, start+7)
	if second.Events() != start+10 {
		t.Fatalf("goes on with event %d, expected %d", second.Events(), start+10)
	}
	for k := 7; k < 10; k++ {
		if score, err := second.Answered(start+k, records[k]); err != nil || score != want[k] {
			t.Errorf("event %d was answered %v, %v; expected %v", start+k, score, err, want[k])
		}
	}
	if _, err := second.Answered(start+8, records[7]); err == nil {
		t.Error("another record has the answer of event 8")
	}
	if _, err := second.Answered(start+6, records[6]); err == nil {
		t.Error("an answer that was not to be asked for")
	}
	for _, r := range records[10:13] {
		score(second, &got, [][]string{r})
	}
	if !slices.Equal(got, want) {
		t.Errorf("scores %v, expected %v", got, want)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestDamagedLog: a log with other bytes, or cut short, is an error that names it, or it is
// as if nothing had happened; a batch is never another one.
func TestDamagedLog(t *testing.T) {
	dir, checkpoint, records := stated(t)
	s := resumed(t, dir, checkpoint, Options{}, -1)
	start := s.Events()
	for k := range 40 {
		if err := s.ScoreRecords(records[k:k+1], make([]float64, 1)); err != nil {
			t.Fatal(err)
		}
		if err := s.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	s.db.Close()
	whole, err := os.ReadFile(filepath.Join(dir, logFile))
	if err != nil {
		t.Fatal(err)
	}
	snapshot, err := os.ReadFile(filepath.Join(dir, snapshotFile))
	if err != nil {
		t.Fatal(err)
	}
	rng, failed := rand.New(rand.NewPCG(1, 2)), 0
	for range 100 {
		damaged := slices.Clone(whole)
		if rng.IntN(4) == 0 {
			damaged = damaged[:rng.IntN(len(whole))]
		}
		for range 1 + rng.IntN(40) {
			damaged[rng.IntN(len(damaged))] ^= byte(1 << rng.IntN(8))
		}
		dir := t.TempDir() // a process that finds damage ends, and here it keeps its lock
		for name, data := range map[string][]byte{logFile: damaged, snapshotFile: snapshot} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		s, err := Resume(dir, checkpoint, Options{}, start, nil)
		if err != nil {
			if failed++; !strings.Contains(err.Error(), logFile) {
				t.Errorf("the error does not name the log: %v", err)
			}
			continue
		}
		for k := range s.Events() - start {
			if _, err := s.Answered(start+k, records[k]); err != nil {
				t.Error(err)
			}
		}
		s.db.Close()
	}
	if failed < 20 {
		t.Errorf("%d of 100 damaged logs were found", failed)
	}
}
