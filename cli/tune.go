package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"dgsbench/datasets"
	"dgsbench/harness"
	"dgsbench/harness/plan"
	"dgsbench/harness/tune"
	"dgsbench/internal/lock"
	"dgsbench/kernels/devices"
	"dgsbench/protocol"
	"dgsbench/results"
	"dgsbench/specs"

	"github.com/spf13/cobra"
)

// tuning is bench tune with its flags.
type tuning struct {
	options
	setting          string
	trials, random   int
	epochs, patience int
	negatives        int // of a validation event; -1 for those of the protocol
	seed             uint64
}

func newTune(o options) *cobra.Command {
	t := &tuning{options: o}
	cmd := t.with(folderFlags+"device on on-options quiet verbose", &cobra.Command{
		Use: "tune", Short: "Search the options of models on the validation part",
		Long: "tune searches the ranges of a model's spec (bench spec show MODEL): first random\n" +
			"trials, then tree-structured Parzen estimators. A trial is trained with early\n" +
			"stopping and judged by its best epoch on the validation part; the test part is\n" +
			"not looked at. The model's own options are measured beside them.\n\nWithout --suite, it tunes --model on --dataset for --task. With --suite, it\n" +
			"tunes every learned model of the suite wherever the suite scores it, under the\n" +
			"suite's protocol; the three flags narrow that down.\n\nIt writes to OUT/tuned a history with a line for each trial, figures, a table of\n" +
			"what tuning changed, and in OUT/tuned/specs the specs with the options that it\n" +
			"found, for --specs of other commands. The same command continues where it\n" +
			"stopped, and with --dry-run says what is left and how long it takes: by the\n" +
			"trials so far, or by running a few windows of some. With one worker for each\n" +
			"model the seed decides the result; more of them make later trials depend on\n" +
			"which one ends first.",
		Example: "  bench tune --model dgs --dataset shop-sim --task nc --trials 20 --random 14\n" +
			"  bench tune --suite quick --trials 20 --random 14 --val-negatives 50 --out tuning\n" +
			"  bench all --suite quick --specs tuning/tuned/specs --out bench-tuned",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.run(cmd.Context(), cmd.Flags().Changed("setting"))
		},
	})
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
	flags.IntVar(&t.negatives, "val-negatives", -1, "lp: sampled candidates that a validation event is ranked against; "+
		"0 for all (default: those of the protocol)")
	flags.Lookup("val-negatives").DefValue = ""
	flags.Uint64Var(&t.seed, "seed", 0, "of the search and of the models")
	flags.IntVar(&t.workers, "workers", 0, "trials side by side (default: one a core, at most 8 on a card)")
	flags.BoolVar(&t.dryRun, "dry-run", false, "print what would be done, how long it takes and how much memory")
	flags.BoolVar(&t.asJSON, "json", false, "print JSON instead of the table")
	return cmd
}

func (t *tuning) run(ctx context.Context, withSetting bool) error {
	if t.epochs < 0 || t.patience < 0 || t.negatives < -1 {
		return errors.New("--epochs, --patience and --val-negatives are 0 or more")
	}
	if err := errors.Join(inRange("workers", t.workers, 0, maxThreads), inRange("trials", t.trials, 1, tune.MostTrials)); err != nil {
		return err
	}
	lib, err := t.library()
	if err != nil {
		return err
	}
	studies, err := t.studies(lib, withSetting)
	if err != nil {
		return err
	}
	if p := partOf(ctx); p != nil {
		return t.serve(ctx, p, studies)
	}
	on, err := t.ready(firstTrials(studies))
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	if t.dryRun {
		return t.printPlan(ctx, studies, on)
	}
	if err := t.makeOut(); err != nil {
		return err
	}
	histories, sum, err := t.search(ctx, studies, on)
	if err != nil {
		return err
	}
	err = t.printValue(tune.Results(histories), func(w io.Writer) error { return tune.WriteChanges(w, histories) })
	if err != nil {
		return err
	}
	return t.lastLine(histories, sum)
}

// firstTrials returns a trial of each study.
func firstTrials(studies []tune.Study) (trials []specs.Trial) {
	for _, s := range studies {
		if t, err := s.RandomTrial(0); err == nil {
			trials = append(trials, t)
		}
	}
	return trials
}

