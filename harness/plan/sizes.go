package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"dgsbench/datasets"
	"dgsbench/harness/scale"
	"dgsbench/protocol"
	"dgsbench/specs"
)

// load reads a dataset. If its file is missing, which it notes, the dataset is
// a simulated one of the same size.
func load(name, dir string, missing *[]Missing) (*datasets.Loaded, Source, error) {
	d, err := datasets.Lookup(name)
	if err != nil {
		return nil, "", err
	}
	loaded, err := d.Load(dir)
	if errors.Is(err, fs.ErrNotExist) {
		*missing = append(*missing, Missing{Dataset: name, How: err.Error()})
		loaded, err = standIn(d)
		return loaded, StoodIn, err
	}
	return loaded, Estimated, err
}

// standIn returns a simulated stream with the numbers of events, nodes and
// features that the dataset is known to have, split as it is: the benchmark's own
// simulation of it, where there is one.
func standIn(d datasets.Dataset) (*datasets.Loaded, error) {
	if d.Want.Events == 0 || d.Want.Nodes == 0 {
		return nil, fmt.Errorf("dataset %s: its file is not there, and its size is not known; nothing can be planned without it", d.Name)
	}
	want := d.Want
	d.Want = datasets.Counts{}
	d.HeldOut = datasets.SampleHeldOut(0)
	d.Open = func(string) (datasets.Stream, string, error) {
		s := scale.NewGenerator(want.Nodes, want.Features, 0).Next(want.Events)
		for i, x := range s.Feat {
			s.Feat[i] = max(x, -x) // some datasets take logarithms of theirs
		}
		return s, strings.Repeat("0", 64), nil
	}
	for _, name := range datasets.Names() {
		if sim, err := datasets.Lookup(name); err == nil && sim.SizesOf != "" && strings.EqualFold(sim.SizesOf, d.PaperName) {
			d.OpenBytes, d.Open = sim.OpenBytes, func(dir string) (datasets.Stream, string, error) {
				s, sum, err := sim.Open(dir)
				if n := want.Features; n < s.NumFeat { // the simulation has more
					feat := make([]float32, 0, s.Len()*n)
					for row := range slices.Chunk(s.Feat, s.NumFeat) {
						feat = append(feat, row[:n]...)
					}
					s = s.WithFeatures(feat, n)
				}
				return s, sum, err
			}
		}
	}
	return d.Load("")
}

// Sizes of files, in bytes. Arrays of a sidecar are stored as they are.
const (
	recordBytes = 6_000 // with its options and their origins
	epochBytes  = 120
	scoreBytes  = 4 + 1     // score and label of an event
	countBytes  = 4 + 4 + 4 // greater, equal and against
)

// diskOf returns about what the record of a trial and its sidecar take.
func diskOf(t specs.Trial, l *datasets.Loaded) int64 {
	if test := t.Protocol.Latency; test != nil {
		samples := test.Batches * test.Iterations
		for _, size := range test.Sweep {
			samples += min(t.Protocol.Batch*test.Batches/size, test.SweepBatches) * test.SweepIterations
		}
		return int64(recordBytes + 8*samples)
	}
	event := scoreBytes
	if t.Task == protocol.LinkPrediction {
		event = countBytes * len(t.Protocol.Candidates)
	}
	answers := l.Stream.Len() - l.Split.TrainEnd
	if test := t.Protocol.Live; test != nil { // one by one, and at each rate
		answers = (1 + len(test.Rates)) * min(l.Stream.Len()-l.Split.ValEnd, test.Answers)
	}
	bytes := recordBytes + answers*event
	if t.Kind.Trainable() {
		bytes += epochBytes * t.Protocol.Epochs
	}
	return int64(bytes)
}
