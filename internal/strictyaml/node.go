package strictyaml

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Node is one value of a parsed document: a mapping, a list or a scalar. The
// zero Node is a missing value.
type Node struct {
	file string
	path *step // nil at the top
	yaml *yaml.Node
}

// step is the last step of the path to a value: a key such as ".head", or an
// index such as "[3]". Paths share their steps, so that those of a document
// take no more memory than the document.
type step struct {
	before *step
	name   string
}

// String returns the path, as in "options.head".
func (s *step) String() string {
	var names []string
	for ; s != nil; s = s.before {
		names = append(names, s.name)
	}
	slices.Reverse(names)
	return strings.TrimPrefix(strings.Join(names, ""), ".")
}

// Leaf is a value that is no mapping, and the dotted path to it.
type Leaf struct {
	Path string
	Node
}

// Present reports whether there is a value.
func (n Node) Present() bool { return n.yaml != nil }

// File returns the name of the document.
func (n Node) File() string { return n.file }

// Line returns the line on which the value starts, from 1; 0 for a missing one.
func (n Node) Line() int {
	if !n.Present() {
		return 0
	}
	return n.yaml.Line
}

// Entries returns the keys and values of a mapping, in the order of the document.
func (n Node) Entries() iter.Seq2[string, Node] {
	return func(yield func(string, Node) bool) {
		n.pairs()(func(key, value Node) bool { return yield(key.yaml.Value, value) })
	}
}

// pairs is like Entries, with the keys as nodes.
func (n Node) pairs() iter.Seq2[Node, Node] {
	return func(yield func(key, value Node) bool) {
		if !n.IsMapping() {
			return
		}
		for pair := range slices.Chunk(n.yaml.Content, 2) {
			if !yield(Node{n.file, n.path, pair[0]}, n.child("."+pair[0].Value, pair[1])) {
				return
			}
		}
	}
}

// Get returns the value of a key of a mapping, which is looked for among all
// keys. Where there is none, it is a Node that is not Present.
func (n Node) Get(key string) Node {
	for k, v := range n.Entries() {
		if k == key {
			return v
		}
	}
	return Node{}
}

// Below returns a document with the value at a dotted path and nothing else.
func (n Node) Below(path string) Node {
	y := n.yaml
	for _, key := range slices.Backward(strings.Split(path, ".")) {
		y = &yaml.Node{
			Kind: yaml.MappingNode, Line: y.Line,
			Content: []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!str", Value: key, Line: y.Line}, y},
		}
	}
	return Node{file: n.file, yaml: y}
}

// Items returns the values of a list.
func (n Node) Items() []Node {
	if !n.is(yaml.SequenceNode) {
		return nil
	}
	var out []Node
	for i, item := range n.yaml.Content {
		out = append(out, n.child(fmt.Sprintf("[%d]", i), item))
	}
	return out
}

// Leaves lists all values below a mapping that are no mappings themselves,
// in the order of the document. Paths start at this mapping.
func (n Node) Leaves() []Leaf {
	var leaves []Leaf
	var add func(Node, string)
	add = func(n Node, prefix string) {
		for key, v := range n.Entries() {
			if v.IsMapping() {
				add(v, prefix+key+".")
			} else {
				leaves = append(leaves, Leaf{prefix + key, v})
			}
		}
	}
	add(n, "")
	return leaves
}

// Errorf returns an error about this value, which its message names.
func (n Node) Errorf(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if n.path != nil {
		text = n.path.String() + ": " + text
	}
	return n.errorAt("%s", text)
}

// errorAt returns an error on the line of the node.
func (n Node) errorAt(format string, args ...any) error {
	return &Error{File: n.file, Line: n.Line(), Text: fmt.Sprintf(format, args...)}
}

// IsMapping reports whether the value has keys and values.
func (n Node) IsMapping() bool { return n.is(yaml.MappingNode) }

func (n Node) is(kind yaml.Kind) bool { return n.yaml != nil && n.yaml.Kind == kind }

// children returns the values of a mapping or a list.
func (n Node) children() []Node {
	out := n.Items()
	for _, v := range n.Entries() {
		out = append(out, v)
	}
	return out
}

func (n Node) child(name string, value *yaml.Node) Node {
	return Node{n.file, &step{n.path, name}, value}
}

// where returns the location of a mapping for messages about its keys.
func (n Node) where() string {
	if n.path == nil {
		return "at the top level"
	}
	return "in " + n.path.String()
}

// describe returns the name of the value in messages.
func (n Node) describe() string {
	switch n.yaml.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.yaml.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!str":
		return fmt.Sprintf("text %q", short(n.yaml.Value))
	}
	return short(n.yaml.Value)
}

// short cuts a long text, for messages.
func short(text string) string {
	const limit = 200
	if len(text) > limit {
		return text[:limit] + "..."
	}
	return text
}
