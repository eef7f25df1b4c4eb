package strictyaml

import (
	"bytes"
	"fmt"

	"gopkg.in/yaml.v3"
)

// Of returns the value as part of a document. It is an error if YAML cannot
// express it.
func Of(value any) (Node, error) {
	var y yaml.Node
	if err := y.Encode(value); err != nil {
		return Node{}, fmt.Errorf("cannot write %T as YAML: %w", value, err)
	}
	quoteMerge(&y)
	return Node{yaml: &y}, nil
}

// quoteMerge puts the text << in quotes, which the library writes as the sign
// of a merge.
func quoteMerge(y *yaml.Node) {
	if y.Kind == yaml.ScalarNode && y.Value == "<<" {
		y.Tag, y.Style = "!!str", yaml.DoubleQuotedStyle
	}
	for _, c := range y.Content {
		quoteMerge(c)
	}
}

// Value returns the node as maps, slices, strings, booleans and numbers, as
// encoding/json takes them.
func (n Node) Value() (any, error) {
	var out any
	if !n.Present() {
		return nil, nil
	}
	err := n.yaml.Decode(&out)
	return out, err
}

// MarshalYAML makes a part of a document a part of another one, with its order,
// style and comments.
func (n Node) MarshalYAML() (any, error) { return n.yaml, nil }

// IsZero tells the YAML library's omitempty that there is no value.
func (n Node) IsZero() bool { return !n.Present() }

// Encode writes the value as a document. A leaf that fits on one line is followed
// by the comment for its path, if that is not empty; comment may be nil.
func Encode(value any, comment func(path string) string) ([]byte, error) {
	n, err := Of(value)
	if err != nil {
		return nil, err
	}
	n.flow()
	if comment != nil {
		for _, l := range n.Leaves() {
			if l.yaml.Kind == yaml.ScalarNode || l.yaml.Style&yaml.FlowStyle != 0 {
				l.yaml.LineComment = comment(l.Path)
			}
		}
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(n.yaml); err != nil {
		return nil, err
	}
	return out.Bytes(), enc.Close()
}

// flow puts lists of scalars on one line.
func (n Node) flow() {
	scalars := true
	for _, c := range n.children() {
		c.flow()
		scalars = scalars && c.yaml.Kind == yaml.ScalarNode
	}
	if n.yaml.Kind == yaml.SequenceNode && scalars {
		n.yaml.Style |= yaml.FlowStyle
	}
}
