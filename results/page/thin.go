package page

import "fmt"

// No more than this is drawn of a chart's curves. More could not be told apart
// on a screen, and would make the page of a long training big.
const (
	mostSeeds  = 30
	mostEpochs = 100
)

// every is the distance between the epochs that are drawn of so many.
func every(epochs int) int { return max(1, (epochs+mostEpochs-1)/mostEpochs) }

// thinLines keeps the epochs of lines that are drawn: the first one and those
// at the distance from it, and the last one of each line.
func thinLines(lines [][]point, epochs int) [][]point {
	step := every(epochs)
	var out [][]point
	for _, line := range lines {
		var kept []point
		for i, at := range line {
			if i%step == 0 || i == len(line)-1 {
				kept = append(kept, at)
			}
		}
		out = append(out, kept)
	}
	return out
}

// thinned says what is not drawn of curves, for the reader.
func thinned(epochs int, all []curves) []string {
	var out []string
	if step := every(epochs); step > 1 {
		out = append(out, fmt.Sprintf("Of %d epochs, one in %d is drawn, and the last.", epochs, step))
	}
	seeds := 0
	for _, c := range all {
		seeds = max(seeds, len(c.loss))
	}
	if seeds > mostSeeds {
		out = append(out, fmt.Sprintf("Of up to %d seeds, the first %d are drawn; means, dots and numbers are of all.", seeds, mostSeeds))
	}
	return out
}
