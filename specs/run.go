package specs

import (
	"fmt"
	"slices"
	"strings"

	"dgsbench/datasets"
	"dgsbench/internal/lists"
	"dgsbench/internal/strictyaml"
	"dgsbench/internal/suggest"
	"dgsbench/metrics"
	"dgsbench/models"
	"dgsbench/protocol"
)

// runYAML is one run of a suite: every model on every dataset in every
// setting and, where there are batch sizes, with each of them.
type runYAML struct {
	Task     protocol.Task      `yaml:"task" words:"nc lp" key:"required"`
	Settings []protocol.Setting `yaml:"settings" words:"T I" list:"some distinct"`
	Datasets []string           `yaml:"datasets" list:"some distinct" key:"required"`
	Models   []string           `yaml:"models" list:"some distinct" key:"required"` // as id or id+variant
	// SkipMissing leaves out datasets whose file is missing, unless it is that of all.
	SkipMissing bool                       `yaml:"skip_missing"`
	Protocol    strictyaml.Node            `yaml:"protocol"`
	Batches     []int                      `yaml:"batches" range:"1 100000" list:"some distinct"`
	Options     map[string]strictyaml.Node `yaml:"options"` // by id or id+variant
}

// addRun reads a run and adds its cells: those whose dataset, setting and
// model are right, so that mistakes in their options are reported too.
func (r *suiteReader) addRun(n strictyaml.Node, base Protocol) {
	var y runYAML
	r.errs.Add(n.Decode(&y))
	settings := r.settings(n, y)
	refs := r.refs(n.Get("models").Items(), y)
	data := r.datasets(n.Get("datasets").Items(), y, refs)
	resolved := base.with(y.Protocol, &r.errs)
	if resolved.Latency != nil && y.Task == protocol.LinkPrediction {
		r.errs.Add(n.Get("task").Errorf("latency tests are of %s, found %s", protocol.NodeClassification, y.Task))
	}
	if resolved.WithinBatch == TBatch && y.Task == protocol.LinkPrediction {
		r.errs.Add(n.Get("task").Errorf("within_batch: %s is for %s: candidates that are no node of the event "+
			"would be ranked with events after it", TBatch, protocol.NodeClassification))
	}
	resolved.SelectBy = r.selectBy(n, y, resolved, refs)
	checkEffect(y.Protocol, y.Task, resolved, &r.errs)
	r.checkDerived(y.Protocol, resolved, data, refs)
	cases := r.cases(n.Get("batches"), y.Batches, resolved)
	if y.SkipMissing && len(y.Datasets) < 2 {
		r.errs.Add(n.Get("skip_missing").Errorf("it changes nothing with one dataset; leave the key out"))
	}
	r.checkSizes(n, y, resolved)
	r.checkLive(n, y, resolved)
	if r.size += size(cases) * size(data) * size(settings) * size(refs); r.size > maxCells {
		return // newSuite reports it
	}
	known := setOf(y.Models)
	for ref, at := range n.Get("options").Entries() {
		if !known[ref] && !r.errs.Full() {
			r.errs.Add(at.Errorf("model %q is not in this run%s", ref, suggest.Hint(ref, y.Models)))
		}
	}
	for _, c := range cases {
		if y.SkipMissing {
			c.alternatives = y.Datasets
		}
		for _, dataset := range data {
			for _, setting := range settings {
				for _, ref := range refs {
					r.addCell(n, Place{dataset, y.Task, setting}, ref, y.Options[ref], c)
				}
			}
		}
	}
}

// size returns what a list adds to the size of a run, also one with mistakes.
func size[T any](list []T) float64 { return max(1, float64(len(list))) }

// checkEffect reports what a run's own protocol sets without any effect.
func checkEffect(own strictyaml.Node, task protocol.Task, resolved Protocol, errs *strictyaml.Errors) {
	latency := resolved.Latency != nil
	if latency && resolved.WithinBatch == TBatch {
		errs.Add(own.Errorf("a latency test answers whole windows, expected within_batch: %s", LastWrite))
	}
	for key, at := range own.Entries() {
		switch {
		case latency && !slices.Contains([]string{"batch", "within_batch", "latency", "live"}, key):
			errs.Add(at.Errorf("it changes nothing in a latency test; leave the key out"))
		case task == protocol.LinkPrediction && key == "label_delay" && resolved.LabelDelay > 0:
			errs.Add(at.Errorf("it changes nothing in link prediction; leave the key out"))
		case latency || task != protocol.NodeClassification:
		case key == "train_negatives" || key == "candidates" || key == "filter" || key == "val_negatives" && resolved.ValNegatives > 0:
			errs.Add(at.Errorf("it changes nothing in node classification; leave the key out"))
		}
	}
}

