package plan

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"dgsbench/internal/escape"
	"dgsbench/results/table"
	"dgsbench/specs"
)

// WriteText writes the plan for readers: its cells, the sums, and what is missing.
func (p Plan) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "Suite %s: %s\non %s; %d trials side by side\n\n", p.Suite, p.About, p.Machine, p.Workers)
	heads := []string{"DATASET", "TASK", "MODEL", "TRIALS", "TO DO", "SECONDS EACH", "HOURS", "MEMORY EACH", "ON THE CARD", "TIME FROM"}
	const onCard = 8
	if p.Card == nil {
		heads = slices.Delete(heads, onCard, onCard+1)
	}
	t := table.New(heads...)
	for _, c := range p.Cells {
		row := []any{
			c.Dataset, c.where(), specs.JoinRef(c.Model, c.Variant), c.Trials, c.ToDo, c.Source.or(digits(c.Seconds)),
			table.Fixed(float64(c.ToDo)*c.Seconds/3600, 3), size(c.Memory), size(c.OnCard), string(c.Source),
		}
		if p.Card == nil {
			row = slices.Delete(row, onCard, onCard+1)
		}
		t.Add(row...)
	}
	if err := table.WriteList(w, t); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%d trials, %s\n", p.Trials, p.Short())
	if p.Card != nil && p.ToDo > 0 {
		p.Card.write(w, p.Workers)
	}
	for _, c := range p.Cells {
		if c.Problem != "" {
			fmt.Fprintf(w, "not in the plan: %s: %s\n", c.CellKey, escape.Text(c.Problem))
		}
	}
	return writeMissing(w, p.Missing, "missing; planned on simulated streams of the same numbers of events, nodes and features:")
}

// write writes what the plan takes of the card, and how several cards share the work.
func (c *Card) write(w io.Writer, workers int) {
	fmt.Fprintf(w, "one card: %s hours, %s of its %s of memory at most at once\n", digits(c.Hours), size(c.Memory), size(c.Total))
	if c.Largest > 0 {
		fmt.Fprintf(w, "largest trial: %s, %s of the card's memory: %d of them side by side\n", c.Which, size(c.Largest), min(c.Room, int64(workers)))
	}
	fmt.Fprintln(w, "estimated: a few windows on the card, as many side by side as will be measured so, scaled to whole trials\n"+
		"several cards: one run for each (--device cuda:0, --device cuda:1) in the same folder shares the work; divide the hours by their number")
}

// WriteCounts writes a plan of Count for readers: a line a cell, and the missing files.
func (p Plan) WriteCounts(w io.Writer) error {
	fmt.Fprintf(w, "Suite %s: %s\n\n", p.Suite, p.About)
	t := table.New("DATASET", "TASK", "MODEL", "TRIALS", "MEASURED", "TO DO")
	for _, c := range p.Cells {
		t.Add(c.Dataset, c.where(), specs.JoinRef(c.Model, c.Variant), c.Trials, c.Trials-c.ToDo, c.ToDo)
	}
	if err := table.WriteList(w, t); err != nil {
		return err
	}
	return writeMissing(w, p.Missing, "missing:")
}

// writeMissing lists the datasets without a file.
func writeMissing(w io.Writer, missing []Missing, head string) (err error) {
	if len(missing) > 0 {
		_, err = fmt.Fprintf(w, "\n%s\n", head)
	}
	for _, m := range missing {
		_, err = fmt.Fprintf(w, "  %s\n", m.How)
	}
	return err
}

// Short returns the plan in a line.
func (p Plan) Short() string {
	card := ""
	if p.Card != nil {
		card = fmt.Sprintf("the card's: up to %s, free: %s; ", size(p.Card.Memory), free(p.Card.Free, p.Card.Total > 0))
	}
	tests := "latency tests: " + duration(p.Latency)
	if p.Live > 0 {
		tests += ", live tests: " + duration(p.Live)
	}
	early := ""
	if p.Least < p.Seconds {
		early = fmt.Sprintf(", %s if all training stops as early as it may", duration(p.Least))
	}
	return fmt.Sprintf("%d to do: about %s (%s)%s; memory: up to %s at once, free: %s; %sdisk: %s",
		p.ToDo, duration(p.Seconds), tests, early, size(p.Memory), free(p.Free, p.Known), card, size(p.Disk))
}

