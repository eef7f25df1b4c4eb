package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"

	"gopkg.in/yaml.v3"
)

// Parse reads one YAML document and checks what holds for every type: keys
// are text and not repeated, numbers are finite, and nothing of what the
// package leaves out is used. file names the document in messages.
func Parse(file string, data []byte) (Node, error) {
	doc, err := parse(file, data)
	if err != nil {
		return Node{}, err
	}
	root := Node{file: file, yaml: doc}
	var errs Errors
	root.checkSyntax(&errs)
	if err := errs.Err(); err != nil {
		return Node{}, err
	}
	return root, nil
}

// parse runs the YAML library. An empty document comes back as a null node.
func parse(file string, data []byte) (root *yaml.Node, err error) {
	defer func() {
		// The library panics where it meets a state that it did not foresee.
		if p := recover(); p != nil {
			err = &Error{File: file, Line: 1, Text: fmt.Sprintf("not YAML: %v", p)}
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: 1}, nil
	case err != nil:
		return nil, syntaxError(file, err)
	}
	switch err := dec.Decode(&more); {
	case err == nil:
		return nil, &Error{File: file, Line: more.Line, Text: "a second document starts here, expected only one"}
	case !errors.Is(err, io.EOF):
		return nil, syntaxError(file, err)
	}
	return doc.Content[0], nil
}

var (
	libraryError = regexp.MustCompile(`(?s)^yaml: (?:line (\d+): )?(.*)$`)
	// parserError is what the library's parser says. It counts lines from 0
	// there, while its scanner counts from 1.
	parserError = regexp.MustCompile(`^did not find expected (<|node content|'-'|key|',')`)
)

// syntaxError gives a message of the YAML library the form of ours.
func syntaxError(file string, err error) error {
	m := libraryError.FindStringSubmatch(err.Error())
	if m == nil {
		return &Error{File: file, Line: 1, Text: "not YAML: " + err.Error()}
	}
	line, _ := strconv.Atoi(m[1]) // not every message has one
	if parserError.MatchString(m[2]) {
		line++
	}
	return &Error{File: file, Line: max(line, 1), Text: "not YAML: " + m[2]}
}

// checkSyntax applies the rules of Parse to the node and all below it.
func (n Node) checkSyntax(errs *Errors) {
	y := n.yaml
	switch {
	case y.Kind == yaml.AliasNode || y.Anchor != "":
		errs.Add(n.Errorf("anchors and aliases are not supported; write the value out"))
		return
	case y.Style&yaml.TaggedStyle != 0:
		errs.Add(n.Errorf("tags such as %s are not supported", y.Tag))
		return
	case y.Kind == yaml.MappingNode:
		n.checkKeys(errs)
	case y.Kind == yaml.ScalarNode && y.ShortTag() == "!!float":
		n.checkFinite(errs)
	}
	for _, child := range n.children() {
		child.checkSyntax(errs)
	}
}

func (n Node) checkKeys(errs *Errors) {
	first := map[string]int{} // key -> line
	for i := 0; i < len(n.yaml.Content); i += 2 {
		k := n.yaml.Content[i]
		key := Node{file: n.file, yaml: k, path: n.path}
		line, repeated := first[k.Value]
		switch {
		case k.Kind != yaml.ScalarNode || k.ShortTag() != "!!str":
			errs.Add(key.errorAt("expected a key that is text, found %s", key.describe()))
		case repeated:
			errs.Add(key.errorAt("key %q is repeated; it is on line %d already", k.Value, line))
		default:
			first[k.Value] = k.Line
		}
	}
}

func (n Node) checkFinite(errs *Errors) {
	var f float64
	if err := n.yaml.Decode(&f); err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		errs.Add(n.Errorf("expected a finite number, found %s", n.yaml.Value))
	}
}
