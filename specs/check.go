package specs

import (
	"slices"
	"strings"

	"dgsbench/datasets"
	"dgsbench/internal/names"
	"dgsbench/internal/strictyaml"
	"dgsbench/internal/suggest"
)

// checkName checks what ids, suites and variants are called.
func checkName(n strictyaml.Node, s string, errs *strictyaml.Errors) {
	if err := names.Check(s); err != nil && n.Present() {
		errs.Add(n.Errorf("%v", err))
	}
}

func checkDataset(n strictyaml.Node, dataset string, errs *strictyaml.Errors) bool {
	_, err := datasets.Lookup(dataset)
	base, _, _ := strings.Cut(dataset, "@")
	switch {
	case err == nil:
		return true
	case slices.Contains(datasets.Names(), base): // the size behind the @ is wrong
		errs.Add(n.Errorf("%v", err))
	default:
		errs.Add(n.Errorf("%s", unknown("dataset", dataset, datasets.Names())))
	}
	return false
}

// readDataset reads the name of a dataset; it is "" when the value is wrong
// or not there.
func readDataset(n strictyaml.Node, errs *strictyaml.Errors) string {
	var dataset string
	if err := n.Decode(&dataset); err != nil || !n.Present() {
		errs.Add(err)
		return ""
	}
	checkDataset(n, dataset, errs)
	return dataset
}

// require reports keys that are missing from a block.
func require(n strictyaml.Node, errs *strictyaml.Errors, keys ...string) {
	for _, key := range keys {
		if !n.Get(key).Present() {
			errs.Add(n.Errorf("key %q is missing", key))
		}
	}
}

// inRange checks a whole number that stands at n; what is not there is fine.
func inRange(n strictyaml.Node, value, lo, hi int, errs *strictyaml.Errors) {
	if n.Present() && (value < lo || value > hi) {
		errs.Add(n.Errorf("expected %d to %d, found %d", lo, hi, value))
	}
}

// readWord reads one of the known words; it is "" when the value is wrong or
// not there.
func readWord[T ~string](n strictyaml.Node, errs *strictyaml.Errors, known ...T) T {
	var word T
	if err := n.Decode(&word); err != nil || !n.Present() {
		errs.Add(err)
		return ""
	}
	if slices.Contains(known, word) {
		return word
	}
	words := texts(known)
	errs.Add(n.Errorf("expected %s, found %q%s", orList(words), word, suggest.DidYouMean(string(word), words)))
	return ""
}

// readList reads a list that is not empty and says nothing twice. It is nil
// when the value is wrong or not there.
func readList[T ~string](n strictyaml.Node, errs *strictyaml.Errors) []T {
	var words []T
	if err := n.Decode(&words); err != nil || !n.Present() {
		errs.Add(err)
		return nil
	}
	if len(words) == 0 {
		errs.Add(n.Errorf("expected at least one value, found an empty list"))
	}
	seen := map[T]bool{}
	for i, item := range n.Items() {
		if seen[words[i]] {
			errs.Add(item.Errorf("%q is listed twice", words[i]))
		}
		seen[words[i]] = true
	}
	return words
}

// setOf has the values as keys.
func setOf[T comparable](values []T) map[T]bool {
	out := make(map[T]bool, len(values))
	for _, v := range values {
		out[v] = true
	}
	return out
}

// readWords reads a list of known words, and leaves others out.
func readWords[T ~string](n strictyaml.Node, errs *strictyaml.Errors, known ...T) []T {
	if readList[T](n, errs) == nil {
		return nil
	}
	var words []T
	for _, item := range n.Items() {
		if word := readWord(item, errs, known...); word != "" {
			words = append(words, word)
		}
	}
	return words
}

// readWordOrWords is readWords that also reads one word alone.
func readWordOrWords[T ~string](n strictyaml.Node, errs *strictyaml.Errors, known ...T) []T {
	if !n.IsScalar() {
		return readWords(n, errs, known...)
	}
	if word := readWord(n, errs, known...); word != "" {
		return []T{word}
	}
	return nil
}

func texts[T ~string](words []T) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return out
}

func unknown(what, word string, known []string) string {
	return "unknown " + what + ` "` + word + `"` + suggest.Hint(word, known)
}

// checkTitle checks the title that stands at n.
func checkTitle(n strictyaml.Node, errs *strictyaml.Errors) {
	var title string
	if n.Decode(&title) != nil {
		return // reported where the block is read
	}
	if err := names.CheckTitle(title); err != nil && n.Present() {
		errs.Add(n.Errorf("%v", err))
	}
}
