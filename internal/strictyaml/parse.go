// Package strictyaml reads YAML into Go values and reports whatever does not
// fit them exactly: unknown and repeated keys, values of another type, numbers
// that are not finite or not decimal. It reports up to a hundred errors at
// once, each with its file and line.
//
// The time to read a document grows with its size and no faster. A document
// has at most 32 MiB, 500,000 of the characters that precede values
// (,:-?[{), 32 levels, and keys of 255 bytes.
//
// A Node is a part of a document whose type is only known once other parts
// have been read. (The YAML library's own strict mode does not reach such
// parts, so the values are filled in here.)
//
// Anchors, aliases, merge keys, custom tags and several documents in a file
// are left out of the language on purpose.
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
	if text := checkSize(data); text != "" {
		return Node{}, &Error{File: file, Line: 1, Text: text}
	}
	doc, err := parse(file, data)
	if err != nil {
		return Node{}, err
	}
	root := Node{file: file, yaml: doc}
	var errs Errors
	root.checkSyntax(0, &errs)
	return root, errs.Err()
}

// What a document may have. Its values are at most as many as the characters
// that precede them.
const (
	maxBytes    = 32 << 20
	maxValues   = 500_000
	valueMarks  = ",:-?[{"
	maxDepth    = 32
	maxKeyBytes = 255
)

// checkSize limits the memory that a document takes.
func checkSize(data []byte) string {
	values := 0
	for _, mark := range []byte(valueMarks) {
		values += bytes.Count(data, []byte{mark})
	}
	switch {
	case len(data) > maxBytes:
		return fmt.Sprintf("a document of %d MiB, expected at most %d", len(data)>>20, maxBytes>>20)
	case values > maxValues:
		return fmt.Sprintf("a document with %d of the characters %s, expected at most %d", values, valueMarks, maxValues)
	}
	return ""
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

// syntaxError turns an error of the YAML library into an Error.
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

// checkSyntax applies the rules of Parse to the node, which has that many
// levels above it, and to all below it.
func (n Node) checkSyntax(depth int, errs *Errors) {
	y := n.yaml
	switch {
	case depth > maxDepth:
		errs.Add(n.errorAt("values in more than %d others, expected fewer", maxDepth))
		return
	case y.Kind == yaml.AliasNode || y.Anchor != "":
		errs.Add(n.Errorf("anchors and aliases are not supported; write the value out"))
		return
	case y.Style&yaml.TaggedStyle != 0:
		errs.Add(n.Errorf("tags such as %s are not supported", y.Tag))
		return
	case y.Kind == yaml.MappingNode:
		n.checkKeys(errs)
	case y.Kind == yaml.ScalarNode && (y.ShortTag() == "!!float" || y.ShortTag() == "!!int"):
		n.checkNumber(errs)
	}
	for _, child := range n.children() {
		child.checkSyntax(depth+1, errs)
	}
}

func (n Node) checkKeys(errs *Errors) {
	first := map[string]int{} // key -> line
	for key := range n.pairs() {
		k := key.yaml
		line, repeated := first[k.Value]
		switch {
		case k.Kind != yaml.ScalarNode || k.ShortTag() != "!!str":
			errs.Add(key.errorAt("expected a key that is text, found %s", key.describe()))
		case len(k.Value) > maxKeyBytes:
			errs.Add(key.errorAt("a key of %d bytes, expected at most %d", len(k.Value), maxKeyBytes))
		case repeated:
			errs.Add(key.errorAt("key %q is repeated; it is on line %d already", k.Value, line))
		default:
			first[k.Value] = k.Line
		}
	}
}

// decimal leaves out what the library reads too: 0777 and 0o777, which are
// 511, 0x1ff, 0b1 and 1_000.
var decimal = regexp.MustCompile(`^[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$`)

func (n Node) checkNumber(errs *Errors) {
	var f float64
	switch err := n.yaml.Decode(&f); {
	case err != nil || math.IsNaN(f) || math.IsInf(f, 0):
		errs.Add(n.Errorf("expected a finite number, found %s", short(n.yaml.Value)))
	case !decimal.MatchString(n.yaml.Value):
		errs.Add(n.Errorf("expected a decimal number, found %s (text is put in quotes)", short(n.yaml.Value)))
	}
}
