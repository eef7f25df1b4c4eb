package serve

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"dgsbench/datasets"
	"dgsbench/datasets/own"
	"dgsbench/models"
	"dgsbench/protocol"
)

// imported is a dataset with the records of its source.
type imported struct {
	*datasets.Loaded
	row     *own.Row
	names   []string
	records [][]string // in the order of events
}

// newImported imports payments: people and shops have some names in common, there are
// missing values, categories, equal times, and, in the last third, people who are new.
func newImported(t testing.TB, bipartite bool) *imported {
	t.Helper()
	const events = 300
	d := &imported{}
	lines := []string{"who,to,when,fraud,amount,age,colour,city"}
	for k := range events {
		person, now := (k*k+k/7)%9, 1_700_000_000+4000*(k/3)
		if k > 2*events/3 && k%5 == 0 {
			person = 100 + k
		}
		age := fmt.Sprint(k % 40)
		if k%9 == 4 {
			age = []string{"", "NA", "null"}[k%3]
		}
		r := []string{fmt.Sprint("n ", person), fmt.Sprint("n ", k%5), fmt.Sprint(now), fmt.Sprintf("%d.25", k%13), age, []string{"red", "green", ""}[k*k%3], fmt.Sprint("city ", k%17)}
		d.records = append(d.records, r)
		lines = append(lines, strings.Join(slices.Insert(slices.Clone(r), 3, fmt.Sprint(k*k/11%3/2)), ","))
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "log.csv")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := own.Import(t.Context(), folder, own.Source{
		Files: []string{file}, Name: "mine", Split: own.DefaultSplit, Missing: &own.Fill{Mean: true},
		Categories: own.Categories{Columns: []string{"colour", "city"}, OneHot: 6, Hashed: 4},
		Layout:     datasets.Layout{Src: "who", Dst: "to", Time: "when", Label: "fraud", Features: []string{"amount", "age"}, Separator: datasets.Comma, Unit: datasets.Seconds, Bipartite: bipartite},
	}); err != nil {
		t.Fatal(err)
	}
	if err := own.Use(folder); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { datasets.SetImported(nil) })
	entry, err := datasets.Lookup("mine")
	if err == nil {
		d.Loaded, err = entry.Load(folder)
	}
	if err == nil {
		d.row, d.names, err = own.RowAndNames(folder, "mine")
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// parts cuts it with features that depend on earlier events, those before the event, or
// before its batch of a size.
func (d *imported) parts(t testing.TB, velocity bool, batch int) datasets.Parts {
	t.Helper()
	l := *d.Loaded
	l.Dataset.Features = []datasets.Derived{datasets.Standardised(), datasets.Gap(datasets.Source), datasets.Gap(datasets.Destination), datasets.Count(datasets.Destination)}
	p, err := l.Parts(datasets.Cut{Setting: protocol.Transductive, NeedFeatures: true, Velocity: velocity, Batch: batch})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// input is that of a model that has met the first events.
func (d *imported) input(t testing.TB, p datasets.Parts, met int) *models.Input {
	t.Helper()
	deriver := p.Deriver()
	if err := deriver.Add(d.Stream.Slice(0, met)); err != nil {
		t.Fatal(err)
	}
	in := &models.Input{
		Source: d.row.String(), Features: deriver.String(), Together: p.Batch > 0, History: deriver.State(),
		Nodes: models.Nodes{Names: d.names, Seen: slices.Repeat([]int64{-1}, len(d.names))},
	}
	if d.Stream.Users > 0 {
		in.Nodes.Sides = slices.Concat(make([]int8, d.Stream.Users), slices.Repeat([]int8{1}, len(d.names)-d.Stream.Users))
	}
	for k := range met {
		in.Nodes.Seen[d.Stream.Src[k]], in.Nodes.Seen[d.Stream.Dst[k]] = int64(k), int64(k)
	}
	return in
}

// checkpoint returns the file of a model of a kind that has met the first events.
func (d *imported) checkpoint(t testing.TB, c subject, p datasets.Parts, met int) string {
	t.Helper()
	_, path := c.modelOf(t, protocol.NodeClassification, p.Whole.Slice(0, met), d.input(t, p, met))
	return path
}

func open1(t testing.TB, path string, o Options) *Scorer {
	t.Helper()
	s, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// save returns the file of a Scorer, and its content.
func save(t testing.TB, s *Scorer) (path, content string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "saved.safetensors")
	if err := s.Save(path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, string(data)
}

// TestRecordsAreEvents: batches of records get the scores that the model gives to the
// windows of the stream that the import made of them, bit for bit, also after Save and Open.
func TestRecordsAreEvents(t *testing.T) {
	for _, bipartite := range []bool{false, true} {
		d := newImported(t, bipartite)
		if bipartite != (d.Stream.Users > 0) {
			t.Fatalf("%d users", d.Stream.Users)
		}
		met := d.Split.ValEnd
		for _, size := range []int{1, 7, 50} {
			for _, together := range []bool{false, true} {
				p := d.parts(t, size == 7, map[bool]int{true: size}[together])
				for _, c := range classifiers {
					name := fmt.Sprintf("%s, batches of %d, bipartite %v, together %v", c, size, bipartite, together)
					path := d.checkpoint(t, c, p, met)
					saved, err := models.ReadSaved(path)
					if err != nil {
						t.Fatal(err)
					}
					m, _, err := saved.Build(0, size, 1)
					if err != nil {
						t.Fatal(err)
					}
					s := open1(t, path, Options{Batch: size})
					for lo := met; lo < len(d.records); lo += size {
						if lo >= met+20 && lo < met+20+size {
							again, _ := save(t, s)
							s = open1(t, again, Options{Batch: size})
						}
						w := p.Whole.Slice(lo, min(lo+size, p.Whole.Len())).WithoutLabels()
						logits, got := make([]float32, w.Len()), make([]float64, w.Len())
						if err := m.Classify(w, logits); err != nil {
							t.Fatal(err)
						}
						if err := s.ScoreRecords(d.records[lo:lo+w.Len()], got); err != nil {
							t.Fatalf("%s: %v", name, err)
						}
						for k, x := range logits {
							want := float64(x)
							if s.saved.Kind.LogOdds {
								want = 1 / (1 + math.Exp(-want))
							}
							if got[k] != want {
								t.Fatalf("%s, event %d: %v, expected %v", name, lo+k, got[k], want)
							}
						}
					}
				}
			}
		}
	}
}

// TestObservedRecords leave the states that scored ones do.
func TestObservedRecords(t *testing.T) {
	d := newImported(t, true)
	p := d.parts(t, true, 0)
	path := d.checkpoint(t, classifiers[0], p, d.Split.ValEnd)
	scored, observed := open1(t, path, Options{Batch: 10}), open1(t, path, Options{Batch: 10})
	for lo := d.Split.ValEnd; lo+10 <= len(d.records); lo += 10 {
		if err := scored.ScoreRecords(d.records[lo:lo+10], make([]float64, 10)); err != nil {
			t.Fatal(err)
		}
		if err := observed.ObserveRecords(d.records[lo : lo+10]); err != nil {
			t.Fatal(err)
		}
	}
	_, a := save(t, scored)
	if _, b := save(t, observed); a != b {
		t.Error("the files differ")
	}
}

// TestRecordErrors: a record that is no event is named and changes nothing, wherever it is
// in its batch, and whatever the others have changed before it was found. Without it, the
// batch is scored.
func TestRecordErrors(t *testing.T) {
	d := newImported(t, true)
	met := d.Split.ValEnd
	good := d.records[met : met+6]
	changed := func(r []string, field int, text string) []string {
		r = slices.Clone(r)
		r[field] = text
		return r
	}
	with := func(field int, text string) []string { return changed(good[3], field, text) }
	for _, o := range []Options{
		{Batch: 9},
		{Batch: 9, MaxNodes: d.Stream.NumNodes + 2},
		{Batch: 9, MaxNodes: d.Stream.NumNodes, Evict: true},
		{Batch: 9, MaxNodes: d.Stream.NumNodes + 1, Evict: true},
	} {
		for _, together := range []int{0, 9} {
			for _, velocity := range []bool{false, true} {
				if velocity && o.Evict {
					continue // nobody can be evicted: see TestEvictedWithinTheWeek
				}
				p := d.parts(t, velocity, together)
				s := open1(t, d.checkpoint(t, classifiers[0], p, met), o)
				newcomer := [][]string{changed(good[0], 0, "x"), changed(good[0], 1, "y")}
				if o.MaxNodes == 0 {
					newcomer = append(newcomer, changed(good[0], 0, "z"), changed(good[0], 1, "z"))
				}
				for want, bad := range map[string][]string{
					"column who":              with(0, ""),
					"column to":               with(1, ""),
					"column when":             with(2, "noon"),
					"that of the event":       with(2, "0"),
					"column amount":           with(3, "ten"),
					"made of it is beyond":    with(3, "1e30"),
					"fields for":              good[3][:5],
					"text in UTF-8":           with(5, "\xff"),
					"a feature that is made ": with(4, "-9e29"),
				} {
					_, before := save(t, s)
					batch := slices.Concat(newcomer, good[:3], [][]string{bad}, good[3:4])
					at := len(newcomer) + 3
					err := s.ScoreRecords(batch, make([]float64, len(batch)))
					problem, ok := errors.AsType[*RecordError](err)
					if !ok || problem.Record != at || !strings.Contains(err.Error(), want) {
						t.Errorf("%+v: %v, expected one of record %d: %s", o, err, at, want)
					}
					if _, after := save(t, s); after != before {
						t.Errorf("%+v, together %d, velocity %v: %s has changed the file", o, together, velocity, want)
					}
				}
				if o.MaxNodes > 0 && !o.Evict {
					_, before := save(t, s)
					batch := slices.Concat(newcomer, good[:1], [][]string{with(1, "too many")})
					err := s.ScoreRecords(batch, make([]float64, len(batch)))
					if problem, ok := errors.AsType[*RecordError](err); !ok || problem.Record != 3 || !strings.Contains(err.Error(), `destination "too many": a new node, and there is no room for more than`) {
						t.Error(err)
					}
					if _, after := save(t, s); after != before {
						t.Error("a node too many has changed the file")
					}
				}
				// As if nothing had been asked.
				fresh := open1(t, d.checkpoint(t, classifiers[0], p, met), o)
				batch := slices.Concat(newcomer, good[:4])
				got, want := make([]float64, len(batch)), make([]float64, len(batch))
				if err := errors.Join(s.ScoreRecords(batch, got), fresh.ScoreRecords(batch, want)); err != nil || !slices.Equal(got, want) {
					t.Errorf("%v: %v, expected %v", err, got, want)
				}
				_, a := save(t, s)
				if _, b := save(t, fresh); a != b {
					t.Error("the files differ")
				}
			}
		}
	}
}

// TestBatchesRefused are those of a wrong size: they change nothing.
func TestBatchesRefused(t *testing.T) {
	d := newImported(t, false)
	met := d.Split.ValEnd
	s := open1(t, d.checkpoint(t, classifiers[0], d.parts(t, false, 0), met), Options{Batch: 2})
	_, before := save(t, s)
	for _, c := range []struct{ records, scores int }{{0, 0}, {3, 3}, {2, 1}, {1, 2}} {
		if err := s.ScoreRecords(d.records[met:met+c.records], make([]float64, c.scores)); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
	if _, after := save(t, s); after != before {
		t.Error("they have changed the file")
	}
	_, path := classifiers[0].model(t, protocol.NodeClassification, d.Stream.Slice(0, 10))
	if err := open1(t, path, Options{}).ScoreRecords(d.records[:1], make([]float64, 1)); err == nil || !strings.Contains(err.Error(), "does not say how records become events") {
		t.Error(err)
	}
}

// TestRecordsGoBack: times that go back count as those of the event before, within a batch
// and from one to the next.
func TestRecordsGoBack(t *testing.T) {
	d := newImported(t, true)
	met := d.Split.ValEnd
	path := d.checkpoint(t, subject{"jodie", "{}"}, d.parts(t, true, 0), met)
	plain, back := open1(t, path, Options{Batch: 4, Backwards: true}), open1(t, path, Options{Batch: 4, Backwards: true})
	for lo := met; lo+4 <= len(d.records); lo += 4 {
		level, lower := [][]string{}, [][]string{}
		for k, r := range d.records[lo : lo+4] {
			r, before := slices.Clone(r), slices.Clone(r)
			if k%2 == 1 {
				r[2], before[2] = d.records[lo+k-1][2], "1700000001"
			}
			level, lower = append(level, r), append(lower, before)
		}
		want, got := make([]float64, 4), make([]float64, 4)
		if err := errors.Join(plain.ScoreRecords(level, want), back.ScoreRecords(lower, got)); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v: %v, expected %v", err, got, want)
		}
	}
}

// TestRecordsSideBySide is for the race detector: all methods at once.
func TestRecordsSideBySide(t *testing.T) {
	d := newImported(t, false)
	met, p := d.Split.ValEnd, d.parts(t, false, 0)
	in := d.input(t, p, met)
	in.Scores, in.Labels, in.ValidationSeconds = []float32{1, 2}, []int8{0, 1}, 5
	_, path := classifiers[0].modelOf(t, protocol.NodeClassification, p.Whole.Slice(0, met), in)
	s := open1(t, path, Options{Backwards: true, Batch: 3})
	to := t.TempDir()
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for k := range 15 {
				r := slices.Clone(d.records[met+k])
				r[0] = fmt.Sprint("of ", g, k)
				_, scored := s.Score(Event{Source: int32(g), Destination: int32(k), Features: make([]float32, p.Whole.NumFeat)})
				links := s.Links(1, 0, []int32{1}, []float32{0})
				_, threshold := s.Threshold("1/day")
				if err := errors.Join(s.ScoreRecords([][]string{r, r}, make([]float64, 2)), s.ObserveRecords([][]string{r}), scored, threshold); err != nil || links == nil {
					t.Error(err)
				}
				if err := s.Save(filepath.Join(to, fmt.Sprint(g))); err != nil || s.Events() == 0 || len(s.Columns()) != 7 {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if want := met + 4*15*4; s.Events() != want {
		t.Errorf("%d events, expected %d", s.Events(), want)
	}
}
