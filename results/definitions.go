package results

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"dgsbench/internal/strictyaml"
	"dgsbench/protocol"
)

//go:embed reference/tables.yaml
var tablesYAML []byte

// definition is a table of reference/tables.yaml.
type definition struct {
	ID     string   `yaml:"id"`
	Kind   string   `yaml:"kind"` // see kinds
	Title  string   `yaml:"title"`
	Models []string `yaml:"models"` // as id or id+variant; all where there are none
	// Rank is what paper.yaml calls the paper's average rank of this table;
	// empty where it gives none.
	Rank string `yaml:"rank"`
}

// paperDataset is a dataset of the paper.
type paperDataset struct {
	Name string `yaml:"name"`
	// Against is the model from which the paper counts its values: it gives
	// differences.
	Against string `yaml:"against"`
	// Closed is why nobody else can measure it; empty where anybody can.
	Closed string `yaml:"closed"`
	// StandIn is our dataset in its place.
	StandIn    string `yaml:"stand_in"`
	Statistics string `yaml:"statistics"` // a note on the paper's sizes of it
}

// figureValues are values that the paper shows in a figure only.
type figureValues struct {
	Task   protocol.Task `yaml:"task"`
	Metric string        `yaml:"metric"`
	Models []string      `yaml:"models"`
}

// approximateValue is one that the paper calls approximate.
type approximateValue struct {
	Task    protocol.Task `yaml:"task"`
	Metric  string        `yaml:"metric"`
	Model   string        `yaml:"model"`
	Dataset string        `yaml:"dataset"`
}

// aspect is a row of the paper's comparison of two models, and the fact of
// records that answers the same question.
type aspect struct {
	Fact   string            `yaml:"fact"`
	Aspect string            `yaml:"aspect"`
	Values map[string]string `yaml:"values"` // model -> the paper's words
}

// definitions are the file reference/tables.yaml.
type definitions struct {
	Tables     []definition                 `yaml:"tables"`
	Default    []string                     `yaml:"default"`
	Datasets   []paperDataset               `yaml:"datasets"`
	Figures    []figureValues               `yaml:"figures"`
	About      []approximateValue           `yaml:"approximate"`
	Statistics map[string]map[string]string `yaml:"statistics"` // dataset -> quantity -> as printed
	Ranges     []paperRange                 `yaml:"ranges"`
	Aspects    []aspect                     `yaml:"aspects"`
}

var defined = sync.OnceValue(func() definitions {
	var d definitions
	doc, err := strictyaml.Parse("reference/tables.yaml", tablesYAML)
	if err == nil {
		err = doc.Decode(&d)
	}
	if err != nil {
		panic(err) // the file is part of the program
	}
	return d
})

// table finds a definition.
func (d definitions) table(id string) (definition, bool) {
	i := slices.IndexFunc(d.Tables, func(t definition) bool { return t.ID == id })
	if i < 0 {
		return definition{}, false
	}
	return d.Tables[i], true
}

// dataset finds one of the paper's datasets, by its name in any case.
func (d definitions) dataset(name string) paperDataset {
	for _, p := range d.Datasets {
		if strings.EqualFold(p.Name, name) {
			return p
		}
	}
	return paperDataset{}
}

// figureOnly reports whether the paper has the value, but in a figure only.
func (d definitions) figureOnly(task protocol.Task, model, metric string) bool {
	return slices.ContainsFunc(d.Figures, func(f figureValues) bool {
		return f.Task == task && f.Metric == metric && slices.Contains(f.Models, model)
	})
}

// approximate reports whether the paper calls the value so.
func (d definitions) approximate(task protocol.Task, model, dataset, metric string) bool {
	return slices.ContainsFunc(d.About, func(a approximateValue) bool {
		return a.Task == task && a.Metric == metric && a.Model == model && strings.EqualFold(a.Dataset, dataset)
	})
}
