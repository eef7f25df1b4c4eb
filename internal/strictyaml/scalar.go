package strictyaml

import (
	"fmt"
	"reflect"
	"strings"

	"gopkg.in/yaml.v3"
)

// decodeScalar sets a string, a boolean or a number.
func (n Node) decodeScalar(v reflect.Value, errs *Errors) {
	if expected := n.setScalar(v); expected != "" {
		errs.Add(n.Errorf("expected %s, found %s", expected, n.describe()))
	}
}

// setScalar sets v, or says what was expected instead.
func (n Node) setScalar(v reflect.Value) (expected string) {
	tag := ""
	if n.yaml.Kind == yaml.ScalarNode {
		tag = n.yaml.ShortTag()
	}
	switch v.Kind() {
	case reflect.String:
		if tag != "!!str" && tag != "" && tag != "!!null" {
			return fmt.Sprintf("text, as in %q", short(n.yaml.Value))
		}
		if tag != "!!str" {
			return "text"
		}
		v.SetString(n.yaml.Value)
	case reflect.Bool:
		if tag != "!!bool" {
			return "true or false"
		}
		v.SetBool(strings.EqualFold(n.yaml.Value, "true"))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return n.setInt(v, tag)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return n.setUint(v, tag)
	case reflect.Float32, reflect.Float64:
		return n.setFloat(v, tag)
	default:
		panic(fmt.Sprintf("strictyaml: cannot decode into %s", v.Type()))
	}
	return ""
}

func (n Node) setInt(v reflect.Value, tag string) string {
	var x int64
	if tag != "!!int" {
		return "a whole number"
	}
	if n.yaml.Decode(&x) != nil || v.OverflowInt(x) {
		return fmt.Sprintf("a whole number of %d bits", v.Type().Bits())
	}
	v.SetInt(x)
	return ""
}

func (n Node) setUint(v reflect.Value, tag string) string {
	var x uint64
	if tag != "!!int" {
		return "a whole number"
	}
	if n.yaml.Decode(&x) != nil || v.OverflowUint(x) {
		return fmt.Sprintf("a whole number of %d bits, 0 or more", v.Type().Bits())
	}
	v.SetUint(x)
	return ""
}

// setFloat takes whole numbers too. Parse has refused those not finite.
func (n Node) setFloat(v reflect.Value, tag string) string {
	var x float64
	if tag != "!!float" && tag != "!!int" {
		return "a number"
	}
	if n.yaml.Decode(&x) != nil || v.OverflowFloat(x) {
		return fmt.Sprintf("a number of %d bits", v.Type().Bits())
	}
	v.SetFloat(x)
	return ""
}
