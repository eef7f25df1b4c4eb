package page

import (
	"fmt"
	"slices"
	"strings"

	"dgsbench/protocol"
	"dgsbench/results/record"
)

// place is where models are compared: a dataset, a task, a setting, a case.
type place struct {
	dataset string
	task    protocol.Task
	setting protocol.Setting
	kase    string
}

func placeOf(k record.CellKey) place { return place{k.Dataset, k.Task, k.Setting, k.Case} }

// tasks are their names for readers.
var tasks = map[protocol.Task]string{protocol.NodeClassification: "node classification", protocol.LinkPrediction: "link prediction"}

// String is the place in words.
func (p place) String() string {
	text := p.dataset + ", " + tasks[p.task]
	if p.setting != "" {
		text += " " + string(p.setting)
	}
	if p.kase != "" {
		text += ", " + p.kase
	}
	return text
}

// id is the place as a part of an identifier in the page.
func (p place) id() string { return identifier(p.dataset, string(p.task), string(p.setting), p.kase) }

// identifier joins words by dashes; whatever else they hold becomes a dash.
func identifier(words ...string) string {
	clean := func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}
	return strings.Map(clean, strings.Join(words, "-"))
}

// cell is what all seeds of a model left at a place, in one folder.
type cell struct {
	key     record.CellKey // of the first
	title   string         // of the model
	folder  *Folder
	records []record.Record
}

func (c cell) place() place { return placeOf(c.key) }

// heading names the cell below its place.
func (c cell) heading(p Page) string {
	if p.several() {
		return c.title + ", " + c.folder.label
	}
	return c.title
}

// id is the cell's in the page.
func (c cell) id() string {
	return identifier(c.folder.label, c.place().id(), c.key.Model, c.key.Variant)
}

// seeds lists those that were measured.
func (c cell) seeds() string {
	var texts []string
	for _, r := range c.records {
		texts = append(texts, fmt.Sprint(r.Key.Seed))
	}
	return strings.Join(texts, ", ")
}

// cells puts the records of every model together. Those of the same model and
// place in several folders stand beside each other.
func (p Page) cells() []cell {
	var out []cell
	for i := range p.Folders {
		f := &p.Folders[i]
		at := map[record.CellKey]int{} // in out
		for _, r := range f.Records {
			if n, ok := at[r.Key.CellKey]; ok {
				out[n].records = append(out[n].records, r)
				continue
			}
			at[r.Key.CellKey] = len(out)
			out = append(out, cell{key: r.Key.CellKey, title: r.ModelTitle, folder: f, records: []record.Record{r}})
		}
	}
	return slices.Concat(groups(out, func(c cell) record.CellKey { return c.key })...)
}

// groups are the elements of the same key, in the order in which keys appear.
func groups[T any, K comparable](list []T, key func(T) K) [][]T {
	var out [][]T
	at := map[K]int{}
	for _, x := range list {
		i, ok := at[key(x)]
		if !ok {
			i = len(out)
			at[key(x)] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], x)
	}
	return out
}

// byPlace are the cells of every place.
func (p Page) byPlace() [][]cell {
	return groups(p.cells(), func(c cell) place { return c.place() })
}
