package specs

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"dgsbench/datasets"
	"dgsbench/internal/strictyaml"
	"dgsbench/internal/suggest"
)

// validName is what ids, suites and variants are called: names become parts of
// paths and CSV columns.
var validName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func checkName(n strictyaml.Node, s string, errs *strictyaml.Errors) {
	if n.Present() && !validName.MatchString(s) {
		errs.Add(n.Errorf("expected a name of small letters, digits and single dashes, found %q", s))
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
	for i, item := range n.Items() {
		if slices.Contains(words[:i], words[i]) {
			errs.Add(item.Errorf("%q is listed twice", words[i]))
		}
	}
	return words
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

// checkTitle refuses what would break a table: nothing, line ends, control
// characters and bars.
func checkTitle(n strictyaml.Node, errs *strictyaml.Errors) {
	bad := func(r rune) bool { return !unicode.IsPrint(r) || r == '|' }
	var title string
	if n.Decode(&title) != nil {
		return // reported where the block is read
	}
	if n.Present() && (strings.TrimSpace(title) == "" || strings.ContainsFunc(title, bad)) {
		errs.Add(n.Errorf("expected one line of printable text without bars, found %q", title))
	}
}
