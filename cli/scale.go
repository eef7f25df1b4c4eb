package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"dgsbench/harness"
	"dgsbench/harness/scale"
	"dgsbench/internal/regular"
	"dgsbench/protocol"
	"dgsbench/results/table"
	"dgsbench/specs"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// scaling is bench scale with its flags.
type scaling struct {
	options
	plan   scale.Plan
	format string
}

var scaleFormats = []string{"text", "markdown", "csv", "json"}

// count is a flag for a whole number, which may be written as 1e6.
type count struct{ n *int }

func (c count) String() string { return strconv.Itoa(*c.n) }
func (c count) Type() string   { return "count" }

func (c count) Set(text string) (err error) {
	*c.n, err = scale.ParseCount(text)
	return err
}

func newScale(o options) *cobra.Command {
	s := &scaling{options: o}
	cmd := s.with("out specs device dry-run quiet", &cobra.Command{
		Use: "scale MODEL --sweep AXIS=VALUE,VALUE...", Short: "Measure what an event costs as the stream or the model grows",
		Long: "scale feeds a model with a seeded stream, chunk by chunk, so that it may be\n" +
			"longer than the memory, and measures time, allocations and memory at each value\n" +
			"of an axis:\n\n  length    events of the stream      batch        events in a batch\n" +
			"  nodes     nodes of the stream       option:NAME  an option of the model\n" +
			"  features  features of an event       threads      threads of the processor\n\nSeveral --sweep are measured one after another, each from the same base. The\n" +
			"parameters are those before training. Table, numbers and figure are also written\n" +
			"to OUT/scale. Use an idle machine.",
		Example: "  bench scale dgs --sweep length=1e4,1e5,1e6 --sweep option:size=100,250\n" +
			"  bench scale dgs --mode training --task lp --sweep nodes=1e3,1e4 --length 2e4",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(cmd, args[0]) },
	})
	flags, p := cmd.Flags(), &s.plan
	p.Base = scale.Size{Events: 100_000, Nodes: 10_000, Features: 7, Batch: 200, Threads: runtime.GOMAXPROCS(0)}
	flags.Func("sweep", "axis and values, as in length=1e4,1e5; may be repeated", func(text string) error {
		sweep, err := scale.ParseSweep(text)
		p.Sweeps = append(p.Sweeps, sweep)
		return err
	})
	flags.Var(count{&p.Base.Events}, "length", "events of the stream")
	flags.Var(count{&p.Base.Nodes}, "nodes", "nodes, a tenth of them destinations")
	flags.Var(count{&p.Base.Features}, "features", "features of an event")
	flags.Var(count{&p.Base.Batch}, "batch", "events in a batch")
	flags.StringVar((*string)(&p.Mode), "mode", string(scale.Inference), "inference or training")
	flags.StringVar((*string)(&p.Task), "task", string(protocol.NodeClassification), "nc or lp")
	flags.StringVar((*string)(&p.Candidates), "candidates", string(protocol.Destinations),
		"what lp ranks against in inference: destinations or all_nodes")
	flags.Uint64Var(&p.Seed, "seed", 0, "of stream and parameters")
	flags.IntVar(&p.Base.Threads, "threads", p.Base.Threads, "threads the model may use")
	flags.Lookup("threads").DefValue = "all cores"
	formatFlag(cmd, &s.format, scaleFormats)
	flags.BoolVar(&s.asJSON, "json", false, "print JSON")
	cmd.MarkFlagsMutuallyExclusive("format", "json")
	return cmd
}

// run also writes what was measured before an interruption.
func (s *scaling) run(cmd *cobra.Command, ref string) error {
	if s.asJSON {
		s.format = "json"
	}
	where, err := s.prepare(ref)
	if err != nil {
		return err
	}
	if s.dryRun {
		return s.printPoints()
	}
	if err := s.makeOut(); err != nil {
		return err
	}
	ctx, stop := untilSignal(cmd.Context())
	defer stop()
	r, err := exclusively(ctx, &s.options, func(ctx context.Context, b *bar) (scale.Result, error) {
		return scale.Run(ctx, s.plan, b.scaling())
	})
	if err != nil && !(harness.Interrupted(err) && len(r.Points) > 0) {
		return err
	}
	r.Command = s.command(cmd.Flags(), ref)
	if err := s.write(r, where); err != nil {
		return err
	}
	if err != nil {
		return fmt.Errorf("interrupted, %d points were measured and are in %s.*: %w", len(r.Points), where, err)
	}
	if err := s.print(r); err != nil {
		return err
	}
	line := fmt.Sprintf("%d points measured, %d failed; table, numbers and figure are in %s.*", len(r.Points)-r.Failed(), r.Failed(), where)
	return s.done(line, r.Failed() > 0)
}

