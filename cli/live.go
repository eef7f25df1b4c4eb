package cli

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"dgsbench/harness"
	"dgsbench/harness/live"
	"dgsbench/internal/lists"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/specs"

	"github.com/spf13/cobra"
)

// loading is bench live with its flags.
type loading struct {
	options
	rates, limits   []string
	arrivals, clock string
	largest         int
	threads         int
	format          string
}

// liveSuite is what bench live runs.
const liveSuite = "live"

// The values of --clock.
const (
	machineClock   = "machine"
	simulatedClock = "simulated"
)

func newLive(o options) *cobra.Command {
	l := &loading{options: o}
	cmd := l.with(folderFlags+"suite dataset hours label-delay tasks models datasets epochs device dry-run quiet verbose", &cobra.Command{
		Use: "live [SPEC.yaml...]", Short: "Load trained models with events that do not wait",
		Long: "live trains models as the suite says, or takes their checkpoints, and has them\n" +
			"answer the test part while events keep coming: at each rate all that are due\n" +
			"are answered at once, so a slow model meets larger batches, from older states.\n" +
			"It prints response times from when events were due, and the metric of the\n" +
			"answers. For each limit it searches for the highest rate whose 99.9th\n" +
			"percentile is within it. A suite without live tests gets one of each model.\n\n" + ownSpecs,
		Example: "  bench live\n" +
			"  bench live --suite quick --rates 1e3,1e4,1e5 --limit 10ms\n" +
			"  bench live --dataset payments --limit 50ms",
		RunE: l.choosing(false, l.run),
	})
	flags := cmd.Flags()
	l.suite, flags.Lookup("suite").DefValue = liveSuite, liveSuite
	flags.StringSliceVar(&l.rates, "rates", nil, "mean numbers of events due in a second, as in 1e3,1e4 (default: the suite's)")
	flags.StringSliceVar(&l.limits, "limit", nil, "of the 99.9th percentile of response times, as in 10ms,1ms (default: the suite's)")
	flags.StringVar(&l.arrivals, "arrivals", "", "poisson, fixed, or stream for the stream's own times, compressed (default: the suite's)")
	flags.Func("largest-batch", "events that are answered at once, at most (default: the suite's)", func(text string) (err error) {
		if l.largest, err = strconv.Atoi(text); err != nil || l.largest < 1 || l.largest > specs.LargestOfAll {
			return fmt.Errorf("expected a whole number from 1 to %d", specs.LargestOfAll)
		}
		return nil
	})
	flags.StringVar(&l.clock, "clock", "", "machine, or simulated to replay with the service times of the measured records (default: the suite's)")
	flags.IntVar(&l.threads, "threads", runtime.GOMAXPROCS(0), "threads a model may use")
	flags.Lookup("threads").DefValue = "all cores"
	formatFlag(cmd, &l.format, tableFormats)
	flags.BoolVar(&l.asJSON, "json", false, "print JSON instead of tables")
	return cmd
}

// run measures the live tests among the trials that were chosen, as the flags change them.
func (l *loading) run(ctx context.Context, all selection) error {
	if err := cmp.Or(checkFormat(l.format, tableFormats), inRange("threads", l.threads, 1, maxThreads)); err != nil {
		return err
	}
	s := all
	var err error
	if s.trials, err = all.lib.LiveTrials(all.trials); err != nil {
		return err
	}
	if err := l.change(s.trials); err != nil {
		return err
	}
	s.changes = l.changes()
	s.suiteSpec.Tables = specs.Tables{Show: []specs.Table{{ID: "live"}}}
	if l.dryRun {
		return s.wouldMeasure(everythingLine)
	}
	on, err := l.ready(s.trials)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	if err := s.makeTableFolder(); err != nil {
		return err
	}
	p := live.Plan{Trials: s.trials, DataDir: l.data, Device: on, Threads: l.threads, Store: l.store()}
	measured, err := exclusively(ctx, &l.options, func(ctx context.Context, b *bar) ([]record.Record, error) { return l.load(ctx, p, b) })
	if harness.Interrupted(err) {
		return fmt.Errorf("interrupted; datasets that were finished have their records in %s: %w", l.out, err)
	} else if err != nil {
		return explainMissing(err)
	}
	r, err := s.report(true)
	if err != nil {
		return err
	}
	if len(specs.LiveTests(all.trials)) > 0 && len(s.changes) == 0 {
		whole, err := all.report(false)
		if err == nil {
			err = all.writeTables(whole)
		}
		if err != nil {
			return err
		}
	}
	if l.asJSON {
		err = writeJSON(l.stdout, results.NewLiveSummary(r.Live))
	} else if l.format == "csv" {
		err = results.WriteCSV(l.stdout, r.Rows)
	} else {
		err = writeReport(l.stdout, r, l.format)
	}
	if err != nil {
		return err
	}
	failed := len(slices.DeleteFunc(slices.Clone(measured), func(r record.Record) bool { return !r.Failed() }))
	line := fmt.Sprintf("%d models measured, %d failed; records are in %s", len(measured)-failed, failed, filepath.Join(l.out, s.suite))
	return l.done(line, failed > 0)
}

// change sets in the trials what flags say.
func (l *loading) change(trials []specs.Trial) error {
	rates, err := l.parseRates()
	if err != nil {
		return err
	}
	for _, text := range l.limits {
		if _, err := specs.ParseLimit(text); err != nil {
			return fmt.Errorf("--limit: %w", err)
		}
	}
	if l.arrivals != "" && !slices.Contains(specs.AllArrivals, specs.Arrivals(l.arrivals)) {
		return fmt.Errorf("--arrivals is %q, expected poisson, fixed or stream", l.arrivals)
	}
	if !slices.Contains([]string{"", machineClock, simulatedClock}, l.clock) {
		return fmt.Errorf("--clock is %q, expected %s or %s", l.clock, machineClock, simulatedClock)
	}
	for i := range trials {
		own := *trials[i].Protocol.Live
		if len(rates) > 0 {
			own.Rates = rates
		}
		if len(l.limits) > 0 {
			own.Limits = l.limits
		}
		own.Arrivals = cmp.Or(specs.Arrivals(l.arrivals), own.Arrivals)
		own.LargestBatch = cmp.Or(l.largest, own.LargestBatch)
		own.Simulated = l.clock == simulatedClock || own.Simulated && l.clock == ""
		trials[i].Case, trials[i].Protocol.Live = own.Case(), &own
	}
	return nil
}

// changes returns the flags that change the trials, as in a command.
func (l *loading) changes() []string {
	largest := ""
	if l.largest > 0 {
		largest = strconv.Itoa(l.largest)
	}
	return flagWords("rates", strings.Join(l.rates, ","), "limit", strings.Join(l.limits, ","), "arrivals", l.arrivals, "largest-batch", largest, "clock", l.clock)
}

// parseRates reads --rates, where 10000 may be written as 1e4.
func (l *loading) parseRates() (rates []int, err error) {
	for _, text := range l.rates {
		rate, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || !(rate >= 1 && rate <= specs.HighestRate) || rate != math.Trunc(rate) { // not a number is neither
			return nil, fmt.Errorf("--rates: expected a whole number of events a second from 1 to %d, as in 1e4, found %q", specs.HighestRate, text)
		}
		rates = append(rates, int(rate))
	}
	return lists.Unique(rates, func(rate int) int { return rate }), nil
}
