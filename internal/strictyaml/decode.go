package strictyaml

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"dgsbench/internal/suggest"
)

// Decode fills the value that into points to: structs with yaml tags
// (inline ones too), maps with string keys, slices, pointers, strings,
// booleans, numbers, and Nodes. A field that is not in the document keeps
// its value; a slice is replaced as a whole. The error lists everything that
// does not fit, and what fits is filled in even then.
//
// Further tags restrict the value of a field, or the items of a list:
//
//	words:"best last"    they are among these texts
//	range:"1 100000"     they are whole numbers from 1 to 100000
//	list:"some"          the list is not empty
//	list:"distinct"      it has no repetitions
//	list:"single"        a text or number stands for a list of one item
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
	n.decode(v.Elem(), &errs)
	return errs.Err()
}

// Word decodes one of the known words. It is "" when the value is another one
// or not there.
func Word[T ~string](n Node, errs *Errors, known ...T) T {
	var word T
	if n.Present() {
		var words []string
		for _, k := range known {
			words = append(words, string(k))
		}
		n.decodeRestricted(reflect.ValueOf(&word).Elem(), restrictions{words: words}, errs)
	}
	return word
}

var nodeType = reflect.TypeFor[Node]()

func (n Node) decode(v reflect.Value, errs *Errors) {
	if v.Type() == nodeType {
		v.Set(reflect.ValueOf(n))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		n.decode(v.Elem(), errs)
	case reflect.Struct:
		n.decodeStruct(v, errs)
	case reflect.Map:
		n.decodeMap(v, errs)
	case reflect.Slice:
		if items, ok := n.expectList(errs); ok {
			v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
			for i, item := range items {
				item.decode(v.Index(i), errs)
			}
		}
	default:
		if expected := n.setScalar(v); expected != "" {
			errs.Add(n.Errorf("expected %s, found %s", expected, n.describe()))
		}
	}
}

func (n Node) decodeStruct(v reflect.Value, errs *Errors) {
	if !n.expectMapping(errs) {
		return
	}
	fields := map[string]field{}
	names := addFields(v, fields)
	for at, value := range n.pairs() {
		key := at.yaml.Value
		f, ok := fields[key]
		switch {
		case !ok:
			errs.Add(at.errorAt("unknown key %q %s%s", key, n.where(), suggest.Hint(key, names)))
		case f.restricted:
			value.decodeRestricted(f.Value, f.restrictions, errs)
		default:
			value.decode(f.Value, errs)
		}
	}
}

// field is a field of a struct.
type field struct {
	reflect.Value
	restrictions
	restricted bool
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
			r, ok := restrictionsOf(f.Tag)
			fields[name] = field{v.Field(i), r, ok}
		}
	}
	return names
}

// restrictions are those of the tags of a field.
type restrictions struct {
	words                  []string
	low, high              int64 // both 0: no range
	some, distinct, single bool
}

func restrictionsOf(tag reflect.StructTag) (r restrictions, ok bool) {
	list := tag.Get("list")
	r.words = strings.Fields(tag.Get("words"))
	r.some, r.distinct, r.single = strings.Contains(list, "some"), strings.Contains(list, "distinct"), strings.Contains(list, "single")
	limits := tag.Get("range")
	if limits != "" {
		if _, err := fmt.Sscan(limits, &r.low, &r.high); err != nil {
			panic(fmt.Sprintf("strictyaml: range %q: %v", limits, err))
		}
	}
	return r, list != "" || limits != "" || len(r.words) > 0
}

// decodeRestricted decodes a value, or the items of a list, and checks them.
// Unknown words are dropped. What is of another type leaves v as it is.
func (n Node) decodeRestricted(v reflect.Value, r restrictions, errs *Errors) {
	isList, items, kind := v.Kind() == reflect.Slice, []Node{n}, v.Type()
	if isList {
		kind = kind.Elem()
		if !r.single || !n.IsScalar() {
			var ok bool
			if items, ok = n.expectList(errs); !ok {
				return
			}
		}
	}
	if r.some && len(items) == 0 {
		errs.Add(n.Errorf("expected at least one value, found an empty list"))
		return
	}
	var wrong Errors
	values := make([]reflect.Value, len(items))
	for i, item := range items {
		values[i] = reflect.New(kind).Elem()
		item.decode(values[i], &wrong)
	}
	if wrong.Any() {
		errs.Add(wrong.Err())
		return
	}
	seen := map[any]bool{}
	for i, item := range items {
		x := values[i]
		if r.high != 0 && (x.Int() < r.low || x.Int() > r.high) {
			errs.Add(item.Errorf("expected %d to %d, found %d", r.low, r.high, x.Int()))
		}
		if r.distinct && seen[x.Interface()] {
			errs.Add(item.Errorf("%#v is listed twice", x.Interface()))
		}
		seen[x.Interface()] = true
	}
	known := values
	if len(r.words) > 0 {
		known = nil
		for i, item := range items {
			word := values[i].String()
			if !slices.Contains(r.words, word) {
				errs.Add(item.Errorf("expected %s, found %q%s", suggest.Or(r.words), word, suggest.DidYouMean(word, r.words)))
				continue
			}
			known = append(known, values[i])
		}
	}
	switch {
	case isList:
		v.Set(reflect.Append(reflect.MakeSlice(v.Type(), 0, len(known)), known...))
	case len(known) > 0:
		v.Set(known[0])
	}
}

func (n Node) decodeMap(v reflect.Value, errs *Errors) {
	if v.Type().Key().Kind() != reflect.String {
		panic(fmt.Sprintf("strictyaml: cannot decode into %s, expected string keys", v.Type()))
	}
	if !n.expectMapping(errs) {
		return
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
		at.decode(value, errs)
		v.SetMapIndex(k, value)
	}
}

// setScalar sets a text, a boolean or a number, or returns what was expected.
func (n Node) setScalar(v reflect.Value) (expected string) {
	tag := ""
	if n.IsScalar() {
		tag = n.yaml.ShortTag()
	}
	whole := tag == "!!int"
	switch {
	case v.Kind() == reflect.String && tag == "!!str":
		v.SetString(n.yaml.Value)
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

func (n Node) expectList(errs *Errors) (items []Node, ok bool) {
	if n.yaml.Kind != yaml.SequenceNode {
		errs.Add(n.Errorf("expected a list, found %s", n.describe()))
		return nil, false
	}
	return n.Items(), true
}
