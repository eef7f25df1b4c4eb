package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"dgsbench/harness"
	"dgsbench/serve"

	"github.com/spf13/cobra"
)

// scoring is bench score with its flags.
type scoring struct {
	options
	serve.Options
	state, history, threshold string
	from                      int
	keepGoing, fresh          bool
	memory                    int64 // in MiB

	scorer interface {
		ScoreRecords([][]string, []float64) error
	}
	kept    *serve.State // nil without --state
	lines   *serve.Lines
	batch   []serve.Line // those that were refused have no record
	records int          // of the others
	next    int          // sequence number of the next event
	alert   float64      // the lowest score of one
	refused int
}

func newScore(o options) *cobra.Command {
	s := &scoring{options: o}
	cmd := s.with("quiet", &cobra.Command{
		Use: "score MODEL.safetensors < EVENTS > SCORES", Short: "Score events with a trained model", Args: cobra.ExactArgs(1),
		Long: "score reads events from standard input, CSV with a header line or JSON lines,\n" +
			"with the columns that the model's dataset was imported from, and writes each\n" +
			"line again with its sequence number, its score and, with --threshold, whether\n" +
			"it is an alert. Then the event is part of the state of its nodes. The model\n" +
			"is a checkpoint (bench all --checkpoints), and begins with the state from\n" +
			"before the test part. An answer is written as soon as no further line waits.\n" +
			"Exit codes: 2 for a line that is no event (1 at the end with --keep-going).",
		Example: "  bench score model.safetensors --threshold 20/day --state state < events.csv > scores.csv",
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.run(cmd.Context(), args[0], cmd.InOrStdin())
		},
	})
	f := cmd.Flags()
	f.IntVar(&s.Batch, "batch", 1, "score that many events at once, each from the state before them")
	f.StringVar(&s.history, "history", "", "file of events that come first and are not scored")
	f.BoolVar(&s.fresh, "fresh", false, "begin without the events that the checkpoint has met")
	f.StringVar(&s.state, "state", "", "folder that keeps the state: it is made, or continued")
	f.IntVar(&s.from, "from", -1, "with --state: sequence number of the first event of the input; those that are part of the state are answered again (default: the next one)")
	f.StringVar(&s.threshold, "threshold", "", "lowest score of an alert: a score, or one found in the validation part, as in 20/day (alerts) or 1%fpr (of events with label 0)")
	f.BoolVar(&s.keepGoing, "keep-going", false, "answer a line that is no event with nothing, and go on")
	f.BoolVar(&s.Backwards, "backwards", false, "accept times that go back; they count as that of the event before")
	f.IntVar(&s.MaxNodes, "max-nodes", 0, "most nodes that there is room for (default: 10 million)")
	f.Int64Var(&s.memory, "max-memory", 0, "most memory of states and names, in MiB (default: no limit)")
	f.BoolVar(&s.Evict, "evict", false, "where there is no room for a new node, forget the one without events for the longest time")
	f.IntVar(&s.Threads, "threads", 1, "threads of the model; scores do not depend on them")
	return cmd
}

