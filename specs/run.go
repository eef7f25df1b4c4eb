package specs

import (
	"fmt"
	"slices"
	"strings"

	"dgsbench/datasets"
	"dgsbench/internal/strictyaml"
	"dgsbench/internal/suggest"
	"dgsbench/models"
	"dgsbench/protocol"
)

// runYAML is one run of a suite: every model on every dataset in every
// setting and, where there are batch sizes, with each of them.
type runYAML struct {
	Task     strictyaml.Node            `yaml:"task"`
	Settings strictyaml.Node            `yaml:"settings"`
	Datasets strictyaml.Node            `yaml:"datasets"`
	Models   strictyaml.Node            `yaml:"models"`
	Protocol strictyaml.Node            `yaml:"protocol"`
	Batches  strictyaml.Node            `yaml:"batches"`
	Options  map[string]strictyaml.Node `yaml:"options"` // by id or id+variant, as in models
}

// addRun reads a run and adds its cells: those whose dataset, setting and
// model are right, so that mistakes in their options come to light too.
func (r *suiteReader) addRun(n strictyaml.Node, base Protocol) {
	var y runYAML
	r.errs.Add(n.Decode(&y))
	require(n, &r.errs, "task", "datasets", "models")
	task := readWord(y.Task, &r.errs, protocol.NodeClassification, protocol.LinkPrediction)
	settings := r.settings(n, y.Settings, task)
	data := r.datasets(y.Datasets, task)
	refs := r.refs(y.Models, task)
	shared := base.with(y.Protocol, &r.errs)
	if shared.Latency != nil && task == protocol.LinkPrediction {
		r.errs.Add(y.Task.Errorf("latency tests are of %s, found %s", protocol.NodeClassification, task))
	}
	if shared.WithinBatch == TBatch && task == protocol.LinkPrediction {
		r.errs.Add(y.Task.Errorf("within_batch: %s is for %s: candidates that are no node of the event would be ranked with events after it", TBatch, protocol.NodeClassification))
	}
	checkEffect(y.Protocol, task, shared, &r.errs)
	r.checkDerived(y.Protocol, shared, data, refs)
	cases := readCases(y.Batches, shared, &r.errs)
	if r.size += size(cases) * size(data) * size(settings) * size(refs); r.size > mostCells {
		return // newSuite reports it
	}
	r.checkOptionKeys(n.Get("options"), y.Models)
	r.checkTruth(y.Datasets, data, refs)
	for _, c := range cases {
		for _, dataset := range data {
			for _, setting := range settings {
				for _, ref := range refs {
					r.addCell(n, Place{dataset, task, setting}, ref, y.Options[ref], c)
				}
			}
		}
	}
}

// checkEffect refuses what a run's own protocol says in vain.
func checkEffect(own strictyaml.Node, task protocol.Task, resolved Protocol, errs *strictyaml.Errors) {
	latency := resolved.Latency != nil
	if latency && resolved.WithinBatch == TBatch {
		errs.Add(own.Errorf("a latency test answers whole windows, expected within_batch: %s", LastWrite))
	}
	for key, at := range own.Entries() {
		switch {
		case latency && !slices.Contains([]string{"batch", "within_batch", "latency"}, key):
			errs.Add(at.Errorf("it changes nothing in a latency test; leave the key out"))
		case latency || task != protocol.NodeClassification:
		case key == "train_negatives" || key == "candidates" || key == "filter" || key == "val_negatives" && resolved.ValNegatives > 0:
			errs.Add(at.Errorf("it changes nothing in node classification; leave the key out"))
		}
	}
}

// checkDerived refuses features from before the batch that are no others, or
// not those that states know of.
func (r *suiteReader) checkDerived(own strictyaml.Node, resolved Protocol, data, refs []string) {
	if resolved.DerivedFeatures != BeforeBatch {
		return
	}
	if resolved.WithinBatch == TBatch {
		r.errs.Add(own.Errorf("in t-batches states know of all earlier events of a node, expected derived_features: %s", BeforeEvent))
	}
	at := own.Get("derived_features")
	if at.Present() && len(data) > 0 && len(refs) > 0 && !r.looksBack(data, refs) {
		r.errs.Add(at.Errorf("it changes nothing where no model is given features that depend on earlier events; leave the key out"))
	}
}

// looksBack reports whether features of some cell depend on earlier events.
func (r *suiteReader) looksBack(data, refs []string) bool {
	for _, dataset := range data {
		d, _ := datasets.Lookup(dataset)
		for _, ref := range refs {
			id, _ := SplitRef(ref)
			use := r.models[id].Kind.Features
			if use != models.FeaturesIgnored && d.LooksBack(use == models.FeaturesRequired) {
				return true
			}
		}
	}
	return false
}

// size is what a list adds to the size of a run, also one with mistakes.
func size[T any](list []T) float64 { return max(1, float64(len(list))) }

// settings are those of link prediction; node classification, which knows
// none, gets the empty one.
func (r *suiteReader) settings(run, at strictyaml.Node, task protocol.Task) []protocol.Setting {
	switch {
	case task == protocol.NodeClassification && at.Present():
		r.errs.Add(at.Errorf("node classification has no settings; leave the key out"))
	case task == protocol.NodeClassification:
		return []protocol.Setting{""}
	case task == protocol.LinkPrediction && !at.Present():
		r.errs.Add(run.Errorf("link prediction needs settings: [%s], [%s] or both", protocol.Transductive, protocol.Inductive))
	}
	return readWords(at, &r.errs, protocol.Transductive, protocol.Inductive)
}

