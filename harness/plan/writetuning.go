package plan

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"dgsbench/internal/escape"
)

// WriteJSON writes the plan for machines.
func (t Tuning) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(t)
}

// WriteText writes the plan for readers: a line a search, then what all of
// them take and how that is known.
func (t Tuning) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "Tuning on %s; %d trials side by side\n\n", t.Machine, t.Workers)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "MODEL\tDATASET\tTASK\tPARAMETERS\tTRIALS\tRANDOM\tEPOCHS\tFOUND\tSECONDS EACH\tLEFT\tMEMORY EACH\tTIME FROM")
	for _, s := range t.Searches {
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t1 + %d\t%d\t%d\t%d\t%s\t%s\t%s\t%s\n", s.Model, s.Dataset, s.task(),
			len(s.Parameters), s.Trials, s.Random, s.Epochs, s.Found, s.each(), s.left(), size(s.Memory), s.from())
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%d trials, %d to do: ", t.Trials, t.ToDo)
	t.writeTotal(w)
	for _, s := range t.Searches {
		if s.Problem != "" {
			fmt.Fprintf(w, "fails when tried out: %s: %s\n", s, escape.Text(s.Problem))
		}
	}
	writeMissing(w, t.Missing)
	return nil
}

// writeTotal ends the line about the trials with what they take.
func (t Tuning) writeTotal(w io.Writer) {
	if t.ToDo == 0 {
		fmt.Fprintln(w, "nothing is left")
		return
	}
	fmt.Fprintf(w, "about %s; %s if every trial were like the quickest of its search that was counted, %s if like the slowest\n",
		duration(t.Seconds.Mean), duration(t.Seconds.Least), duration(t.Seconds.Most))
	if !t.triedOut() {
		return
	}
	fmt.Fprintln(w, "tried out: the random trials that each search begins with, for a moment, scaled to all epochs; stopped early, they take less")
	fmt.Fprintf(w, "memory: up to %s at once by trials like those tried out, free: %s\n", size(t.Memory), free(t.Free, t.Known))
}

// triedOut reports whether any time comes from trials tried out.
func (t Tuning) triedOut() bool {
	return slices.ContainsFunc(t.Searches, func(s Search) bool { return s.Source == Tried || s.Source == StoodIn })
}

// String is the search in words.
func (s Search) String() string { return fmt.Sprintf("%s on %s, %s", s.Model, s.Dataset, s.task()) }

func (s Search) task() string {
	return strings.TrimSpace(string(s.Task) + " " + string(s.Setting))
}

func (s Search) each() string {
	if s.Counted == 0 {
		return s.left()
	}
	return fmt.Sprintf("%s (%s to %s)", digits(s.Each.Mean), digits(s.Each.Least), digits(s.Each.Most))
}

func (s Search) left() string {
	switch s.Source {
	case Measured:
		return "-"
	case Unplanned:
		return "?"
	}
	return duration(s.Seconds)
}

// from says where the time comes from, and how many trials tell it.
func (s Search) from() string {
	if s.Counted == 0 {
		return string(s.Source)
	}
	return fmt.Sprintf("%d %s", s.Counted, s.Source)
}
