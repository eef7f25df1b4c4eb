package strictyaml

import (
	"fmt"
	"reflect"

	"gopkg.in/yaml.v3"

	"dgsbench/internal/suggest"
)

// Decode fills the value that into points to: structs with yaml tags
// (inline ones too), maps with string keys, slices, pointers, strings,
// booleans, numbers, and Nodes. What the document does not mention keeps
// its value; a slice is replaced as a whole. The error lists everything that
// does not fit, and what fits is filled in even then.
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
		n.decodeSlice(v, errs)
	default:
		n.decodeScalar(v, errs)
	}
}

func (n Node) decodeStruct(v reflect.Value, errs *Errors) {
	if !n.expectMapping(errs) {
		return
	}
	fields := fieldsOf(v)
	for at, value := range n.pairs() {
		key := at.yaml.Value
		if f, ok := fields.byName[key]; ok {
			value.decode(f, errs)
			continue
		}
		errs.Add(at.errorAt("unknown key %q %s%s", key, n.where(), suggest.Hint(key, fields.names)))
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

func (n Node) decodeSlice(v reflect.Value, errs *Errors) {
	if n.yaml.Kind != yaml.SequenceNode {
		errs.Add(n.Errorf("expected a list, found %s", n.describe()))
		return
	}
	items := n.Items()
	v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
	for i, item := range items {
		item.decode(v.Index(i), errs)
	}
}

func (n Node) expectMapping(errs *Errors) bool {
	if n.IsMapping() {
		return true
	}
	errs.Add(n.Errorf("expected keys and values, found %s", n.describe()))
	return false
}
