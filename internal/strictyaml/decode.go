package strictyaml

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"dgsbench/internal/names"
	"dgsbench/internal/suggest"
)

// Decode fills the value that into points to: structs with yaml tags
// (inline ones too), maps with string keys, slices, pointers, strings,
// booleans, numbers, and Nodes. A field that is not in the document keeps
// its value; a slice is replaced as a whole. The error lists everything that
// does not fit, and what fits is filled in even then, except for a list with an
// item of another type; unknown words are left out.
//
// Further tags restrict a field, or the items of a list or map:
//
//	words:"best last"    they are among these texts
//	range:"1 100000"     they are whole numbers from 1 to 100000
//	text:"title"         they are titles (names.CheckTitle)
//	list:"some"          the list is not empty
//	list:"distinct"      it has no repetitions
//	list:"single"        a text or number stands for a list of one item
//	key:"required"       the key is there
//
// Decode panics when into is no pointer or holds other types: those are
// mistakes of the program.
func (n Node) Decode(into any) error {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		panic(fmt.Sprintf("strictyaml: Decode into %T, expected a pointer", into))
	}
	if !n.Present() {
		return nil
	}
	var errs Errors
	n.decode(v.Elem(), restrictions{}, &errs)
	return errs.Err()
}

// Unmarshal parses a document and decodes it into the value that into points to.
func Unmarshal(file string, data []byte, into any) error {
	n, err := Parse(file, data)
	if err != nil {
		return err
	}
	return n.Decode(into)
}

var nodeType = reflect.TypeFor[Node]()

// decode reports whether v was set, if only in part.
func (n Node) decode(v reflect.Value, r restrictions, errs *Errors) bool {
	if v.Type() == nodeType {
		v.Set(reflect.ValueOf(n))
		return true
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return n.decode(v.Elem(), r, errs)
	case reflect.Struct:
		return n.decodeStruct(v, errs)
	case reflect.Map:
		return n.decodeMap(v, r, errs)
	case reflect.Slice:
		return n.decodeList(v, r, errs)
	}
	return n.decodeScalar(v, r, errs)
}

func (n Node) decodeStruct(v reflect.Value, errs *Errors) bool {
	if !n.expectMapping(errs) {
		return false
	}
	fields := map[string]field{}
	known := addFields(v, fields)
	for _, name := range known {
		if fields[name].required && !n.Get(name).Present() {
			errs.Add(n.Errorf("key %q is missing", name))
		}
	}
	for at, value := range n.pairs() {
		key := at.yaml.Value
		if f, ok := fields[key]; ok {
			value.decode(f.Value, f.restrictions, errs)
		} else {
			errs.Add(at.errorAt("unknown key %q %s%s", key, n.where(), suggest.Hint(key, known)))
		}
	}
	return true
}

// field is a field of a struct.
type field struct {
	reflect.Value
	restrictions
}

// addFields adds the fields of a struct under their YAML names, and returns
// the names in the order of the struct. As in the YAML library, the name is
// the yaml tag's or else the field's in lower case, "-" leaves a field out,
// and inline stands for the fields of a struct.
func addFields(v reflect.Value, fields map[string]field) (names []string) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case name == "-":
		case strings.Contains(rest, "inline"):
			names = append(names, addFields(v.Field(i), fields)...)
		case f.IsExported():
			if name == "" {
				name = strings.ToLower(f.Name)
			}
			names = append(names, name)
			fields[name] = field{v.Field(i), restrictionsOf(f.Tag)}
		}
	}
	return names
}

// restrictions are those of the tags of a field.
type restrictions struct {
	words                  []string
	low, high              int64 // both 0: no range
	some, distinct, single bool
	title, required        bool
}

func restrictionsOf(tag reflect.StructTag) (r restrictions) {
	list := tag.Get("list")
	r.words = strings.Fields(tag.Get("words"))
	r.some, r.distinct, r.single = strings.Contains(list, "some"), strings.Contains(list, "distinct"), strings.Contains(list, "single")
	r.title, r.required = tag.Get("text") == "title", tag.Get("key") == "required"
	if limits := tag.Get("range"); limits != "" {
		if _, err := fmt.Sscan(limits, &r.low, &r.high); err != nil {
			panic(fmt.Sprintf("strictyaml: range %q: %v", limits, err))
		}
	}
	return r
}

