package plan

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"dgsbench/internal/escape"
	"dgsbench/specs"
)

// WriteJSON writes the plan for machines.
func (p Plan) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(p)
}

// WriteText writes the plan for readers: a line a cell, then what all of it
// takes, then what cannot be measured yet.
func (p Plan) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "Suite %s: %s\non %s; %d trials side by side\n\n", p.Suite, p.About, p.Machine, p.Workers)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	onCard := func(string) string { return "" }
	if p.Card != nil {
		onCard = func(text string) string { return text + "\t" }
	}
	fmt.Fprintf(t, "DATASET\tTASK\tMODEL\tTRIALS\tTO DO\tSECONDS EACH\tHOURS\tMEMORY EACH\t%sTIME FROM\n", onCard("ON THE CARD"))
	for _, c := range p.Cells {
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d\t%s\t%.3f\t%s\t%s%s\n", c.Dataset, c.where(), specs.JoinRef(c.Model, c.Variant),
			c.Trials, c.ToDo, seconds(c), float64(c.ToDo)*c.Seconds/3600, size(c.Memory), onCard(size(c.OnCard)), c.Source)
	}
	if err := t.Flush(); err != nil {
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
	writeMissing(w, p.Missing)
	return nil
}

// writeMissing lists the datasets to be got first.
func writeMissing(w io.Writer, missing []Missing) {
	if len(missing) == 0 {
		return
	}
	fmt.Fprintln(w, "\nmissing; planned on simulated streams of the same numbers of events, nodes and features:")
	for _, m := range missing {
		fmt.Fprintf(w, "  %s\n", m.How)
	}
}

// Short is the plan in a line.
func (p Plan) Short() string {
	card := ""
	if p.Card != nil {
		card = fmt.Sprintf("the card's: up to %s, free: %s; ", size(p.Card.Memory), free(p.Card.Free, p.Card.Total > 0))
	}
	return fmt.Sprintf("%d to do: about %s (latency tests: %s), less where training is stopped early; memory: up to %s at once, free: %s; %sdisk: %s",
		p.ToDo, duration(p.Seconds), duration(p.Latency), size(p.Memory), free(p.Free, p.Known), card, size(p.Disk))
}

// where is a cell's task with its setting and case.
func (c Cell) where() string {
	out := string(c.Task)
	for _, part := range []string{string(c.Setting), c.Case} {
		if part != "" {
			out += " " + part
		}
	}
	return out
}

func seconds(c Cell) string {
	switch {
	case c.Source == Unplanned:
		return "?"
	case c.Source == Measured:
		return "-"
	}
	return digits(c.Seconds)
}

// digits writes three, and all before the point.
func digits(x float64) string {
	if x >= 100 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// duration is a number of seconds in words.
func duration(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}

// free is the memory that is free, in words.
func free(bytes int64, known bool) string {
	if !known {
		return "not known"
	}
	return size(bytes)
}

// size is a number of bytes in words.
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