// where returns a cell's task with its setting and case.
func (c Cell) where() string {
	return strings.Join(strings.Fields(fmt.Sprint(c.Task, " ", c.Setting, " ", c.Case)), " ")
}

// or returns the text of a time, unless there is none.
func (s Source) or(time string) string {
	switch s {
	case Unplanned:
		return "?"
	case Measured:
		return "-"
	}
	return time
}

// WriteText writes the plan for readers: its searches, the sums, and what is missing.
func (t Tuning) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "Tuning on %s; %d trials side by side\n\n", t.Machine, t.Workers)
	list := table.New("MODEL", "DATASET", "TASK", "PARAMETERS", "TRIALS", "RANDOM", "EPOCHS", "FOUND", "SECONDS EACH", "LEFT", "MEMORY EACH", "TIME FROM")
	for _, s := range t.Searches {
		left := s.Source.or(duration(s.Seconds))
		each, from := left, string(s.Source)
		if s.Counted > 0 {
			each = fmt.Sprintf("%s (%s to %s)", digits(s.Each.Mean), digits(s.Each.Least), digits(s.Each.Most))
			from = fmt.Sprintf("%d %s", s.Counted, s.Source)
		}
		list.Add(s.Model, s.Dataset, s.task(), len(s.Parameters), fmt.Sprintf("1 + %d", s.Trials), s.Random, s.Epochs, s.Found,
			each, left, size(s.Memory), from)
	}
	if err := table.WriteList(w, list); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%d trials, %d to do: %s\n", t.Trials, t.ToDo, t.sum())
	if slices.ContainsFunc(t.Searches, func(s Search) bool { return s.Source == Estimated || s.Source == StoodIn }) && t.ToDo > 0 {
		fmt.Fprintf(w, "estimated: a few windows of the random trials that each search begins with, scaled to all epochs; stopped early, they take less\n"+
			"memory: up to %s at once by trials like those estimated, free: %s\n", size(t.Memory), free(t.Free, t.Known))
	}
	for _, s := range t.Searches {
		if s.Problem != "" {
			fmt.Fprintf(w, "its estimate fails: %s: %s\n", s, escape.Text(s.Problem))
		}
	}
	return writeMissing(w, t.Missing, "missing; planned on simulated streams of the same numbers of events, nodes and features:")
}

// sum returns what all trials take together, in words.
func (t Tuning) sum() string {
	if t.ToDo == 0 {
		return "nothing is left"
	}
	return fmt.Sprintf("about %s; %s if every trial were like the quickest of its search that was counted, %s if like the slowest",
		duration(t.Seconds.Mean), duration(t.Seconds.Least), duration(t.Seconds.Most))
}

// String names model, dataset, task and setting.
func (s Search) String() string { return fmt.Sprintf("%s on %s, %s", s.Model, s.Dataset, s.task()) }

func (s Search) task() string { return strings.TrimSpace(string(s.Task) + " " + string(s.Setting)) }

// digits formats a number with three digits, and all before the point.
func digits(x float64) string {
	if x >= 100 {
		return table.Fixed(x, 0)
	}
	return fmt.Sprintf("%.3g", x)
}

// duration formats seconds: "1h2m3s".
func duration(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}

// free formats the bytes that are free.
func free(bytes int64, known bool) string {
	if !known {
		return "not known"
	}
	return size(bytes)
}

// size formats a number of bytes.
func size(bytes int64) string {
	switch {
	case bytes == 0:
		return "-"
	case bytes >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(bytes)/1e9)
	case bytes >= 1e6:
		return fmt.Sprintf("%.0f MB", float64(bytes)/1e6)
	}
	return fmt.Sprintf("%.0f kB", float64(bytes)/1e3)
}
