// Package onnx makes files in the ONNX format (onnx.ai): graphs of operators that ONNX Runtime and
// other programs run.
package onnx

import (
	"encoding/binary"
	"fmt"
)

// Opset is the version of the operators, and irVersion that of the format that came with it.
// ONNX Runtime has read both since 1.12.
const Opset, irVersion = 17, 8

// N is the size of a dimension that may have any. It is the same wherever it occurs.
const N = -1

// Type is the type of a tensor's elements, as the format numbers them.
type Type int64

// The types in use.
const (
	Float32 Type = 1
	Int64   Type = 7
	Float64 Type = 11
)

// Model is a graph with what it says of itself. Its values are tensors, known by their names: each
// is an input, a constant or what a node computes from values before it.
type Model struct {
	Name, Doc       string
	Metadata        map[string]string
	Inputs, Outputs []Value
	Constants       []Constant
	Nodes           []Node

	defined map[string]bool
}

// Value is an input or an output, of float32s.
type Value struct {
	Name  string
	Shape []int // sizes, or N
	Doc   string
}

// Constant is a tensor that does not depend on inputs.
type Constant struct {
	Name  string
	Type  Type
	Shape []int // none for a number
	Data  []byte
}

// Node computes a value, which has its name, by an operator. It has one attribute, an integer, or
// none.
type Node struct {
	Name, Operator string
	Inputs         []string
	Attribute      string
	Integer        int64
}

// define makes a name that of a value. It panics if there is one already.
func (m *Model) define(name string) string {
	if m.defined[name] {
		panic("onnx: " + name + " is defined twice")
	}
	if m.defined == nil {
		m.defined = map[string]bool{}
	}
	m.defined[name] = true
	return name
}

// need panics if there is no value of the name.
func (m *Model) need(name string) {
	if !m.defined[name] {
		panic("onnx: " + name + " is not defined")
	}
}

// Input adds an input and returns its name.
func (m *Model) Input(name, doc string, shape ...int) string {
	m.Inputs = append(m.Inputs, Value{name, shape, doc})
	return m.define(name)
}

// Output makes a value an output.
func (m *Model) Output(name, doc string, shape ...int) {
	m.need(name)
	m.Outputs = append(m.Outputs, Value{name, shape, doc})
}

// Op adds a node, without attributes, and returns its name.
func (m *Model) Op(name, operator string, inputs ...string) string {
	return m.OpWith("", 0, name, operator, inputs...)
}

// OpWith is Op with an attribute.
func (m *Model) OpWith(attribute string, value int64, name, operator string, inputs ...string) string {
	for _, input := range inputs {
		m.need(input)
	}
	m.Nodes = append(m.Nodes, Node{name, operator, inputs, attribute, value})
	return m.define(name)
}

// Floats adds a constant, row major, and returns its name.
func (m *Model) Floats(name string, values []float32, shape ...int) string {
	return m.constant(name, Float32, values, len(values), shape)
}

// Doubles is Floats in double precision.
func (m *Model) Doubles(name string, values []float64, shape ...int) string {
	return m.constant(name, Float64, values, len(values), shape)
}

// Integers is Floats for a vector of integers.
func (m *Model) Integers(name string, values ...int64) string {
	return m.constant(name, Int64, values, len(values), []int{len(values)})
}

// constant adds a constant of that many numbers.
func (m *Model) constant(name string, of Type, values any, count int, shape []int) string {
	size := 1
	for _, n := range shape {
		size *= n
	}
	data, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil || count != size {
		panic(fmt.Sprintf("onnx: %s has %d numbers of shape %v: %v", name, count, shape, err))
	}
	m.Constants = append(m.Constants, Constant{name, of, shape, data})
	return m.define(name)
}
