package latency

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"dgsbench/harness"
	"dgsbench/internal/atomicfile"
	"dgsbench/internal/lists"

	"gonum.org/v1/gonum/stat/distuv"
)

// Comparison says which two builds of bench run alternately.
type Comparison struct {
	Old, New     string   // executables
	Args         []string // of `bench latency` in both
	Alternations int
	Seed         uint64 // of the order within the pairs
}

// Compare runs both builds once in every alternation, in random order, in
// processes of their own that leave nothing behind, and compares the median
// iteration of each model and size of batches. h.Step is called after every pair.
func Compare(ctx context.Context, c Comparison, h Hooks) ([]Verdict, error) {
	if c.Alternations < FewestAlternations {
		return nil, fmt.Errorf("%d alternations, expected at least %d", c.Alternations, FewestAlternations)
	}
	out, remove, err := atomicfile.Scratch()
	if err != nil {
		return nil, err
	}
	defer remove()
	h.Start(c.Alternations)
	rng := rand.New(rand.NewPCG(c.Seed, 1))
	var verdicts []Verdict
	for i := range c.Alternations {
		start := time.Now()
		// Every pair has an order of turns of its own, the same in both builds.
		args := append([]string{"latency", "--json", "--seed", strconv.Itoa(i)}, c.Args...)
		var pair [2]Summary // of the old build and the new one, which do not read each other's records
		for _, which := range rng.Perm(2) {
			own := append(slices.Clone(args), "--out", filepath.Join(out, []string{"old", "new"}[which]))
			if pair[which], err = runBuild(ctx, []string{c.Old, c.New}[which], own); err != nil {
				return nil, err
			}
		}
		if verdicts, err = addPair(verdicts, pair[0], pair[1]); err != nil {
			return nil, err
		}
		h.Step(fmt.Sprintf("pair %d", i+1), time.Since(start))
	}
	return lists.Map(verdicts, judged), nil
}

// runBuild measures in a process of its own.
func runBuild(ctx context.Context, program string, args []string) (Summary, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = append(os.Environ(), harness.TimingLockVariable+"="+harness.TimingLockHeld)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	err := cmd.Run()
	if ctx.Err() != nil {
		return Summary{}, ctx.Err()
	}
	if err != nil {
		return Summary{}, fmt.Errorf("%s latency: %w: %s", program, err, bytes.TrimSpace(stderr.Bytes()))
	}
	var r Summary
	d := json.NewDecoder(&stdout)
	if err := d.Decode(&r); err != nil {
		return Summary{}, fmt.Errorf("%s latency --json: %w", program, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Summary{}, fmt.Errorf("%s latency --json: more than one report", program)
	}
	return r, nil
}

// addPair adds what two reports, which must be of the same models and headlines, both
// have: an older build may not know all sizes of batches.
func addPair(verdicts []Verdict, old, fresh Summary) ([]Verdict, error) {
	if len(old.Models) != len(fresh.Models) || len(old.Models) == 0 {
		return nil, fmt.Errorf("the old build measured %d models, the new one %d", len(old.Models), len(fresh.Models))
	}
	first, next := verdicts == nil, 0
	for i, n := range fresh.Models {
		o := old.Models[i]
		if o.Dataset != n.Dataset || o.Model != n.Model || len(o.Timings) == 0 || len(n.Timings) == 0 {
			return nil, different(o, n)
		}
		for j, t := range n.Timings {
			at := slices.IndexFunc(o.Timings, func(b TimingSummary) bool { return b.Batch == t.Batch && b.Batches == t.Batches && b.Mode == t.Mode })
			switch {
			case j == 0 && at != 0:
				return nil, different(o, n)
			case at < 0:
				continue
			}
			if first {
				verdicts = append(verdicts, Verdict{Dataset: n.Dataset, Model: n.Model, Batch: t.Batch, OldMachine: old.Machine, NewMachine: fresh.Machine})
			}
			if next == len(verdicts) || verdicts[next].Model != n.Model || verdicts[next].Batch != t.Batch {
				return nil, fmt.Errorf("the builds do not measure the same as before: %s on %s in batches of %d", n.Model, n.Dataset, t.Batch)
			}
			v := &verdicts[next]
			v.Old, v.New = append(v.Old, median(o.Timings[at].Iterations)), append(v.New, median(t.Iterations))
			next++
		}
	}
	if next == 0 || next != len(verdicts) {
		return nil, fmt.Errorf("the builds measure %d times, expected %d", next, len(verdicts))
	}
	return verdicts, nil
}

func different(old, fresh ModelSummary) error {
	return fmt.Errorf("the builds do not measure the same: %s on %s, and %s on %s", old.Model, old.Dataset, fresh.Model, fresh.Dataset)
}

// When a new build counts as slower.
const (
	FewestAlternations = 20
	slowerRatio        = 1.15
	slowerP            = .01
)

// Verdict compares two builds on one model, dataset and size of batches.
type Verdict struct {
	Dataset    string    `json:"dataset"`
	Model      string    `json:"model"` // id or id+variant
	Batch      int       `json:"batch"` // events
	Old        []float64 `json:"old"`   // seconds of one iteration, one a pair
	New        []float64 `json:"new"`
	OldMachine string    `json:"old_machine"` // with the kernels, as the old build reports them
	NewMachine string    `json:"new_machine"`
	Ratio      float64   `json:"ratio"`  // the median over pairs of new by old
	P          float64   `json:"p"`      // one-sided sign test: the probability of as many slower pairs by chance
	Slower     bool      `json:"slower"` // by so much that it fails
}

// String says what is compared.
func (v Verdict) String() string {
	if v.Batch == 1 {
		return fmt.Sprintf("%s on %s, single events", v.Model, v.Dataset)
	}
	return fmt.Sprintf("%s on %s, batches of %d", v.Model, v.Dataset, v.Batch)
}

// judged completes the verdict with the statistics of its pairs.
func judged(v Verdict) Verdict {
	var ratios []float64
	slower, differ := 0, 0
	for i, old := range v.Old {
		ratios = append(ratios, v.New[i]/old)
		if v.New[i] != old {
			differ++
		}
		if v.New[i] > old {
			slower++
		}
	}
	v.Ratio, v.P = Middle(ratios), signTest(slower, differ)
	v.Slower = len(ratios) >= FewestAlternations && v.Ratio >= slowerRatio && v.P < slowerP
	return v
}

// signTest returns the probability of at least k heads in n throws of a coin.
func signTest(k, n int) float64 {
	if k == 0 {
		return 1
	}
	return 1 - distuv.Binomial{N: float64(n), P: .5}.CDF(float64(k-1))
}

// Middle returns the median: the mean of the two in the middle if their number is
// even, NaN without values.
func Middle(values []float64) float64 {
	sorted, n := slices.Sorted(slices.Values(values)), len(values)
	if n == 0 {
		return math.NaN()
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
