package results

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"dgsbench/internal/optional"
	"dgsbench/internal/strictyaml"
	"dgsbench/protocol"
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

type references map[referenceKey]Reference

// paperFile is what paper.yaml holds: values, and how the models of the paper
// came to be.
type paperFile struct {
	references
	trials int                              // of the search, of which the best is printed
	states map[protocol.Task]map[string]int // task -> model -> numbers of a node's state, where the paper sets them
}

// reference reads the file.
var reference = sync.OnceValue(func() paperFile {
	p, err := parsePaper("reference/paper.yaml", paperYAML)
	if err != nil {
		panic(err) // the file is part of the program
	}
	return p
})

// Paper is the value that the paper gives, if it gives one. dataset is the
// paper's name, in any case; model is our id.
func Paper(task protocol.Task, setting protocol.Setting, model, dataset, metric string) (Reference, bool) {
	ref, ok := reference().references[referenceKey{task, setting, model, strings.ToLower(dataset), metric}]
	return ref, ok
}

type referenceYAML struct {
	Paper  string                           `yaml:"paper"`
	Trials int                              `yaml:"trials"`
	States map[protocol.Task]map[string]int `yaml:"states"`
	Tables []struct {
		Source  string           `yaml:"source"`
		Task    protocol.Task    `yaml:"task"`
		Setting protocol.Setting `yaml:"setting"`
		// model -> dataset -> metric -> mean, standard deviation (if given)
		Values map[string]map[string]map[string][]float64 `yaml:"values"`
	} `yaml:"tables"`
}

func parsePaper(file string, data []byte) (paperFile, error) {
	doc, err := strictyaml.Parse(file, data)
	if err != nil {
		return paperFile{}, err
	}
	var y referenceYAML
	if err := doc.Decode(&y); err != nil {
		return paperFile{}, err
	}
	refs := references{}
	for _, table := range y.Tables {
		for model, datasets := range table.Values {
			for dataset, byMetric := range datasets {
				for metric, value := range byMetric {
					key := referenceKey{table.Task, table.Setting, model, strings.ToLower(dataset), metric}
					if _, twice := refs[key]; twice || len(value) < 1 || len(value) > 2 {
						return paperFile{}, fmt.Errorf("%s: %s on %s, %s: expected one mean, and its deviation if there is one", file, model, dataset, metric)
					}
					ref := Reference{Mean: value[0], Std: optional.Absent(), Source: y.Paper + ", " + table.Source}
					if len(value) == 2 {
						ref.Std = optional.Number(value[1])
					}
					refs[key] = ref
				}
			}
		}
	}
	return paperFile{refs, y.Trials, y.States}, nil
}
