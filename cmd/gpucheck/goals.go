//go:build gpu

package main

import (
	_ "embed"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"dgsbench/harness/latency"
	"dgsbench/internal/lists"
	"dgsbench/internal/strictyaml"
	"dgsbench/results/table"
)

//go:embed goals.yaml
var goalsYAML []byte

// Goal is what the project wants to reach: see goals.yaml.
type Goal struct {
	Goal  string `yaml:"goal"`
	Task  string `yaml:"task"`
	Model string `yaml:"model"`
	Way   string `yaml:"way"`

	AtMostMS float64 `yaml:"at_most_ms"`
	Times    float64 `yaml:"times"`
	Than     string  `yaml:"than"` // another way
}

// Reached compares a goal with what was measured.
type Reached struct {
	Goal     string `json:"goal"`
	Wanted   string `json:"wanted"`
	Measured string `json:"measured"`
	// Percent of the goal: from 100 on it is met. 0 before it is measured.
	Percent float64 `json:"percent"`
}

func readGoals() (all []Goal, err error) {
	err = strictyaml.Unmarshal("goals.yaml", goalsYAML, &all)
	return all, err
}

// reach compares all goals with what was measured.
func reach(times []Time) ([]Reached, error) {
	goals, err := readGoals()
	return lists.Map(goals, func(g Goal) Reached { return g.reach(times) }), err
}

func (g Goal) reach(times []Time) Reached {
	ours := g.medianOf(times, g.Way)
	r := Reached{Goal: g.Goal, Wanted: fmt.Sprintf("at most %g ms", g.AtMostMS), Measured: g.missing(times)}
	measured, percent := fmt.Sprintf("%.3g ms", 1e3*ours), 100*g.AtMostMS/(1e3*ours)
	if g.Than != "" {
		ratio := g.medianOf(times, g.Than) / ours
		r.Wanted = fmt.Sprintf("%g times as fast as %s", g.Times, g.Than)
		measured, percent = fmt.Sprintf("%.3g times", ratio), 100*ratio/g.Times
	}
	if !math.IsNaN(percent) && !math.IsInf(percent, 0) {
		r.Measured, r.Percent = measured, percent
	}
	return r
}

// missing says which times are missing to compare a goal with.
func (g Goal) missing(times []Time) string {
	if len(times) == 0 {
		return "not yet measured"
	}
	var ways []string
	for _, way := range []string{g.Way, g.Than} {
		if way != "" && math.IsNaN(g.medianOf(times, way)) {
			ways = append(ways, way)
		}
	}
	return "not measured: no time of " + strings.Join(ways, ", nor of ")
}

// medianOf is the seconds that the goal's task took in some way, NaN if unknown.
func (g Goal) medianOf(times []Time, way string) float64 {
	for _, t := range times {
		if t.Task == g.Task && t.Model == g.Model && t.Way == way {
			return latency.Middle(t.Seconds)
		}
	}
	return math.NaN()
}

// verdict is empty for a goal that was not measured.
func (r Reached) verdict() string {
	switch {
	case r.Percent == 0:
		return ""
	case r.Percent < 100:
		return fmt.Sprintf("NOT MET (%.0f%%)", math.Floor(r.Percent))
	}
	return fmt.Sprintf("met (%.0f%%)", r.Percent)
}

func goalsTable(all []Reached) string {
	t := table.New("goal", "wanted", "measured", "reached")
	for _, r := range all {
		t.Add(r.Goal, r.Wanted, r.Measured, r.verdict())
	}
	return markdown(t)
}

// goalsText compares the newest results in a folder with the goals.
func goalsText(dir string) (string, error) {
	newest, err := newestResults(dir)
	if err != nil {
		return "", err
	}
	all, err := reach(newest.Times)
	if err != nil {
		return "", err
	}
	of := ""
	if newest.Date != "" {
		of = fmt.Sprintf("%s, %s, code %s:\n\n", newest.Facts.Card, newest.Date, newest.Facts.Code)
	}
	return of + goalsTable(all), nil
}

// newestResults are those with the latest date, if any. Tiny ones do not count.
func newestResults(dir string) (newest Results, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	for _, file := range files {
		var r Results
		err = errors.Join(err, r.read(file))
		if !r.Tiny && r.Date > newest.Date {
			newest = r
		}
	}
	return newest, err
}
