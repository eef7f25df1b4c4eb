package tune

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"dgsbench/harness"
	"dgsbench/internal/atomicfile"
	"dgsbench/internal/lists"
	"dgsbench/internal/lock"
	"dgsbench/internal/regular"
	"dgsbench/kernels/devices"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// Proposals is a folder through which a search has its trials measured by other
// processes: it writes a file for each trial that it proposes, and removes it when
// there is a record, which is the answer.
type Proposals struct {
	Folder string
	Every  time.Duration // how often both sides look
}

// proposal is the content of such a file.
type proposal struct {
	Study  string          `json:"study"`
	Values map[string]any  `json:"values"` // nil for the model's own options
	Trial  json.RawMessage `json:"trial"`
}

// endFile says that the search is over.
const endFile = "end"

// End says that the search is over.
func (p Proposals) End() error { return atomicfile.Write(filepath.Join(p.Folder, endFile), nil) }

// Validate has the trial of the values measured, and returns its record.
func (p Proposals) Validate(ctx context.Context, lab *harness.Lab, s Study, values map[string]any, t specs.Trial) (record.Record, error) {
	rec, found, err := lab.Find(t)
	if found || err != nil {
		return rec, err
	}
	data, err := json.Marshal(proposal{s.String(), values, t.JSON()})
	if err != nil {
		return rec, err
	}
	file := filepath.Join(p.Folder, rec.Identity+".json")
	if err := atomicfile.Write(file, data); err != nil {
		return rec, &harness.StoreError{Err: err}
	}
	for {
		select {
		case <-ctx.Done():
			return rec, context.Cause(ctx)
		case <-time.After(p.Every):
		}
		if rec, found, err = lab.Find(t); found || err != nil {
			if gone := os.Remove(file); !errors.Is(gone, fs.ErrNotExist) { // as it is where two trials are the same
				err = errors.Join(err, gone)
			}
			return rec, err
		}
	}
}

// Serve measures proposed trials one after the other, and calls done with their records,
// until the search is over, or has proposed nothing for that long.
func (p Proposals) Serve(ctx context.Context, out string, lab *harness.Lab, studies []Study, patience time.Duration, done func(record.Record)) error {
	for last := time.Now(); time.Since(last) < patience; {
		worked, err := p.serveOnce(ctx, out, lab, studies, done)
		if err != nil {
			return err
		}
		if worked {
			last = time.Now()
			continue
		}
		if _, err := os.Lstat(filepath.Join(p.Folder, endFile)); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(p.Every):
		}
	}
	return nil
}

// serveOnce measures a proposed trial that no other process works on, if there is one.
func (p Proposals) serveOnce(ctx context.Context, out string, lab *harness.Lab, studies []Study, done func(record.Record)) (worked bool, err error) {
	files, err := filepath.Glob(filepath.Join(p.Folder, "*.json"))
	if err != nil {
		return false, err
	}
	slices.Sort(files)
	for _, file := range files {
		t, err := readProposal(file, studies)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it has its record
		}
		if err != nil {
			return false, err
		}
		rec, found, err := lab.Find(t)
		if err != nil {
			return false, err
		}
		if found {
			continue
		}
		held, err := lock.Try(lock.In(out, filepath.Join("trials", filepath.FromSlash(rec.Key.Path(rec.Identity)))))
		if errors.Is(err, lock.ErrHeld) {
			continue
		}
		if err != nil {
			return false, &harness.StoreError{Err: err}
		}
		if rec, found, err = lab.Find(t); found || err != nil { // another process has just measured it
			held.Release()
			return found, err
		}
		within, lost := held.During(ctx)
		rec, err = lab.Validate(within, t, func(float64) {})
		lost()
		held.Release()
		if err == nil {
			done(rec)
		}
		return true, err
	}
	return false, nil
}

// readProposal reads a proposed trial. It must be the same here as where it was proposed.
func readProposal(file string, studies []Study) (specs.Trial, error) {
	const most = 1 << 20 // bytes
	var p proposal
	data, err := regular.Read(file, most)
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	if err != nil {
		return specs.Trial{}, fmt.Errorf("%s: %w", file, err)
	}
	s, found := lists.Find(studies, func(s Study) bool { return s.String() == p.Study })
	if !found {
		return specs.Trial{}, fmt.Errorf("%s is of the search for %s, which this command does not make", file, p.Study)
	}
	if p.Values != nil {
		if _, err := s.point(p.Values); err != nil {
			return specs.Trial{}, fmt.Errorf("%s: %w", file, err)
		}
	}
	t, err := s.trial(p.Values)
	if err == nil && string(t.JSON()) != string(p.Trial) {
		err = errors.New("the trial differs from the one that was proposed: specs or versions differ between the machines")
	}
	if err != nil {
		return t, fmt.Errorf("%s: %w", file, err)
	}
	return t, nil
}

// OpenLab reads the datasets of the studies for Proposals.Serve.
func OpenLab(out, dataDir string, on devices.Target, threads int, studies []Study) (*harness.Lab, error) {
	trials, err := ownTrials(studies)
	if err != nil {
		return nil, err
	}
	return harness.NewLab(record.Store{Dir: out}, dataDir, on, threads, trials)
}
