package results

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dgsbench/internal/lists"
	"dgsbench/protocol"
)

// liveAnswers says for every place up to which rate models keep the first limit, and what
// they lose there, and which models failed.
func (in Input) liveAnswers() (answers []Answer, failed []string) {
	for _, l := range (request{Input: in}).livePlaces() {
		where := "Under load, " + l.dataset.Title + ", " + l.what()
		for _, t := range l.tests {
			if t.Failed() {
				failed = append(failed, fmt.Sprintf("Failed: %s: %s (%s).", where, t.model.Title, t.Error))
			}
		}
		if l.first.load.Searches() {
			if text := l.answer(); text != "" {
				answers = append(answers, Answer{Dataset: l.dataset.ID, Best: where + ": " + text})
			}
		}
	}
	return answers, failed
}

// bounded is a model with the highest rate at which it keeps a limit.
type bounded struct {
	*LiveTest
	capacity
}

// answer says which learned model keeps the first limit up to the highest rate, and what
// the others do; empty where there is none.
func (l *livePlace) answer() string {
	var all []bounded
	for _, t := range l.tests {
		if t.Failed() || t.model.Class != protocol.Learned {
			continue
		}
		if c := t.capacity(l.first.limit(0), l.null); c.keeps > 0 || c.misses > 0 {
			all = append(all, bounded{t, c})
		}
	}
	if len(all) == 0 {
		return ""
	}
	slices.SortStableFunc(all, func(a, b bounded) int { return cmp.Compare(b.keeps, a.keeps) })
	within := "99.9% of the answers within " + l.first.load.Limits[0]
	switch best := all[0]; {
	case best.unmeasurable:
		return "a limit of " + l.first.load.Limits[0] + " is not measurable here."
	case best.keeps == 0:
		return "no learned model has " + within + " at any rate."
	default:
		text := fmt.Sprintf("of the learned models %s has %s at the highest rate: %s events/s%s", best.model.Title, within, best.rateWords(), best.lostWords(" of "+best.metric.Title))
		if len(all) > 1 {
			text += "; " + shortList(lists.Map(all[1:], bounded.words))
		}
		return text + "."
	}
}

// lostWords says in brackets what the model loses at its rate.
func (b bounded) lostWords(of string) string {
	if b.keeps == 0 || !b.point.lost.mean.Present() {
		return ""
	}
	return fmt.Sprintf(" (%.2f pp%s lost)", inPercent(b.point.lost.mean).Mean, of)
}

// words says at which rate one of the other models does.
func (b bounded) words() string {
	if b.keeps == 0 {
		return b.model.Title + " at no rate"
	}
	return fmt.Sprintf("%s %s%s", b.model.Title, b.rateWords(), b.lostWords(""))
}

func (b bounded) rateWords() string {
	return strings.Replace(b.capacity.String(), "≥ ", "at least ", 1)
}