// prepare completes the plan, and checks what can be checked before anything
// is measured. The files that are written begin with where.
func (s *scaling) prepare(ref string) (where string, err error) {
	if err := checkFormat(s.format, scaleFormats); err != nil {
		return "", err
	}
	lib, err := s.library()
	if err != nil {
		return "", err
	}
	id, variant := specs.SplitRef(ref)
	if s.plan.Model, err = lib.LoadModel(id); err != nil {
		return "", err
	}
	s.plan.Variant = variant
	if s.plan.Device, err = s.findDevice(); err != nil {
		return "", err
	}
	name := fmt.Sprintf("%s-%s-%s", specs.JoinRef(id, variant), s.plan.Mode, s.plan.Task)
	if s.deviceWord() != "" {
		name += "-" + s.plan.Device.Name()
	}
	where = filepath.Join(s.out, "scale", name)
	err = s.checkOut()
	for _, ending := range []string{".md", ".csv", ".json", ".svg"} {
		if err == nil {
			err = regular.Replaceable(where + ending)
		}
	}
	return where, err
}

// printPoints lists the points without measuring them.
func (s *scaling) printPoints() error {
	points, err := s.plan.Points()
	if err != nil {
		return err
	}
	events := 0
	t := table.New("AXIS", "VALUE", "EVENTS", "NODES", "FEATURES", "BATCH")
	for _, p := range points {
		t.Add(p.Axis, p.Value, p.Events, p.Nodes, p.Features, p.Batch)
		events += p.Events
	}
	if err := table.WriteList(s.stdout, t); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.stdout, "\n%d points would be measured, %d events in all\n", len(points), events)
	return err
}

func (b *bar) scaling() scale.Hooks {
	return scale.Hooks{
		Start:    func(points int) { b.open(points, fmt.Sprintf("%d points to measure", points)) },
		Progress: b.progress,
		Done: func(p scale.Point, took time.Duration) {
			b.finished(p.Axis+"="+p.Value, p.Error, fmt.Sprintf(": %.3f us/event", float64(p.Micros)), took.Seconds())
		},
	}
}

// command returns what measures the same again.
func (s *scaling) command(flags *pflag.FlagSet, ref string) string {
	words := []string{"bench scale", ref}
	for _, sweep := range s.plan.Sweeps {
		words = append(words, fmt.Sprintf("--sweep %s=%s", sweep.Axis, strings.Join(sweep.Values, ",")))
	}
	flags.Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "sweep", "out", "format", "json", "quiet":
		default:
			words = append(words, "--"+f.Name+" "+f.Value.String())
		}
	})
	return strings.Join(words, " ")
}

func (s *scaling) print(r scale.Result) error {
	switch s.format {
	case "json":
		return writeJSON(s.stdout, r)
	case "csv":
		return r.WriteCSV(s.stdout)
	}
	return writeTable(s.stdout, r.Table(), s.format)
}

// write writes table, numbers and figure to files that begin with where.
func (s *scaling) write(r scale.Result, where string) error {
	var markdown, csv, json bytes.Buffer
	figure, err := r.SVG()
	if err := errors.Join(err, writeTable(&markdown, r.Table(), "markdown"), r.WriteCSV(&csv), writeJSON(&json, r)); err != nil {
		return err
	}
	folder, name := filepath.Split(where)
	files := map[string][]byte{name + ".md": markdown.Bytes(), name + ".csv": csv.Bytes(), name + ".json": json.Bytes()}
	if figure != nil {
		files[name+".svg"] = figure
	}
	return s.writeFiles(folder, files)
}
