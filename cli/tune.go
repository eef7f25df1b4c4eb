package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"dgsbench/datasets/own"
	"dgsbench/harness"
	"dgsbench/harness/tune"
	"dgsbench/internal/lock"
	"dgsbench/protocol"
	"dgsbench/specs"

	"github.com/spf13/cobra"
)

// tuning is bench tune with its flags.
type tuning struct {
	shared                  *options
	suite, setting          string
	trials, random          int
	epochs, patience        int
	negatives               int // of a validation event; -1 for those of the protocol
	seed                    uint64
	dryRun, asJSON          bool
	models, datasets, tasks []string
}

func newTune(o *options) *cobra.Command {
	t := &tuning{shared: o}
	cmd := &cobra.Command{
		Use: "tune", Short: "Search the options of models on the validation part, as the paper did",
		Long: "tune searches the ranges of a model's spec (bench spec show MODEL): first random trials, then\n" +
			"tree-structured Parzen estimators. A trial is trained with early stopping and judged by its best\n" +
			"epoch on the validation part; the test part is not looked at. The model's own options are measured\n" +
			"beside them.\n\n" +
			"Without --suite, it tunes --model on --dataset for --task. With --suite, it tunes every learned model of the\n" +
			"suite wherever the suite scores it, under the suite's protocol; the three flags narrow that down.\n\n" +
			"It writes to OUT/tuned a history with a line for each trial, figures, a table of what tuning changed,\n" +
			"and in OUT/tuned/specs the specs with the options that it found, for --specs of other commands.\n" +
			"The same command goes on where it stopped, and with --dry-run says what is left and how long it takes:\n" +
			"by the trials so far, or by trying some out for a moment. With one worker for each model the seed\n" +
			"decides the result; more of them make later trials depend on which one ends first.",
		Example: "  bench tune --model dgs --dataset shop-sim --task nc --trials 20 --random 14\n" +
			"  bench tune --suite quick --trials 20 --random 14 --val-negatives 50 --out tuning\n" +
			"  bench all --suite quick --specs tuning/tuned/specs --out bench-tuned",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return t.run(cmd) },
	}
	o.addWhere(cmd)
	o.addData(cmd)
	o.addDevice(cmd)
	flags := cmd.Flags()
	flags.StringSliceVar(&t.models, "model", nil, "the model to tune; several with commas")
	flags.StringSliceVar(&t.datasets, "dataset", nil, "the dataset to tune it on; several with commas")
	flags.StringSliceVar(&t.tasks, "task", nil, "nc or lp; both with a comma")
	flags.StringVar(&t.setting, "setting", string(protocol.Transductive), "of lp, without --suite: T or I")
	flags.StringVar(&t.suite, "suite", "", "tune the learned models of this suite, under its protocol")
	flags.IntVar(&t.trials, "trials", 100, "trials of each model, beside the one with its own options")
	flags.IntVar(&t.random, "random", 70, "how many of them, the first, are random")
	flags.IntVar(&t.epochs, "epochs", 0, "epochs of a trial at most (default: those of the protocol)")
	flags.IntVar(&t.patience, "patience", 10, "epochs without a better validation after which a trial stops; 0 for none")
	flags.IntVar(&t.negatives, "val-negatives", -1, "lp: sampled candidates that a validation event is ranked against; 0 for all (default: those of the protocol)")
	flags.Lookup("val-negatives").DefValue = ""
	flags.Uint64Var(&t.seed, "seed", 0, "of the search and of the models")
	flags.IntVar(&o.workers, "workers", 0, "trials side by side (default: one a core, at most 8 on a card)")
	flags.BoolVar(&t.dryRun, "dry-run", false, "print what would be done, how long it takes and how much memory")
	flags.BoolVar(&t.asJSON, "json", false, "print JSON instead of the table")
	return cmd
}

