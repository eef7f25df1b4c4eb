package own

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"dgsbench/datasets"
)

// origin says in dataset.yaml which columns of the source were imported, and how
// times were read. Older imports have none.
type origin struct {
	Src      string         `yaml:"src"`
	Dst      string         `yaml:"dst"`
	Time     string         `yaml:"time"`
	Label    string         `yaml:"label,omitempty"`
	Features []string       `yaml:"features"`
	Times    datasets.Times `yaml:"times"`
}

// A Row makes of a record of the source what the import made of it: the features of
// an event, its nodes and its time.
type Row struct {
	is      rowDescription
	width   int
	seconds func(string) (float64, error)
	levels  []map[string]int // by feature: one-hot columns of the texts
}

// rowDescription is the JSON of a Row.
type rowDescription struct {
	Src      string         `json:"src"`
	Dst      string         `json:"dst"`
	Time     string         `json:"time"`
	Label    string         `json:"label,omitempty"`
	Times    datasets.Times `json:"times"`
	Features []rowFeature   `json:"features"`
}

// rowFeature is a column of the source that became features: numbers, in place of
// which Fill stands where they are missing and had been missing before; or a category
// of a column for each of its levels, or of Hashed columns.
type rowFeature struct {
	Column   string   `json:"column"`
	Fill     *float32 `json:"fill,omitempty"`
	Category bool     `json:"category,omitempty"`
	Levels   []string `json:"levels,omitempty"`
	Hashed   int      `json:"hashed,omitempty"`
}

// width returns the number of features.
func (f rowFeature) width() int {
	switch {
	case f.Category:
		return len(f.Levels) + f.Hashed
	case f.Fill != nil:
		return 2
	}
	return 1
}

// NewRow returns the Row of a dataset that was imported into the data folder.
func NewRow(dir, dataset string) (*Row, error) {
	d, err := find(dir, dataset)
	if err != nil {
		return nil, err
	}
	if d.Source == nil {
		return nil, fmt.Errorf("dataset %s: it was imported by a version that did not keep the columns of the source; import it again", dataset)
	}
	levels := map[string][]string{}
	if d.LevelsSHA256 != "" {
		if err := readSealed(filepath.Join(dir, dataset), levelsFile, d.LevelsSHA256, 3, func(fields []string) error {
			levels[fields[0]] = append(levels[fields[0]], fields[1])
			return nil
		}); err != nil {
			return nil, err
		}
	}
	is := rowDescription{Src: d.Source.Src, Dst: d.Source.Dst, Time: d.Source.Time, Label: d.Source.Label, Times: d.Source.Times}
	for _, column := range d.Source.Features {
		f := rowFeature{Column: column}
		if i := slices.IndexFunc(d.Categories, func(c category) bool { return c.Column == column }); i >= 0 {
			if f.Category = true; d.Categories[i].Hashed {
				f.Hashed = d.Categories[i].Columns
			} else {
				f.Levels = levels[column]
			}
		} else if i := slices.IndexFunc(d.Missing, func(m filled) bool { return m.Column == column }); i >= 0 {
			f.Fill = &d.Missing[i].Fill
		}
		is.Features = append(is.Features, f)
	}
	r, err := is.row()
	if err == nil && r.width != len(d.Features) {
		err = fmt.Errorf("its columns make %d features, expected %d", r.width, len(d.Features))
	}
	if err != nil {
		return nil, fmt.Errorf("dataset %s: %s: %w", dataset, descriptionFile, err)
	}
	return r, nil
}

// RowAndNames returns the Row of a dataset that was imported into the data folder, and the
// names of its nodes, as Names does. They are nil for any other dataset, and for an import
// of a version that did not keep them.
func RowAndNames(dir, dataset string) (*Row, []string, error) {
	if _, err := os.Stat(filepath.Join(dir, dataset, descriptionFile)); datasets.BuiltIn(dataset) || errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if d, err := find(dir, dataset); err != nil || d.Source == nil || d.NodesSHA256 == "" {
		return nil, nil, err
	}
	r, err := NewRow(dir, dataset)
	if err != nil {
		return nil, nil, err
	}
	names, err := Names(dir, dataset)
	return r, names, err
}

// NumberedRow returns the Row of records that have the numbers of nodes, seconds, and
// features that are numbers.
func NumberedRow(features []string) *Row {
	is := rowDescription{Src: "src", Dst: "dst", Time: "t", Times: datasets.Times{First: "0.0", Unit: "s"}}
	for _, name := range features {
		is.Features = append(is.Features, rowFeature{Column: name})
	}
	r, err := is.row()
	if err != nil {
		panic(err) // seconds are known, and there are no categories
	}
	return r
}

