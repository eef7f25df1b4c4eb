package table

import "slices"

// Footnotes numbers the notes of a table from 1, the same text once.
type Footnotes struct{ Texts []string }

// Refer gives the numbers of texts, ascending. Empty texts have none.
func (n *Footnotes) Refer(texts ...string) []int {
	var numbers []int
	for _, text := range nonEmpty(texts...) {
		i := slices.Index(n.Texts, text)
		if i < 0 {
			i = len(n.Texts)
			n.Texts = append(n.Texts, text)
		}
		numbers = append(numbers, i+1)
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}
