package strictyaml

import (
	"reflect"
	"strings"
)

// fields are the fields of a struct under their YAML names.
type fields struct {
	names  []string // in the order of the struct
	byName map[string]reflect.Value
}

// fieldsOf follows the YAML library: the name is the yaml tag's, or else the
// field's in lower case; "-" leaves a field out, inline takes a struct's
// fields in.
func fieldsOf(v reflect.Value) fields {
	out := fields{byName: map[string]reflect.Value{}}
	out.add(v)
	return out
}

func (f *fields) add(v reflect.Value) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, rest, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch {
		case name == "-":
		case strings.Contains(rest, "inline"):
			f.add(v.Field(i))
		case !field.IsExported():
		default:
			if name == "" {
				name = strings.ToLower(field.Name)
			}
			f.names = append(f.names, name)
			f.byName[name] = v.Field(i)
		}
	}
}