// datasets are the names in the list that fit the task.
func (r *suiteReader) datasets(n strictyaml.Node, task protocol.Task) []string {
	var out []string
	items := n.Items()
	for i, dataset := range readList[string](n, &r.errs) {
		at := items[i]
		if !checkDataset(at, dataset, &r.errs) {
			continue
		}
		if d, _ := datasets.Lookup(dataset); task == protocol.NodeClassification && !d.Labelled {
			r.errs.Add(at.Errorf("dataset %q has no labels for the task %q", dataset, task))
			continue
		}
		out = append(out, dataset)
	}
	return out
}

// refs are the models in the list that exist and can do the task.
func (r *suiteReader) refs(n strictyaml.Node, task protocol.Task) []string {
	var out []string
	items := n.Items()
	for i, ref := range readList[string](n, &r.errs) {
		if !r.errs.Full() && r.checkModel(items[i], ref, task) {
			out = append(out, ref)
		}
	}
	return out
}

// checkTruth: a dataset that hides nothing has no row for those who would
// know.
func (r *suiteReader) checkTruth(list strictyaml.Node, data, refs []string) {
	known := setOf(data)
	for _, item := range list.Items() {
		var dataset string
		if item.Decode(&dataset) != nil || !known[dataset] {
			continue // reported where the datasets are read
		}
		d, _ := datasets.Lookup(dataset)
		for _, ref := range refs {
			if id, _ := SplitRef(ref); !r.models[id].Kind.Fits(d) {
				r.errs.Add(item.Errorf("model %q knows the hidden state of simulated streams, and dataset %q has none; expected it in runs of simulated data", ref, dataset))
			}
		}
	}
}

func (r *suiteReader) checkModel(at strictyaml.Node, ref string, task protocol.Task) bool {
	id, variant := SplitRef(ref)
	m, ok := r.model(at, id)
	if !ok {
		return false
	}
	if _, known := m.variants[variant]; JoinRef(id, variant) != ref || variant != "" && !known {
		r.errs.Add(at.Errorf("%v", m.unknownVariant(strings.TrimPrefix(ref, id+"+"))))
		return false
	}
	if task != "" && !m.Kind.Supports(task) {
		tasks := strings.Join(texts(m.Kind.Tasks), ", ")
		r.errs.Add(at.Errorf("model %q cannot do the task %q; it can do: %s", id, task, tasks))
		return false
	}
	return true
}

// model reads the spec of a model once.
func (r *suiteReader) model(at strictyaml.Node, id string) (Model, bool) {
	if m, ok := r.models[id]; ok {
		return m, true
	}
	n, ok := r.lib.models[id]
	if !ok {
		r.errs.Add(at.Errorf("%s", unknown("model", id, r.lib.ModelIDs())))
		return Model{}, false
	}
	m, err := newModel(n)
	if err != nil {
		r.errs.Add(err) // with the place in its own file
		return Model{}, false
	}
	r.models[id] = m
	return m, true
}

// checkOptionKeys: options are for models of the run.
func (r *suiteReader) checkOptionKeys(options, list strictyaml.Node) {
	var refs []string
	if list.Decode(&refs) != nil {
		return // reported where the models are read
	}
	known := setOf(refs)
	for ref, at := range options.Entries() {
		if !known[ref] && !r.errs.Full() {
			r.errs.Add(at.Errorf("model %q is not in this run%s", ref, suggest.Hint(ref, refs)))
		}
	}
}

func (r *suiteReader) addCell(run strictyaml.Node, at Place, ref string, options strictyaml.Node, c protocolCase) {
	id, variant := SplitRef(ref)
	m := r.models[id]
	if r.lib.user[Entry{Name: id}] && !r.lib.user[Entry{Suite: true, Name: r.suite.Name}] {
		options = strictyaml.Node{} // a user's model has its own options in a suite of ours
	}
	resolved, err := m.resolve(at, variant, newLayer(block{Options: options}, &r.errs))
	if err != nil {
		r.errs.Add(err)
		return
	}
	if !c.fits(resolved.Options) {
		if !slices.Contains(r.lib.own, id) { // else it joins the suite's other cases
			r.errs.Add(run.Errorf("model %q reads states of other nodes than the event's own two; within_batch: %s would let it look ahead", ref, TBatch))
		}
		return
	}
	cell := fmt.Sprintf("%s (%s)", ref, at)
	if c.name != "" {
		cell = fmt.Sprintf("%s (%s, case %s)", ref, at, c.name)
	}
	if first, twice := r.taken[cell]; twice {
		if first != run { // else a list of the run names it twice, and that is reported
			r.errs.Add(run.Errorf("%s is in the run on line %d already", cell, first.Line()))
		}
		return
	}
	r.taken[cell] = run
	t := Trial{
		Suite: r.suite.Name, About: r.suite.Title, Dataset: at.Dataset, Task: at.Task, Setting: at.Setting, Case: c.name,
		ModelID: id, Variant: variant, Kind: m.Kind.Name, Title: m.title(variant), Class: m.Kind.Class,
		Options: resolved.Options, Origins: resolved.Origins, Protocol: c.Protocol,
	}
	r.suite.cells = append(r.suite.cells, t)
	if t.IsLatency() && m.Kind.Deploys {
		t.Deployed, t.Title = true, t.Title+", deployed"
		t.Variant = strings.TrimPrefix(t.Variant+"-deployed", "-")
		r.suite.cells = append(r.suite.cells, t)
	}
}