func (n Node) decodeList(v reflect.Value, r restrictions, errs *Errors) bool {
	items := []Node{n}
	if !r.single || !n.is(yaml.ScalarNode) {
		if !n.is(yaml.SequenceNode) {
			errs.Add(n.Errorf("expected a list, found %s", n.describe()))
			return false
		}
		items = n.Items()
	}
	if r.some && len(items) == 0 {
		errs.Add(n.Errorf("expected at least one value, found an empty list"))
		return false
	}
	list, all := reflect.MakeSlice(v.Type(), len(items), len(items)), true
	ofItem := r
	ofItem.words = nil // unknown ones are reported after repetitions
	for i, item := range items {
		all = item.decode(list.Index(i), ofItem, errs) && all
	}
	if !all {
		return false
	}
	if r.distinct {
		seen := map[any]bool{}
		for i, item := range items {
			x := list.Index(i).Interface()
			if seen[x] {
				errs.Add(item.Errorf("%#v is listed twice", x))
			}
			seen[x] = true
		}
	}
	known := reflect.MakeSlice(v.Type(), 0, len(items))
	for i, item := range items {
		if x := list.Index(i); item.checkWord(x, r, errs) {
			known = reflect.Append(known, x)
		}
	}
	v.Set(known)
	return known.Len() == len(items)
}

func (n Node) checkWord(v reflect.Value, r restrictions, errs *Errors) bool {
	if len(r.words) == 0 || slices.Contains(r.words, v.String()) {
		return true
	}
	errs.Add(n.Errorf("expected %s, found %q%s", suggest.Or(r.words), v.String(), suggest.DidYouMean(v.String(), r.words)))
	return false
}

func (n Node) decodeMap(v reflect.Value, r restrictions, errs *Errors) bool {
	if v.Type().Key().Kind() != reflect.String {
		panic(fmt.Sprintf("strictyaml: cannot decode into %s, expected string keys", v.Type()))
	}
	if !n.expectMapping(errs) {
		return false
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	for key, at := range n.Entries() {
		k := reflect.ValueOf(key).Convert(v.Type().Key())
		value := reflect.New(v.Type().Elem()).Elem()
		if old := v.MapIndex(k); old.IsValid() {
			value.Set(old)
		}
		at.decode(value, r, errs)
		v.SetMapIndex(k, value)
	}
	return true
}

// decodeScalar decodes a text, a boolean or a number. An unknown word leaves v as
// it is.
func (n Node) decodeScalar(v reflect.Value, r restrictions, errs *Errors) bool {
	x := reflect.New(v.Type()).Elem()
	if expected := n.setScalar(x); expected != "" {
		errs.Add(n.Errorf("expected %s, found %s", expected, n.describe()))
		return false
	}
	if r.high != 0 && (x.Int() < r.low || x.Int() > r.high) {
		errs.Add(n.Errorf("expected %d to %d, found %d", r.low, r.high, x.Int()))
	}
	if !n.checkWord(x, r, errs) {
		return false
	}
	if r.title {
		if err := names.CheckTitle(x.String()); err != nil {
			errs.Add(n.Errorf("%v", err))
		}
	}
	v.Set(x)
	return true
}

// setScalar sets a text, a boolean or a number, or returns what was expected.
func (n Node) setScalar(v reflect.Value) (expected string) {
	tag := ""
	if n.is(yaml.ScalarNode) {
		tag = n.yaml.ShortTag()
	}
	whole := tag == "!!int"
	switch {
	case v.Kind() == reflect.String && tag == "!!str":
		v.SetString(n.yaml.Value)
	case v.Kind() == reflect.String && tag == "!!null" && n.yaml.Value != "": // null, or ~
		return fmt.Sprintf("text in quotes, as in %q", n.yaml.Value)
	case v.Kind() == reflect.String && tag != "" && tag != "!!null":
		return fmt.Sprintf("text, as in %q", short(n.yaml.Value))
	case v.Kind() == reflect.String:
		return "text"
	case v.Kind() == reflect.Bool && tag == "!!bool":
		v.SetBool(strings.EqualFold(n.yaml.Value, "true"))
	case v.Kind() == reflect.Bool:
		return "true or false"
	case v.CanInt() && whole:
		return setNumber(n, v, v.OverflowInt, v.SetInt, "a whole number of %d bits")
	case v.CanUint() && whole:
		return setNumber(n, v, v.OverflowUint, v.SetUint, "a whole number of %d bits, 0 or more")
	case v.CanInt(), v.CanUint():
		return "a whole number"
	case v.CanFloat() && (whole || tag == "!!float"): // Parse refuses infinite ones
		return setNumber(n, v, v.OverflowFloat, v.SetFloat, "a number of %d bits")
	case v.CanFloat():
		return "a number"
	default:
		panic(fmt.Sprintf("strictyaml: cannot decode into %s", v.Type()))
	}
	return ""
}

// setNumber sets v to the number, or returns what was expected.
func setNumber[T int64 | uint64 | float64](n Node, v reflect.Value, overflows func(T) bool, set func(T), expected string) string {
	var x T
	if n.yaml.Decode(&x) != nil || overflows(x) {
		return fmt.Sprintf(expected, v.Type().Bits())
	}
	set(x)
	return ""
}

func (n Node) expectMapping(errs *Errors) bool {
	if !n.IsMapping() {
		errs.Add(n.Errorf("expected keys and values, found %s", n.describe()))
	}
	return n.IsMapping()
}
