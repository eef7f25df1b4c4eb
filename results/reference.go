package results

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"dgsbench/internal/optional"
	"dgsbench/internal/strictyaml"
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
type referenceKey struct{ task, setting, model, dataset, metric string }

type references map[referenceKey]Reference

// paperValues reads the paper's values.
var paperValues = sync.OnceValue(func() references {
	refs, err := parseReferences("reference/paper.yaml", paperYAML)
	if err != nil {
		panic(err) // the file is part of the program
	}
	return refs
})

// Paper is the value that the paper gives, if it gives one. dataset is the
// paper's name, in any case; model is our id.
func Paper(task, setting, model, dataset, metric string) (Reference, bool) {
	ref, ok := paperValues()[referenceKey{task, setting, model, strings.ToLower(dataset), metric}]
	return ref, ok
}

type referenceYAML struct {
	Paper  string `yaml:"paper"`
	Tables []struct {
		Source  string `yaml:"source"`
		Task    string `yaml:"task"`
		Setting string `yaml:"setting"`
		// model -> dataset -> metric -> mean, standard deviation (if given)
		Values map[string]map[string]map[string][]float64 `yaml:"values"`
	} `yaml:"tables"`
}

func parseReferences(file string, data []byte) (references, error) {
	doc, err := strictyaml.Parse(file, data)
	if err != nil {
		return nil, err
	}
	var y referenceYAML
	if err := doc.Decode(&y); err != nil {
		return nil, err
	}
	refs := references{}
	for _, table := range y.Tables {
		for model, datasets := range table.Values {
			for dataset, byMetric := range datasets {
				for metric, value := range byMetric {
					key := referenceKey{table.Task, table.Setting, model, strings.ToLower(dataset), metric}
					if _, twice := refs[key]; twice || len(value) < 1 || len(value) > 2 {
						return nil, fmt.Errorf("%s: %s on %s, %s: expected one mean, and its deviation if there is one", file, model, dataset, metric)
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
	return refs, nil
}