func (t *tuning) search(ctx context.Context, studies []tune.Study, on devices.Target) ([]*tune.History, harness.Summary, error) {
	// Histories are written as a whole: a second search continues from those of the first.
	held, err := lock.Wait(ctx, lock.In(t.out, "tune"), func() {
		fmt.Fprintf(t.progress(), "another search writes to %s: waiting for it\n", t.out)
	})
	if err != nil {
		return nil, harness.Summary{}, err
	}
	defer held.Release()
	ctx, lost := held.During(ctx)
	defer lost()
	bar := t.newBar()
	defer bar.close()
	tuner := tune.Tuner{Out: t.out, DataDir: t.data, Workers: t.workers, Device: on, Hooks: bar.tuning()}
	run := tuner.Run
	if t.on != "" {
		run = func(ctx context.Context, studies []tune.Study) ([]*tune.History, harness.Summary, error) {
			return t.searchOn(ctx, tuner, studies)
		}
	}
	histories, sum, err := run(ctx, studies)
	if harness.Interrupted(err) {
		err = fmt.Errorf("interrupted with %d trials left; run the same command again to go on: %w", sum.Left, err)
	}
	return histories, sum, explainMissing(err)
}

// searches returns a search of --tune trials for each learned model of the selection.
func (s selection) searches() (*tuning, []tune.Study, error) {
	t := &tuning{options: s.options, trials: s.tune, random: (7*s.tune + 9) / 10, patience: 10, negatives: -1}
	var studies []tune.Study
	err := addTrials(s.trials, t.adder(s.lib, &studies))
	if err == nil && len(studies) == 0 {
		err = fmt.Errorf("--tune: suite %q has no learned model to tune among those asked for", s.suite)
	}
	return t, studies, err
}

// tuned searches the options of the learned models with --tune trials each, and
// returns the selection with the options that it found. Before the trials of the
// suite it says how many those of the search are.
func (s selection) tuned(ctx context.Context) (selection, error) {
	if s.specs != "" {
		return s, errors.New("--tune takes the place of --specs: leave one of them out")
	}
	if err := inRange("tune", s.tune, 1, tune.MostTrials); err != nil {
		return s, err
	}
	t, studies, err := s.searches()
	if err != nil {
		return s, err
	}
	on, err := s.ready(s.trials)
	if err != nil {
		return s, err
	}
	if err := s.makeOut(); err != nil {
		return s, err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	fmt.Fprintf(s.progress(), "tuning: %s of %d trials each, and each model's own options\n", results.Count(len(studies), "model"), s.tune)
	if _, _, err := t.search(ctx, studies, on); err != nil {
		return s, err
	}
	return s.withTuned(ctx)
}

// withTuned returns the selection with the options that a search has found.
func (s selection) withTuned(ctx context.Context) (selection, error) {
	o, files := s.options, s.suiteFiles
	o.specs = filepath.Join(s.out, tune.SpecsDir)
	for _, model := range s.ownModels {
		files = append(files, filepath.Join(o.specs, model+".yaml"))
	}
	again, err := o.choose(ctx, files, false)
	again.trials = again.present(again.trials)
	return again, err
}

func (b *bar) tuning() tune.Hooks {
	return tune.Hooks{
		Start: func(pending, found int) {
			b.open(pending, fmt.Sprintf("%d trials to measure, %d found measured", pending, found))
		},
		Progress: b.progress,
		Done: func(s tune.Study, l tune.Line) {
			what := fmt.Sprintf("%s, trial %d (%s)", s, l.Trial, l.Phase)
			if l.Trial < 0 {
				what = fmt.Sprintf("%s, own options", s)
			}
			if l.Failed() {
				b.finished(what, cmp.Or(l.Error, "no validation"), "", l.Seconds)
				return
			}
			b.finished(what, "", fmt.Sprintf(": %s %.4f", s.Metric(), *l.Value), l.Seconds)
		},
	}
}

func (t *tuning) printPlan(ctx context.Context, studies []tune.Study, on devices.Target) error {
	b := t.newBar()
	q := plan.Question{Studies: studies, Store: t.store(), DataDir: t.data, Workers: t.workers, Device: on}
	p, err := plan.MakeTuning(ctx, q, b.planning("trials"))
	b.close()
	if err != nil {
		return err
	}
	err = t.printValue(p, p.WriteText)
	if s, found := p.TooLarge(); err == nil && found {
		err = fmt.Errorf("trials of %s need %.1f GB of memory, %.1f GB are free; "+
			"leave it out with --model, narrow its ranges down, or use a machine with more",
			s, float64(s.Memory)/1e9, float64(p.Free)/1e9)
	}
	return err
}

// lastLine prints what was done. Failed trials are no error as long as there is
// a best one: a search tries options that do not work.
func (t *tuning) lastLine(histories []*tune.History, sum harness.Summary) error {
	where := filepath.Join(t.out, tune.SpecsDir)
	line := fmt.Sprintf("%d trials measured, %d found measured, %d of them failed; use the specs with --specs %s",
		sum.Finished, sum.Found, sum.Failed, where)
	var without []string
	for _, h := range histories {
		if h.Best().Failed() {
			without = append(without, h.Study.String())
		}
	}
	if len(without) > 0 {
		line = fmt.Sprintf("every trial failed of: %s; %s", strings.Join(without, "; "), line)
	}
	return t.done(line, len(without) > 0)
}

// adder returns a function that adds a study to out, unless it is there.
func (t *tuning) adder(lib *specs.Library, out *[]tune.Study) func(model string, at specs.Place, p specs.Protocol) error {
	return func(model string, at specs.Place, p specs.Protocol) error {
		if slices.ContainsFunc(*out, func(s tune.Study) bool { return s.Model.ID == model && s.At == at }) {
			return nil
		}
		m, err := lib.LoadModel(model)
		if err != nil {
			return err
		}
		p.Epochs, p.Patience = cmp.Or(t.epochs, p.Epochs), t.patience
		if t.negatives >= 0 && at.Task == protocol.LinkPrediction {
			p.ValNegatives = t.negatives
		}
		s, err := tune.NewStudy(m, at, p, t.trials, t.random, t.seed)
		*out = append(*out, s)
		return err
	}
}

// studies returns what the flags ask for, each once.
func (t *tuning) studies(lib *specs.Library, withSetting bool) (out []tune.Study, err error) {
	add := t.adder(lib, &out)
	switch {
	case t.suite == "":
		err = t.addNamed(add)
	case withSetting:
		err = errors.New("--setting is for tuning without --suite: a suite has its own settings")
	default:
		err = t.addSuite(lib, add)
	}
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("suite %q has no learned model to tune among those asked for", t.suite)
	}
	return out, err
}