// selectBy returns the metric by which epochs are selected, empty for the headline.
// The suite's protocol may name one of the other task.
func (r *suiteReader) selectBy(run strictyaml.Node, y runYAML, p Protocol, refs []string) string {
	m, err := metrics.Lookup(p.SelectBy)
	if err != nil || p.Latency != nil || y.Task == "" { // none, or with reports it
		return ""
	}
	if m.Task != y.Task {
		if at := y.Protocol.Get("select_by"); at.Present() {
			r.errs.Add(at.Errorf("%s is no metric of the task %q", m.Name, y.Task))
		}
		return ""
	}
	for _, ref := range refs {
		if k := r.modelOf(ref).Kind; m.LogOdds && (k.Trainable() || k.Choices != nil) && !k.LogOdds {
			r.errs.Add(run.Errorf("select_by: %s is of probabilities, and the scores of model %q are not their log-odds", m.Name, ref))
		}
	}
	if m.Name == metrics.Of(y.Task)[0].Name {
		return "" // identities are those from before there was a choice
	}
	return m.Name
}

// checkSizes reports sizes of evaluation batches that are not those of an earlier run on
// the same dataset: their tests would have one name and start from other states.
func (r *suiteReader) checkSizes(run strictyaml.Node, y runYAML, p Protocol) {
	for _, dataset := range y.Datasets {
		at := Place{Dataset: dataset, Task: y.Task}
		first, known := r.sizes[at]
		switch {
		case p.Latency != nil || p.Live != nil:
		case !known:
			r.sizes[at] = p.EvaluationBatch
		case len(p.EvaluationBatch)+len(first) > 2 && !slices.Equal(p.EvaluationBatch, first):
			r.errs.Add(run.Errorf("evaluation_batch: expected %v as in the first run on %s, found %v", first, dataset, p.EvaluationBatch))
		}
	}
}

// checkLive reports what a live test cannot do, and models that are for nothing else.
func (r *suiteReader) checkLive(run strictyaml.Node, y runYAML, p Protocol) {
	items := run.Get("models").Items()
	for i, ref := range y.Models {
		if p.Live == nil && r.modelOf(ref).Kind.Class == protocol.Null {
			r.errs.Add(items[i].Errorf("model %q answers at once with nothing, expected it in runs with `live:`", ref))
		}
	}
	switch {
	case p.Live == nil:
	case p.Latency != nil:
		r.errs.Add(run.Errorf("expected latency or live, found both: use a run for each"))
	case p.WithinBatch == TBatch:
		r.errs.Add(run.Errorf("a live test answers what is due at once, expected within_batch: %s", LastWrite))
	case slices.Contains(y.Settings, protocol.Inductive):
		r.errs.Add(run.Errorf("a live test answers all events, expected settings: [%s]", protocol.Transductive))
	}
}

// checkDerived reports features from before the batch that are no others than
// those from before the event, or not those that states are made of.
func (r *suiteReader) checkDerived(own strictyaml.Node, resolved Protocol, data, refs []string) {
	if resolved.DerivedFeatures != BeforeBatch {
		return
	}
	if resolved.WithinBatch == TBatch {
		r.errs.Add(own.Errorf("in t-batches states know of all earlier events of a node, expected derived_features: %s", BeforeEvent))
	}
	looksBack := func(dataset string) bool {
		d, _ := datasets.Lookup(dataset)
		return slices.ContainsFunc(refs, func(ref string) bool {
			_, variant := SplitRef(ref)
			m := r.modelOf(ref)
			use := m.Kind.Features
			resolved, _ := m.Resolve(Place{Dataset: dataset}, variant) // errors are reported where it is added
			return resolved.Velocity || use != models.FeaturesIgnored && d.LooksBack(use == models.FeaturesRequired)
		})
	}
	at := own.Get("derived_features")
	if at.Present() && len(data) > 0 && len(refs) > 0 && !slices.ContainsFunc(data, looksBack) {
		r.errs.Add(at.Errorf("it changes nothing where no model is given features that depend on earlier events; leave the key out"))
	}
}

// settings returns those of the run; node classification has the empty one alone.
func (r *suiteReader) settings(run strictyaml.Node, y runYAML) []protocol.Setting {
	at := run.Get("settings")
	switch {
	case y.Task == protocol.NodeClassification:
		if at.Present() {
			r.errs.Add(at.Errorf("node classification has no settings; leave the key out"))
		}
		return []protocol.Setting{""}
	case y.Task == protocol.LinkPrediction && !at.Present():
		r.errs.Add(run.Errorf("link prediction needs settings: [%s], [%s] or both", protocol.Transductive, protocol.Inductive))
	}
	return y.Settings
}

// datasets returns the names in the list that fit the task and the models.
func (r *suiteReader) datasets(items []strictyaml.Node, y runYAML, refs []string) (fit []string) {
	for i, dataset := range y.Datasets {
		if !checkDataset(items[i], dataset, &r.errs) {
			continue
		}
		d, _ := datasets.Lookup(dataset)
		if y.Task == protocol.NodeClassification && !d.Labelled {
			r.errs.Add(items[i].Errorf("dataset %q has no labels for the task %q", dataset, y.Task))
			continue
		}
		for _, ref := range refs {
			if !r.modelOf(ref).Kind.Fits(d) {
				r.errs.Add(items[i].Errorf("model %q knows the hidden state of simulated streams, and dataset %q has none; "+
					"expected it in runs of simulated data", ref, dataset))
			}
		}
		fit = append(fit, dataset)
	}
	return fit
}

