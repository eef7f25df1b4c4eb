package results

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"dgsbench/internal/optional"
	"dgsbench/internal/strictyaml"
	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results/table"
)

//go:embed reference/paper.yaml
var paperYAML []byte

// Reference is a published value. Mean and Std are in per cent, as printed,
// and times in seconds.
type Reference struct {
	Mean   float64
	Std    optional.Number // absent where none is given
	Source string          // paper and table
}

// referenceKey is what a published value is of. Names of datasets are in
// lower case.
type referenceKey struct {
	task                   protocol.Task
	setting                protocol.Setting
	model, dataset, metric string
}

// references are the file paper.yaml: values, and how the models of the paper
// came to be.
type references struct {
	Paper  string                           `yaml:"paper"`
	Trials int                              `yaml:"trials"` // of the search, of which the best is printed
	States map[protocol.Task]map[string]int `yaml:"states"` // task -> model -> numbers of a node's state, where the paper sets them
	Tables []struct {
		Source  string           `yaml:"source"`
		Task    protocol.Task    `yaml:"task"`
		Setting protocol.Setting `yaml:"setting"`
		// model -> dataset -> metric -> mean, standard deviation (if given)
		Values map[string]map[string]map[string][]float64 `yaml:"values"`
	} `yaml:"tables"`

	values map[referenceKey]Reference // of all tables
}

var reference = sync.OnceValue(func() references { return must(parsePaper("reference/paper.yaml", paperYAML)) })

// must returns what a file holds that is part of the program.
func must[T any](content T, err error) T {
	if err != nil {
		panic(err)
	}
	return content
}

func parsePaper(file string, data []byte) (references, error) {
	out := references{values: map[referenceKey]Reference{}}
	if err := strictyaml.Unmarshal(file, data, &out); err != nil {
		return references{}, err
	}
	for _, t := range out.Tables {
		for model, datasets := range t.Values {
			for dataset, byMetric := range datasets {
				for metric, value := range byMetric {
					key := referenceKey{t.Task, t.Setting, model, strings.ToLower(dataset), metric}
					if _, twice := out.values[key]; twice || len(value) < 1 || len(value) > 2 {
						return out, fmt.Errorf("%s: %s on %s, %s: expected one mean, and its deviation if there is one", file, model, dataset, metric)
					}
					ref := Reference{Mean: value[0], Std: optional.Absent(), Source: out.Paper + ", " + t.Source}
					if len(value) == 2 {
						ref.Std = optional.Number(value[1])
					}
					out.values[key] = ref
				}
			}
		}
	}
	return out, nil
}

// Paper returns the value that the paper gives, if it gives one. dataset is the
// paper's name, in any case; model is our id.
func Paper(task protocol.Task, setting protocol.Setting, model, dataset, metric string) (Reference, bool) {
	ref, ok := reference().values[referenceKey{task, setting, model, strings.ToLower(dataset), metric}]
	return ref, ok
}

// published returns the paper's value beside ours.
func published(d DatasetHead, task protocol.Task, at scoreRow, metric metrics.Metric) table.Entry {
	name := metric.Name
	if d.Against != "" {
		name += "_over_" + d.Against
	}
	e := paperEntry(task, at, d.PaperName, name, 1)
	if e.Value != nil {
		e.Value.Signed = d.Against != ""
	}
	return e
}

// paperEntry returns a value of paper.yaml, or nothing. Variants are not the
// paper's.
func paperEntry(task protocol.Task, at scoreRow, dataset, metric string, decimals int) table.Entry {
	m := at.model
	ref, ok := Paper(task, at.setting, m.ID, dataset, metric)
	if !ok || m.Variant != "" {
		return table.Entry{}
	}
	v := table.NewValue(ref.Mean, decimals)
	v.Std = ref.Std
	for _, a := range catalogue().About {
		v.Approximate = v.Approximate || a.Task == task && a.Metric == metric && a.Model == m.ID && strings.EqualFold(a.Dataset, dataset)
	}
	return table.Entry{Value: v}
}

// paperTest is the latency test of which the paper gives the times.
var paperTest = latencyMetric(200, 200)

// paperTime returns the paper's time of its test. Where the paper has it in a
// figure only, the entry has a note.
func paperTime(m ModelHead, dataset string, t *table.Table) table.Entry {
	const task = protocol.NodeClassification
	e := paperEntry(task, scoreRow{model: m}, dataset, paperTest, -1)
	if e.Value != nil || dataset == "" || m.Variant != "" {
		return e
	}
	for _, f := range catalogue().Figures {
		if f.Task == task && f.Metric == paperTest && slices.Contains(f.Models, m.ID) {
			e.Notes = t.Note("the paper shows this value in a figure only: it is not read off it")
		}
	}
	return e
}