// addSuite adds the learned models of --suite, wherever it scores them.
func (t *tuning) addSuite(lib *specs.Library, add func(string, specs.Place, specs.Protocol) error) error {
	suite, err := lib.LoadSuite(t.suite)
	if err != nil {
		return err
	}
	trials, err := suite.Trials(specs.Filter{Models: t.models, Datasets: t.datasets, Tasks: t.tasks, Seeds: 1})
	if err != nil {
		return err
	}
	return addTrials(t.withoutMissing(trials), add)
}

// addTrials adds the learned models wherever the trials score them.
func addTrials(trials []specs.Trial, add func(string, specs.Place, specs.Protocol) error) error {
	for _, trial := range trials {
		if !trial.Kind.Trainable() || trial.Variant != "" || trial.IsTimed() {
			continue
		}
		at := trial.Place()
		if err := add(trial.ModelID, at, trial.Protocol); err != nil {
			return err
		}
	}
	return nil
}

// addNamed adds the models of --model on every --dataset for every --task.
func (t *tuning) addNamed(add func(string, specs.Place, specs.Protocol) error) error {
	if len(t.models) == 0 || len(t.datasets) == 0 || len(t.tasks) == 0 {
		return errors.New("expected --model, --dataset and --task, or --suite; bench models and bench data list their names")
	}
	if t.setting != string(protocol.Transductive) && t.setting != string(protocol.Inductive) {
		return fmt.Errorf("--setting is %q, expected T or I", t.setting)
	}
	for _, task := range t.tasks {
		for _, dataset := range t.datasets {
			at := specs.Place{Dataset: dataset, Task: protocol.Task(task)}
			d, err := datasets.Lookup(dataset)
			switch {
			case err != nil:
				return err
			case at.Task == protocol.LinkPrediction:
				at.Setting = protocol.Setting(t.setting)
			case at.Task != protocol.NodeClassification:
				return fmt.Errorf("--task is %q, expected nc or lp", task)
			case !d.Labelled:
				return fmt.Errorf("dataset %q has no labels for the task %q", dataset, task)
			}
			for _, model := range t.models {
				if err := add(model, at, specs.DefaultProtocol()); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