// refs returns the models in the list that exist and can do the task.
func (r *suiteReader) refs(items []strictyaml.Node, y runYAML) (fit []string) {
	for i, ref := range y.Models {
		if r.errs.Full() {
			break
		}
		id, variant := SplitRef(ref)
		m, ok := r.model(items[i], id)
		_, known := m.variants[variant]
		switch {
		case !ok:
		case JoinRef(id, variant) != ref || variant != "" && !known:
			r.errs.Add(items[i].Errorf("%v", m.unknownVariant(strings.TrimPrefix(ref, id+"+"))))
		case y.Task != "" && !m.Kind.Supports(y.Task):
			r.errs.Add(items[i].Errorf("model %q cannot do the task %q; it can do: %s", id, y.Task, m.tasks()))
		default:
			fit = append(fit, ref)
		}
	}
	return fit
}

func (m Model) tasks() string {
	return strings.Join(lists.Map(m.Kind.Tasks, func(t protocol.Task) string { return string(t) }), ", ")
}

// model reads the spec of a model once.
func (r *suiteReader) model(at strictyaml.Node, id string) (Model, bool) {
	if m, ok := r.models[id]; ok {
		return m, true
	}
	m, err := r.lib.LoadModel(id)
	if err != nil {
		if _, known := r.lib.specs[Entry{Name: id}]; !known {
			err = at.Errorf("%v", err) // the others have a place in the model's file
		}
		r.errs.Add(err)
		return Model{}, false
	}
	if r.suite.Tuned && !r.lib.Untuned && r.lib.specs[Entry{Name: id}].embedded {
		found, err := recordedFor(id)
		r.errs.Add(err)
		m.overrides = append(m.overrides, found...)
	}
	r.models[id] = m
	return m, true
}

// modelOf returns a model that was read.
func (r *suiteReader) modelOf(ref string) Model {
	id, _ := SplitRef(ref)
	return r.models[id]
}

// protocolCase is a protocol under the name by which records and tables tell
// it from others of the suite, and Trial.Alternatives.
type protocolCase struct {
	name string
	Protocol
	alternatives []string
}

// latencyCase tells the latency tests of a suite from its other trials.
const latencyCase = "latency"

// cases returns the run's protocol, or one for every batch size in the list.
func (r *suiteReader) cases(at strictyaml.Node, sizes []int, p Protocol) []protocolCase {
	if p.Latency != nil {
		if at.Present() {
			r.errs.Add(at.Errorf("a latency test names further batch sizes in sweep"))
		}
		return []protocolCase{{name: latencyCase, Protocol: p}}
	}
	if p.Live != nil {
		if at.Present() {
			r.errs.Add(at.Errorf("a live test takes what is due, expected largest_batch in live"))
		}
		return []protocolCase{{name: p.Live.Case(), Protocol: p}}
	}
	if len(sizes) == 0 {
		return []protocolCase{{Protocol: p}}
	}
	what := "batch"
	if p.WithinBatch == TBatch {
		what = "t-batch"
	}
	var out []protocolCase
	for _, size := range sizes {
		p.Batch = size
		out = append(out, protocolCase{name: fmt.Sprintf("%s-%d", what, size), Protocol: p})
	}
	return out
}

// fits reports whether a model can be measured under the protocol: in t-batches,
// a state of another node than the event's own two may hold later events.
func (p Protocol) fits(o models.Options) bool {
	reaching, ok := o.(models.Reaching)
	return p.WithinBatch != TBatch || !ok || !reaching.ReachesOut()
}

func (r *suiteReader) addCell(run strictyaml.Node, at Place, ref string, options strictyaml.Node, c protocolCase) {
	id, variant := SplitRef(ref)
	m := r.models[id]
	if !r.lib.specs[Entry{Name: id}].embedded && r.lib.specs[Entry{Suite: true, Name: r.suite.Name}].embedded {
		options = strictyaml.Node{} // a user's model has its own options in a suite of ours
	}
	resolved, err := m.resolve(at, variant, layerOf(options))
	if tuned := m.tunedAt(at); err == nil && variant == "" && len(tuned) > 0 { // what a search has found takes the place of the suite's
		resolved, err = m.resolve(at, "", append([]layer{layerOf(options)}, tuned...)...)
	}
	if err != nil {
		r.errs.Add(err)
		return
	}
	if !c.fits(resolved.Options) {
		if !slices.Contains(r.lib.own, id) { // else it joins the suite's other cases
			r.errs.Add(run.Errorf("model %q reads states of other nodes than the event's own two; "+
				"within_batch: %s would let it look ahead", ref, TBatch))
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
		ModelID: id, Variant: variant, Kind: m.Kind, Title: m.title(variant),
		Options: resolved.Options, Velocity: resolved.Velocity, Origins: resolved.Origins, Protocol: c.Protocol, Alternatives: c.alternatives,
	}
	r.suite.cells = append(r.suite.cells, t)
	if t.IsLatency() && m.Kind.Deploys {
		t.Deployed, t.Title = true, t.Title+", deployed"
		t.Variant = DeployedVariant(t.Variant)
		r.suite.cells = append(r.suite.cells, t)
	}
}
