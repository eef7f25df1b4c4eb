// Command speed draws the file of scripts/speed_history.py.
//
//	go run ./results/speed HISTORY.csv > HISTORY.svg
package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"dgsbench/results/figure"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: speed HISTORY.csv")
		os.Exit(2)
	}
	if err := draw(os.Args[1], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(1)
	}
}

// The columns of a history: a row is how many times as fast as the reference a commit is in a
// test, with an interval.
var columns = []string{"date", "commit", "reference", "machine", "test", "model", "speed", "low", "high"}

func draw(file string, to io.Writer) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err == nil && (len(rows) < 2 || !slices.Equal(rows[0], columns)) {
		err = errors.New("expected a row below the columns " + fmt.Sprint(columns))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	panels, err := panelsOf(rows[1:])
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	drawing, err := figure.Draw(figure.Size{Width: 8, Height: 6}, 3, panels)
	if err != nil {
		return err
	}
	_, err = to.Write(drawing.SVG)
	return err
}

// panelsOf returns a panel a test, with a line a model over the commits in their order.
func panelsOf(rows [][]string) (panels []figure.Panel, err error) {
	var commits, days []string
	var models []string // whose colours are alike in all panels
	for i, row := range rows {
		date, commit, test, model := row[0], row[1], row[4], row[5]
		if !slices.Contains(commits, commit) {
			commits, days = append(commits, commit), append(days, date[max(0, len(date)-len("01-02")):])
		}
		if !slices.Contains(models, model) {
			models = append(models, model)
		}
		var speed [3]float64
		for j, text := range row[6:] {
			if speed[j], err = strconv.ParseFloat(text, 64); err != nil {
				return nil, fmt.Errorf("line %d: %w", i+2, err)
			}
		}
		p := slices.IndexFunc(panels, func(p figure.Panel) bool { return p.Title == test })
		if p < 0 {
			p = len(panels)
			panels = append(panels, figure.Panel{Title: test, Y: figure.Axis{Label: "times as fast as " + row[2], Scale: figure.Log}})
		}
		panel := &panels[p]
		s := slices.IndexFunc(panel.Series, func(s figure.Series) bool { return s.Name == model })
		if s < 0 {
			s = len(panel.Series)
			panel.Series = append(panel.Series, figure.Series{Name: model, Color: slices.Index(models, model), Mark: figure.Dot, Line: figure.Solid})
		}
		at := figure.At(float64(slices.Index(commits, commit)), 0)
		at.Y = figure.Value{Mean: speed[0], Low: speed[1], High: speed[2]}
		panel.Series[s].Points = append(panel.Series[s].Points, at)
	}
	for i := range panels {
		panels[i].X = figure.Axis{Label: "commit of", Names: days, Min: -.3, Max: float64(len(days)) - .7}
	}
	return panels, nil
}
