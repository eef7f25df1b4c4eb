package strictyaml

import (
	"fmt"

	"gopkg.in/yaml.v3"
)

// Node is one value of a parsed document: a mapping, a list or a scalar. The
// zero value stands for a value that is not there.
type Node struct {
	file string
	path string // where in the document, as in "options.head"; "" at the top
	yaml *yaml.Node
}

// Leaf is a value that is no mapping, and the dotted path to it.
type Leaf struct {
	Path string
	Node
}

// Present reports whether there is a value.
func (n Node) Present() bool { return n.yaml != nil }

// File is the name of the document.
func (n Node) File() string { return n.file }

// Line is the line on which the value starts, from 1; 0 when it is not there.
func (n Node) Line() int {
	if n.yaml == nil {
		return 0
	}
	return n.yaml.Line
}

// Keys lists the keys of a mapping, in the order of the document.
func (n Node) Keys() []string {
	if !n.isMapping() {
		return nil
	}
	var keys []string
	for i := 0; i < len(n.yaml.Content); i += 2 {
		keys = append(keys, n.yaml.Content[i].Value)
	}
	return keys
}

// Get is the value of a key of a mapping. Where there is none, it is a Node
// that is not Present.
func (n Node) Get(key string) Node {
	if !n.isMapping() {
		return Node{}
	}
	for i := 0; i < len(n.yaml.Content); i += 2 {
		if n.yaml.Content[i].Value == key {
			return n.child(key, n.yaml.Content[i+1])
		}
	}
	return Node{}
}

// Items are the values of a list.
func (n Node) Items() []Node {
	if n.yaml == nil || n.yaml.Kind != yaml.SequenceNode {
		return nil
	}
	return n.children()
}

// Leaves lists all values below a mapping that are no mappings themselves,
// in the order of the document. Paths start at this mapping.
func (n Node) Leaves() []Leaf {
	var leaves []Leaf
	for _, key := range n.Keys() {
		v := n.Get(key)
		if !v.isMapping() {
			leaves = append(leaves, Leaf{key, v})
			continue
		}
		for _, l := range v.Leaves() {
			leaves = append(leaves, Leaf{key + "." + l.Path, l.Node})
		}
	}
	return leaves
}

// Errorf is an error about this value, which its message names.
func (n Node) Errorf(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if n.path != "" {
		text = n.path + ": " + text
	}
	return n.errorAt("%s", text)
}

// errorAt is an error on the line of the node.
func (n Node) errorAt(format string, args ...any) error {
	return &Error{File: n.file, Line: n.Line(), Text: fmt.Sprintf(format, args...)}
}

func (n Node) isMapping() bool { return n.yaml != nil && n.yaml.Kind == yaml.MappingNode }

// children are the values of a mapping or a list.
func (n Node) children() []Node {
	var out []Node
	switch n.yaml.Kind {
	case yaml.MappingNode:
		for i := 0; i < len(n.yaml.Content); i += 2 {
			out = append(out, n.child(n.yaml.Content[i].Value, n.yaml.Content[i+1]))
		}
	case yaml.SequenceNode:
		for i, item := range n.yaml.Content {
			out = append(out, Node{n.file, fmt.Sprintf("%s[%d]", n.path, i), item})
		}
	}
	return out
}

func (n Node) child(key string, value *yaml.Node) Node {
	path := key
	if n.path != "" {
		path = n.path + "." + key
	}
	return Node{n.file, path, value}
}

// where names a mapping in messages about its keys.
func (n Node) where() string {
	if n.path == "" {
		return "at the top level"
	}
	return "in " + n.path
}

// describe says what the value is, for messages.
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
		return fmt.Sprintf("text %q", n.yaml.Value)
	}
	return n.yaml.Value
}