// check finds flags that do not go together.
func (s *scoring) check() error {
	s.MaxMemory = s.memory << 20
	switch {
	case s.from >= 0 && s.state == "":
		return errors.New("--from needs --state, which has the answers that were given before")
	case s.memory < 0 || s.memory > 1<<40:
		return fmt.Errorf("--max-memory is %d MiB, expected a number of at least 0", s.memory)
	}
	for _, err := range []error{
		inRange("batch", s.Batch, 1, 100_000), inRange("max-nodes", s.MaxNodes, 0, 1<<31-1), inRange("threads", s.Threads, 1, maxThreads),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *scoring) run(ctx context.Context, path string, in io.Reader) (err error) {
	if err := s.check(); err != nil {
		return err
	}
	scorer, err := s.open(path)
	if err != nil {
		return err
	}
	if n := scorer.Numerics(); n != harness.Numerics {
		fmt.Fprintf(s.stderr, "warning: the model was trained with numerics %d, and this program has %d: scores may differ from the record's\n", n, harness.Numerics)
	}
	if s.threshold != "" {
		if s.alert, err = scorer.Threshold(s.threshold); err != nil {
			return fmt.Errorf("--threshold %s: %w", s.threshold, err)
		}
		fmt.Fprintf(s.progress(), "alerts are scores of at least %v\n", s.alert)
	}
	if s.lines, err = serve.NewLines(in, unwrapWriter(s.stdout), scorer.Columns(), s.threshold != ""); err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	// What was answered is in the log: an interruption need not wait for the line that
	// is read meanwhile.
	ctx, stop := untilSignal(ctx)
	defer stop()
	done := make(chan error, 1)
	go func() { done <- s.answerAll(scorer) }()
	select {
	case err = <-done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if !errors.As(err, new(failure)) { // the answers before a bad line count
		if flushed := s.flush(); flushed != nil {
			err = flushed
		}
	}
	if s.kept != nil {
		if closed := s.kept.Close(); closed != nil && !errors.As(err, new(failure)) {
			err = failure{closed}
		}
	}
	if err == nil && s.refused > 0 {
		err = failure{fmt.Errorf("%d lines are no events and were not scored", s.refused)}
	}
	return err
}

// open returns the scorer of a checkpoint, with the events of --history and the state
// of --state.
func (s *scoring) open(path string) (*serve.Scorer, error) {
	if s.state == "" {
		scorer, err := serve.Open(path, s.Options)
		if err != nil {
			return nil, err
		}
		s.scorer = scorer
		return scorer, s.observe(scorer)
	}
	isNew := false
	var err error
	s.kept, err = serve.Resume(s.state, path, s.Options, s.from, func(scorer *serve.Scorer) error {
		isNew = true
		return s.observe(scorer)
	})
	if err != nil {
		return nil, err
	}
	s.scorer = s.kept
	if s.from > s.kept.Events() {
		err = fmt.Errorf("--from is %d, and the state goes on with event %d", s.from, s.kept.Events())
	}
	if (s.history != "" || s.fresh) && !isNew {
		err = fmt.Errorf("--history and --fresh: the state in %s has begun", s.state)
	}
	if err != nil {
		s.kept.Close()
		return nil, err
	}
	fmt.Fprintf(s.progress(), "%s: the next event is number %d\n", s.state, s.kept.Events())
	return s.kept.Scorer, nil
}

// observe forgets all events if the flags say so, and folds in those of --history.
func (s *scoring) observe(scorer *serve.Scorer) error {
	if s.fresh {
		scorer.Forget()
	}
	if s.history == "" {
		return nil
	}
	file, err := os.Open(s.history)
	if err != nil {
		return err
	}
	defer file.Close()
	lines, err := serve.NewLines(file, io.Discard, scorer.Columns(), false)
	for err == nil {
		var line serve.Line
		var batch [][]string
		for len(batch) < s.Batch {
			if line, err = lines.Next(); err != nil {
				break
			}
			batch = append(batch, line.Record)
		}
		if len(batch) > 0 && (err == nil || err == io.EOF) {
			if problem := scorer.ObserveRecords(batch); problem != nil {
				return fmt.Errorf("%s, up to line %d: %w", s.history, line.Number, problem)
			}
		}
	}
	if err != io.EOF {
		return fmt.Errorf("%s: %w", s.history, err)
	}
	return nil
}

// answerAll answers the lines of the input, in order.
func (s *scoring) answerAll(scorer *serve.Scorer) error {
	s.next = scorer.Events()
	if s.from >= 0 {
		s.next = s.from
	}
	for {
		if !s.lines.Ready() || s.lines.Kept() >= 1<<16 {
			if err := s.flush(); err != nil {
				return err
			}
		}
		line, err := s.lines.Next()
		if err == io.EOF {
			break
		}
		bad, isBad := errors.AsType[*serve.LineError](err)
		switch {
		case isBad:
			line, err = bad.Line, s.refuse(&bad.Line, bad.Err)
		case err == nil && s.next < scorer.Events():
			var score float64
			if score, err = s.kept.Answered(s.next, line.Record); err == nil {
				s.write(line, score)
				continue
			}
			err = s.refuse(&line, err)
		}
		if err != nil {
			return err
		}
		s.batch = append(s.batch, line)
		if line.Record != nil {
			s.records++
		}
		if s.records == s.Batch || s.records == 0 {
			if err := s.answer(); err != nil {
				return err
			}
		}
	}
	for len(s.batch) > 0 {
		if err := s.answer(); err != nil {
			return err
		}
	}
	return nil
}

// answer scores the batch and writes its lines; or it refuses one of them, so that the
// batch waits for another. So batches do not depend on lines that are refused.
func (s *scoring) answer() error {
	var records [][]string
	var at []int
	for i, line := range s.batch {
		if line.Record != nil {
			records, at = append(records, line.Record), append(at, i)
		}
	}
	scores := make([]float64, len(records))
	if len(records) > 0 {
		err := s.scorer.ScoreRecords(records, scores)
		if bad, ok := errors.AsType[*serve.RecordError](err); ok {
			s.records--
			return s.refuse(&s.batch[at[bad.Record]], bad.Err)
		}
		if err != nil {
			return failure{err}
		}
	}
	for _, line := range s.batch {
		if line.Record == nil {
			s.lines.Write(line, serve.Answer{Refused: true})
			continue
		}
		s.write(line, scores[0])
		scores = scores[1:]
	}
	s.batch, s.records = s.batch[:0], 0
	return nil
}

// write answers a line with the score of the next event.
func (s *scoring) write(line serve.Line, score float64) {
	s.lines.Write(line, serve.Answer{Seq: s.next, Score: score, Alert: score >= s.alert})
	s.next++
}

// refuse says what is wrong with a line, which has no record from then on, and returns it
// as an error unless the others are to be answered.
func (s *scoring) refuse(line *serve.Line, why error) error {
	line.Record = nil
	err := fmt.Errorf("standard input:%d: %w", line.Number, why)
	if !s.keepGoing {
		return err
	}
	s.refused++
	fmt.Fprintln(s.stderr, "bench:", err)
	return nil
}

// flush commits what was answered, and then writes the answers.
func (s *scoring) flush() error {
	if s.kept != nil {
		if err := s.kept.Commit(); err != nil {
			return failure{err}
		}
	}
	if err := s.lines.Flush(); err != nil {
		return failure{fmt.Errorf("standard output: %w", err)}
	}
	return nil
}
