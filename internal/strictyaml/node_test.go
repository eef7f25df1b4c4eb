package strictyaml

import (
	"errors"
	"slices"
	"testing"
)

func TestNode(t *testing.T) {
	n, err := Parse("f.yaml", []byte("b: 1\na:\n  x: [1, 2]\n  y: {z: 3}\nc: {}\n"))
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for key := range n.Entries() {
		keys = append(keys, key)
	}
	if want := []string{"b", "a", "c"}; !slices.Equal(keys, want) {
		t.Errorf("keys %v, want %v", keys, want)
	}
	if !n.Get("b").Present() || n.Get("d").Present() || n.Get("b").Get("x").Present() {
		t.Error("Present does not say what is there")
	}
	if got := n.Get("d").Line(); got != 0 {
		t.Errorf("a missing value is on line %d", got)
	}
	if got := len(n.Get("a").Get("x").Items()); got != 2 {
		t.Errorf("%d items, want 2", got)
	}
	var leaves []string
	for _, l := range n.Leaves() {
		leaves = append(leaves, l.Errorf("%s", l.Path).Error())
	}
	want := []string{"f.yaml:1: b: b", "f.yaml:3: a.x: a.x", "f.yaml:4: a.y.z: a.y.z"}
	if !slices.Equal(leaves, want) {
		t.Errorf("leaves %q, want %q", leaves, want)
	}
}

func TestErrorsAreInOrderAndOnce(t *testing.T) {
	at := func(file string, line int) error { return &Error{File: file, Line: line, Text: "x"} }
	var inner, errs Errors
	inner.Add(at("a", 9))
	inner.Add(at("a", 10))
	errs.Add(nil)
	if errs.Err() != nil {
		t.Fatal("an error though none was added")
	}
	errs.Add(errors.New("no place"))
	errs.Add(at("b", 1))
	errs.Add(inner.Err())
	errs.Add(at("a", 2))
	errs.Add(at("a", 9))
	want := "a:2: x\na:9: x\na:10: x\nb:1: x\nno place"
	if got := errs.Err().Error(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var located *Error
	if !errors.As(errs.Err(), &located) || located.Line != 2 {
		t.Errorf("errors.As finds %v", located)
	}
}
