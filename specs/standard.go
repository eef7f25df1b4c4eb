package specs

import (
	"bytes"
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"text/template"
	"time"
	"unicode/utf8"

	"dgsbench/datasets"
)

// Effort is how much the standard suite trains.
type Effort struct {
	Events int // in all of its datasets, for which it takes about a quarter of an hour on two cores
	Seeds  int
	Epochs int
	Size   int // of states, memories and hidden layers; 0 for every model's own, as in the paper
}

// Efforts are those of the standard suite, the largest one first: the table of
// docs/your-data.md.
var Efforts = []Effort{
	{Events: 60_000, Seeds: 10, Epochs: 50},
	{Events: 250_000, Seeds: 10, Epochs: 50, Size: 32},
	{Events: 800_000, Seeds: 5, Epochs: 30, Size: 32},
	{Events: 2_000_000, Seeds: 3, Epochs: 20, Size: 32},
	{Events: 4_000_000, Seeds: 3, Epochs: 10, Size: 32},
	{Events: 16_000_000, Seeds: 1, Epochs: 5, Size: 32},
	{Events: datasets.MaxEvents, Seeds: 1, Epochs: 1, Size: 32},
}

//go:embed standard.yaml.tmpl
var standardYAML string

var standard = template.Must(template.New("standard").Parse(standardYAML))

// StandardSuite returns the YAML of the standard suite for datasets: node
// classification on those that are labelled, with latency tests, and link
// prediction on the others. It begins with the comment made. Labels are known
// delay after their events.
func StandardSuite(name, made string, data []datasets.Dataset, e Effort, delay time.Duration) []byte {
	var titles, labelled, unlabelled []string
	fewest := datasets.MaxEvents
	for _, d := range data {
		titles = append(titles, d.Title)
		fewest = min(fewest, d.Want.Events)
		if d.Labelled {
			labelled = append(labelled, strconv.Quote(d.Name))
		} else {
			unlabelled = append(unlabelled, strconv.Quote(d.Name))
		}
	}
	title := strings.Join(titles, ", ")
	if utf8.RuneCountInString(title) > 200 { // of the 300 that a title may have
		title = fmt.Sprintf("%s and %d more", data[0].Name, len(data)-1)
	}
	batch := max(10, min(fewest/100, 200))
	size := "the models' own sizes"
	if e.Size > 0 {
		size = fmt.Sprintf("sizes of %d", e.Size)
	}
	var out bytes.Buffer
	err := standard.Execute(&out, struct {
		Effort
		Made, Name, Title, Labelled, Unlabelled string
		Batch                                   int // a hundredth of the smallest dataset, so that a node rarely occurs twice in it
		Delay                                   int // of labels, seconds
		Alerts                                  int // a day: a ten-thousandth of the events of the stream
		Timed, Lead                             int // batches of the latency test, and events before them
	}{
		e, made, name, fmt.Sprintf("%s; %s", title, size), strings.Join(labelled, ", "), strings.Join(unlabelled, ", "),
		batch, int(delay.Seconds()), max(1, fewest/10_000), max(1, min(100, fewest/batch/4)), max(1, min(2000, fewest/4)),
	})
	if err != nil {
		panic(fmt.Sprintf("specs: %v", err))
	}
	return out.Bytes()
}
