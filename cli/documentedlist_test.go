package cli

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dgsbench/internal/strictyaml"
)

// treatment is testdata/documented.yaml: how documented commands are tested.
type treatment struct {
	Placeholders map[string]string `yaml:"placeholders"`
	Files        []string          `yaml:"files"`
	Before       []string          `yaml:"before"`
	Copies       map[string]string `yaml:"copies"`
	Long         map[string]string `yaml:"long"`
	Refused      map[string]string `yaml:"refused"`
	Names        []string          `yaml:"names"`
	Unchecked    map[string]string `yaml:"unchecked"`
}

func readTreatment(t *testing.T) treatment {
	t.Helper()
	file := filepath.Join("testdata", "documented.yaml")
	node, err := strictyaml.Parse(file, []byte(read(t, file)))
	if err != nil {
		t.Fatal(err)
	}
	var out treatment
	if err := node.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// filled are the words with placeholders replaced, and without what is
// optional, as in `bench all [--suite S]`.
func (tr treatment) filled(words []string) []string {
	var out []string
	optional := false
	for _, word := range words {
		optional = optional || strings.HasPrefix(word, "[")
		if value, ok := tr.Placeholders[word]; ok {
			word = value
		}
		if !optional {
			out = append(out, word)
		}
		optional = optional && !strings.HasSuffix(word, "]")
	}
	return out
}

// isName reports whether a command only names something: it is listed, or
// what belongs to it is left out.
func (tr treatment) isName(c documented) bool {
	return slices.Contains(tr.Names, c.String()) || slices.Contains(c.words, "...")
}

// listed finds a command in a list of the file.
func listed(list map[string]string, c documented) (key, value string, ok bool) {
	for key, value := range list {
		start, open := strings.CutSuffix(key, "*")
		if key == c.String() || open && strings.HasPrefix(c.String(), start) {
			return key, value, true
		}
	}
	return "", "", false
}

// TestTreatmentIsNeeded: what is listed stands in a document or a help text.
func TestTreatmentIsNeeded(t *testing.T) {
	tr := readTreatment(t)
	used := map[string]bool{}
	for _, d := range documents(t, filepath.Join("..")) {
		for _, c := range d.commands {
			used[c.String()] = true
			for _, list := range []map[string]string{tr.Long, tr.Refused, tr.Unchecked} {
				if key, _, ok := listed(list, c); ok {
					used[key] = true
				}
			}
		}
	}
	for _, keys := range [][]string{tr.Names, sorted(tr.Long), sorted(tr.Refused), sorted(tr.Unchecked)} {
		for _, key := range keys {
			if !used[key] {
				t.Errorf("testdata/documented.yaml lists %q, which stands nowhere", key)
			}
		}
	}
}

func sorted(list map[string]string) []string { return slices.Sorted(maps.Keys(list)) }
