package own

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strconv"

	"dgsbench/datasets"
	"dgsbench/internal/ram"
)

// Fill says what takes the place of missing values of a column of numbers.
type Fill struct {
	Mean  bool    // of the values of the train part
	Value float32 // otherwise
}

// ParseFill reads a number or the word mean.
func ParseFill(text string) (Fill, error) {
	if text == "mean" {
		return Fill{Mean: true}, nil
	}
	x, err := strconv.ParseFloat(text, 32)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return Fill{}, fmt.Errorf("%q, expected mean or a number", text)
	}
	return Fill{Value: float32(x)}, nil
}

// Categories says what becomes of columns of text.
type Categories struct {
	Columns []string
	// OneHot is the largest number of levels, the different texts of the train
	// part, that get a column of 0 and 1 each. The levels of a column with more
	// of them share Hashed columns.
	OneHot, Hashed int
}

// DefaultCategories are the limits without a choice of the user.
var DefaultCategories = Categories{OneHot: 32, Hashed: 32}

// category says in dataset.yaml what a column of text became. Levels is the number
// of its different texts in the train part; without Hashed each has a column.
type category struct {
	Column  string `yaml:"column"`
	Levels  int    `yaml:"levels"`
	Columns int    `yaml:"columns"`
	Hashed  bool   `yaml:"hashed"`
}

// String says the same in words.
func (c category) String() string {
	if c.Hashed {
		return fmt.Sprintf("%s: %d levels in the train part, hashed to %d columns of 0 and 1", c.Column, c.Levels, c.Columns)
	}
	return fmt.Sprintf("%s: a column of 0 and 1 for each of %d levels in the train part", c.Column, c.Levels)
}

// filled says in dataset.yaml how many values of a column were missing, and what
// took their place.
type filled struct {
	Column string  `yaml:"column"`
	Values int     `yaml:"values"`
	Fill   float32 `yaml:"fill"`
}

// String says the same in words.
func (f filled) String() string {
	return fmt.Sprintf("%s: %d missing values are %s, and a column of 0 and 1 says which", f.Column, f.Values, short32(f.Fill))
}

func short32(x float32) string { return strconv.FormatFloat(float64(x), 'g', -1, 32) }

// made are the features of a dataset, made of the columns of the source.
type made struct {
	features   []string
	categories []category
	missing    []filled
	levels     []level
}

// level is a text of a category, and the column that is 1 where it stands.
type level struct{ column, text, feature string }

// plan says how one column of the source is written to its columns from at on.
type plan struct {
	at     int
	values []int32 // by number of the text: the column that is 1, or -1; nil for numbers
	fill   float32
}

// makeColumns replaces the categories of a stream and its missing values by
// columns of numbers. Levels and means are those of the train part: what is known
// when a model is trained.
func (src Source) makeColumns(c datasets.Columns) (datasets.Stream, made, error) {
	s := c.Stream
	var out made
	plans := make([]plan, s.NumFeat)
	train := src.Split.Split(s).Parts(s)[0]
	for f, name := range c.Features {
		p := &plans[f]
		p.at = len(out.features)
		out.features = append(out.features, name)
		switch fill := src.fill(c.Missing[f]); {
		case c.Levels[f] != nil:
			out.features = out.features[:p.at]
			src.makeLevels(p, &out, c.Levels[f], train, f, name)
		case fill != nil:
			if err := src.makeFill(p, &out, *fill, s, train, f, name); err != nil {
				return s, out, err
			}
		}
		if n := len(out.features); n > maxFields {
			return s, out, fmt.Errorf("%s: the features take more than %d columns, expected fewer categories, or --one-hot and --hashed with smaller numbers", src.name(), maxFields)
		}
	}
	if len(out.categories)+len(out.missing) == 0 {
		return s, out, nil
	}
	width := len(out.features)
	if err := ram.Check(fmt.Sprintf("%d columns of %d events", width, s.Len()), 4*int64(width)*int64(s.Len())); err != nil {
		return s, out, err
	}
	feat := make([]float32, s.Len()*width)
	for k := range s.Len() {
		row := feat[k*width : (k+1)*width]
		for f, x := range s.Features(k) {
			plans[f].put(row, x)
		}
	}
	return s.WithFeatures(feat, width), out, nil
}

// put writes the value x of a column of the source.
func (p plan) put(row []float32, x float32) {
	switch isMissing := math.IsNaN(float64(x)); {
	case p.values != nil:
		if column := p.values[int(x)]; column >= 0 {
			row[column] = 1
		}
	case isMissing:
		row[p.at], row[p.at+1] = p.fill, 1
	default:
		row[p.at] = x
	}
}

// makeLevels plans the columns of a category.
func (src Source) makeLevels(p *plan, out *made, texts []string, train datasets.Stream, f int, name string) {
	known := map[int]bool{}
	for k := range train.Len() {
		known[int(train.Features(k)[f])] = true
	}
	levels := slices.SortedFunc(maps.Keys(known), func(a, b int) int { return cmp.Compare(texts[a], texts[b]) })
	is := category{Column: name, Levels: len(levels), Columns: len(levels)}
	p.values = make([]int32, len(texts))
	if is.Hashed = len(levels) > src.Categories.OneHot; is.Hashed {
		is.Columns = src.Categories.Hashed
		for i, text := range texts { // also of texts that are not known yet
			p.values[i] = int32(p.at) + hashed(text, is.Columns)
		}
		for i := range is.Columns {
			out.features = append(out.features, fmt.Sprintf("%s#%d", name, i+1))
		}
	} else {
		for i := range p.values {
			p.values[i] = -1
		}
		for _, l := range levels {
			p.values[l] = int32(len(out.features))
			out.features = append(out.features, name+"="+texts[l])
		}
	}
	for _, l := range levels {
		out.levels = append(out.levels, level{name, texts[l], out.features[p.values[l]]})
	}
	out.categories = append(out.categories, is)
}

// hashed returns the number, from 0, of the column of a text: its FNV-1a of 64
// bits modulo the number of columns.
func hashed(text string, columns int) int32 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // it never fails
	return int32(h.Sum64() % uint64(columns))
}

// fill returns what takes the place of missing values of a column, which is number
// i of those with a fill of their own, or nil where none may be missing.
func (src Source) fill(i int) *Fill {
	if i >= 0 {
		return &src.MissingOf[i].Fill
	}
	return src.Missing
}

// makeFill plans a second column for column f if some of its values are missing.
func (src Source) makeFill(p *plan, out *made, fill Fill, s, train datasets.Stream, f int, name string) error {
	missing := func(s datasets.Stream) (n int, mean float64) {
		sum := 0.0
		for k := range s.Len() {
			if x := float64(s.Features(k)[f]); math.IsNaN(x) {
				n++
			} else {
				sum += x
			}
		}
		return n, sum / float64(s.Len()-n)
	}
	all, _ := missing(s)
	if all == 0 {
		return nil
	}
	p.fill = fill.Value
	if n, mean := missing(train); fill.Mean && n == train.Len() {
		return fmt.Errorf("%s: column %s: every value of the train part is missing, so there is no mean; expected a number, --missing %s=0", src.name(), name, name)
	} else if fill.Mean {
		p.fill = float32(mean)
	}
	out.features = append(out.features, name+" is missing")
	out.missing = append(out.missing, filled{Column: name, Values: all, Fill: p.fill})
	return nil
}