// ParseRow returns the Row of which String returned the text, which may be of
// anybody's making.
func ParseRow(text string) (*Row, error) {
	var is rowDescription
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	err := dec.Decode(&is)
	if err == nil {
		if _, end := dec.Token(); end != io.EOF {
			err = errors.New("something follows it")
		}
	}
	var r *Row
	if err == nil {
		r, err = is.row()
	}
	if err != nil {
		return nil, fmt.Errorf("the description of the source's columns: %w", err)
	}
	return r, nil
}

// row returns the Row of a description.
func (is rowDescription) row() (r *Row, err error) {
	r = &Row{is: is, levels: make([]map[string]int, len(is.Features))}
	if r.seconds, err = is.Times.Reader(); err != nil {
		return nil, err
	}
	for i, f := range is.Features {
		if f.Hashed < 0 || f.Hashed > maxFields || f.Hashed > 0 && len(f.Levels) > 0 ||
			f.Category && f.Fill != nil || !f.Category && f.Hashed+len(f.Levels) > 0 {
			return nil, fmt.Errorf("column %s is neither of numbers, nor a category of levels, nor one of hashed columns", f.Column)
		}
		r.levels[i] = map[string]int{}
		for j, level := range f.Levels {
			r.levels[i][level] = j
		}
		if len(r.levels[i]) != len(f.Levels) {
			return nil, fmt.Errorf("column %s has a level twice", f.Column)
		}
		if r.width += f.width(); r.width > maxFields {
			return nil, fmt.Errorf("more than %d features", maxFields)
		}
	}
	return r, nil
}

// String returns the Row as JSON, for ParseRow.
func (r *Row) String() string {
	text, err := json.Marshal(r.is)
	if err != nil {
		panic(err) // its numbers are finite
	}
	return string(text)
}

// Columns returns the names of the columns of a record: source, destination, time,
// and those that become features. In a source without a header they are numbers.
func (r *Row) Columns() []string {
	out := []string{r.is.Src, r.is.Dst, r.is.Time}
	for _, f := range r.is.Features {
		out = append(out, f.Column)
	}
	return out
}

// Label returns the name of the column of labels, or "".
func (r *Row) Label() string { return r.is.Label }

// Width returns the number of features.
func (r *Row) Width() int { return r.width }

// Encode fills the features of a record, Width numbers, and returns its nodes, and
// its time in seconds from the first event of the import. A record has the fields
// of Columns, without the quotes and the spaces around them that the import leaves
// out. A text that was no level in the train part is in none of the columns of levels.
func (r *Row) Encode(record []string, features []float32) (src, dst string, seconds float64, err error) {
	if len(record) != 3+len(r.is.Features) || len(features) != r.width {
		return "", "", 0, fmt.Errorf("%d fields for %d features, expected %d for %d", len(record), len(features), 3+len(r.is.Features), r.width)
	}
	for i, column := range []string{r.is.Src, r.is.Dst} {
		if record[i] == "" {
			return "", "", 0, badField(column, "", "a node")
		}
	}
	if seconds, err = r.seconds(record[2]); err != nil {
		return "", "", 0, badField(r.is.Time, record[2], err.Error())
	}
	clear(features)
	for i, f := range r.is.Features {
		if err := f.encode(record[3+i], r.levels[i], features[:f.width()]); err != nil {
			return "", "", 0, err
		}
		features = features[f.width():]
	}
	return record[0], record[1], seconds, nil
}

// encode fills the columns of a field, which are 0 before.
func (f rowFeature) encode(field string, levels map[string]int, columns []float32) error {
	if f.Category {
		if !utf8.ValidString(field) {
			return badField(f.Column, field, "text in UTF-8")
		}
		if f.Hashed > 0 {
			columns[hashed(field, f.Hashed)] = 1
		} else if i, known := levels[field]; known {
			columns[i] = 1
		}
		return nil
	}
	x, missing, ok := datasets.ParseFeature(field)
	switch {
	case ok:
		columns[0] = x
	case missing && f.Fill != nil:
		plan{fill: *f.Fill}.put(columns, float32(math.NaN()))
	case missing:
		return badField(f.Column, field, "a finite number (no value was missing at the import)")
	default:
		return badField(f.Column, field, "a finite number within the range of float32")
	}
	return nil
}

func badField(column, field, want string) error {
	return fmt.Errorf("column %s: %s, expected %s", column, short([]byte(field)), want)
}