func (t *tuning) run(cmd *cobra.Command) error {
	o := t.shared
	if t.epochs < 0 || t.patience < 0 || t.negatives < -1 {
		return errors.New("--epochs, --patience and --val-negatives are 0 or more")
	}
	if err := errors.Join(within("workers", o.workers, 0, mostThreads), within("trials", t.trials, 1, tune.MostTrials)); err != nil {
		return err
	}
	if err := own.Use(o.data); err != nil {
		return err
	}
	lib, err := specs.NewLibrary(o.specs)
	if err != nil {
		return err
	}
	studies, err := t.studies(lib, cmd.Flags().Changed("setting"))
	if err != nil {
		return err
	}
	if err := o.findDevice(); err != nil {
		return err
	}
	if t.dryRun {
		return t.plan(cmd.Context(), studies)
	}
	if err := o.makeOut(); err != nil {
		return err
	}
	histories, sum, err := t.search(cmd.Context(), studies)
	if err != nil {
		return t.explain(err, sum)
	}
	if err := t.print(histories); err != nil {
		return err
	}
	return t.lastLine(histories, sum)
}

// search runs the studies and writes what comes of them.
func (t *tuning) search(ctx context.Context, studies []tune.Study) ([]*tune.History, tune.Summary, error) {
	ctx, stop := untilSignal(ctx)
	defer stop()
	// Histories are written as a whole: whoever is second goes on from them.
	held, err := lock.Wait(ctx, lock.In(t.shared.out, "tune"), func() {
		fmt.Fprintf(t.shared.stderr, "another search writes to %s: waiting for it\n", t.shared.out)
	})
	if err != nil {
		return nil, tune.Summary{}, err
	}
	defer held.Release()
	ctx, lost := held.During(ctx)
	defer lost()
	bar := newBar(t.shared.stderr)
	defer bar.close()
	tuner := tune.Tuner{
		Out: t.shared.out, DataDir: t.shared.data, Workers: t.shared.workers, Device: t.shared.target,
		Hooks: tune.Hooks{
			Start: func(pending, found int) {
				bar.open(pending, fmt.Sprintf("%d trials to measure, %d found measured", pending, found))
			},
			Progress: bar.progress,
			Done:     func(s tune.Study, l tune.Line) { bar.tuned(s, l) },
		},
	}
	histories, sum, err := tuner.Run(ctx, studies)
	if err != nil {
		return histories, sum, err
	}
	return histories, sum, tuner.Write(histories)
}

// tuned says what came of a trial.
func (b *bar) tuned(s tune.Study, l tune.Line) {
	what := fmt.Sprintf("%s, trial %d (%s)", s, l.Trial, l.Phase)
	if l.Trial < 0 {
		what = fmt.Sprintf("%s, own options", s)
	}
	if l.Failed() {
		b.failed(what + ": " + l.Error)
		return
	}
	b.finished(fmt.Sprintf("%s: %s %.4f", what, s.Metric(), *l.Value), l.Seconds)
}

func (t *tuning) explain(err error, sum tune.Summary) error {
	var store *harness.StoreError
	switch {
	case harness.Interrupted(err):
		return fmt.Errorf("interrupted with %d trials left; run the same command again to go on: %w", sum.Left, err)
	case errors.Is(err, os.ErrNotExist) && !errors.As(err, &store):
		return fmt.Errorf("%w; --data DIR says where files are", err)
	}
	return err
}

// print shows the table, or the same for machines.
func (t *tuning) print(histories []*tune.History) error {
	if !t.asJSON {
		_, err := t.shared.stdout.Write(tune.Changes(histories))
		return err
	}
	enc := json.NewEncoder(t.shared.stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(tune.Results(histories))
}

// lastLine says what was done. Failed trials are no error as long as there is
// a best one: a search tries options that do not work.
func (t *tuning) lastLine(histories []*tune.History, sum tune.Summary) error {
	where := filepath.Join(t.shared.out, tune.SpecsDir)
	line := fmt.Sprintf("%d trials measured, %d found measured, %d of them failed; use the specs with --specs %s", sum.Finished, sum.Found, sum.Failed, where)
	var without []string
	for _, h := range histories {
		if _, ok := h.Best(); !ok {
			without = append(without, h.Study.String())
		}
	}
	if len(without) > 0 {
		return failure{fmt.Errorf("every trial failed of: %s; %s", strings.Join(without, "; "), line)}
	}
	fmt.Fprintln(t.shared.stderr, "done:", line)
	return nil
}
