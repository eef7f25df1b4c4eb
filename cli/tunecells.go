package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"dgsbench/datasets"
	"dgsbench/harness/tune"
	"dgsbench/protocol"
	"dgsbench/specs"
)

// studies are what the flags ask for.
func (t *tuning) studies(lib *specs.Library, withSetting bool) ([]tune.Study, error) {
	cells, err := t.cells(lib, withSetting)
	if err != nil {
		return nil, err
	}
	var out []tune.Study
	for i, c := range cells {
		if slices.ContainsFunc(cells[:i], c.isAt) {
			continue // a flag or the suite names it twice
		}
		m, err := lib.LoadModel(c.model)
		if err != nil {
			return nil, err
		}
		p := c.protocol
		p.Epochs, p.Patience = cmp.Or(t.epochs, p.Epochs), t.patience
		if t.negatives >= 0 && c.at.Task == protocol.LinkPrediction {
			p.ValNegatives = t.negatives
		}
		s, err := tune.NewStudy(m, c.at, p, t.trials, t.random, t.seed)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// cell is a model at a place, under a protocol.
type cell struct {
	model    string
	at       specs.Place
	protocol specs.Protocol
}

func (c cell) isAt(other cell) bool { return c.model == other.model && c.at == other.at }

func (t *tuning) cells(lib *specs.Library, withSetting bool) ([]cell, error) {
	if t.suite == "" {
		return t.named()
	}
	if withSetting {
		return nil, errors.New("--setting is for tuning without --suite: a suite has its own settings")
	}
	suite, err := lib.LoadSuite(t.suite)
	if err != nil {
		return nil, err
	}
	trials, err := suite.Trials(specs.Filter{Models: t.models, Datasets: t.datasets, Tasks: t.tasks, Seeds: 1})
	if err != nil {
		return nil, err
	}
	scored, _ := specs.SplitLatency(trials)
	var out []cell
	for _, trial := range scored {
		at := specs.Place{Dataset: trial.Dataset, Task: trial.Task, Setting: trial.Setting}
		if trial.Class == protocol.Learned && trial.Variant == "" {
			out = append(out, cell{trial.ModelID, at, trial.Protocol})
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("suite %q has no learned model to tune among those asked for", t.suite)
	}
	return out, nil
}

// named are the cells of --model, --dataset and --task.
func (t *tuning) named() ([]cell, error) {
	if len(t.models) == 0 || len(t.datasets) == 0 || len(t.tasks) == 0 {
		return nil, errors.New("expected --model, --dataset and --task, or --suite; bench models and bench data list their names")
	}
	if t.setting != string(protocol.Transductive) && t.setting != string(protocol.Inductive) {
		return nil, fmt.Errorf("--setting is %q, expected T or I", t.setting)
	}
	var out []cell
	for _, task := range t.tasks {
		for _, dataset := range t.datasets {
			at, err := t.place(dataset, protocol.Task(task))
			if err != nil {
				return nil, err
			}
			for _, model := range t.models {
				out = append(out, cell{model, at, specs.DefaultProtocol()})
			}
		}
	}
	return out, nil
}

// place checks that the dataset is there and can be used for the task.
func (t *tuning) place(dataset string, task protocol.Task) (specs.Place, error) {
	at := specs.Place{Dataset: dataset, Task: task}
	d, err := datasets.Lookup(dataset)
	switch {
	case err != nil:
		return at, err
	case task == protocol.LinkPrediction:
		at.Setting = protocol.Setting(t.setting)
	case task != protocol.NodeClassification:
		return at, fmt.Errorf("--task is %q, expected nc or lp", task)
	case !d.Labelled:
		return at, fmt.Errorf("dataset %q has no labels for the task %q", dataset, task)
	}
	return at, nil
}
