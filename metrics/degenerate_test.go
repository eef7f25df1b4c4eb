package metrics

import "testing"

func TestDegenerate(t *testing.T) {
	scores := func(labels []int8, scores ...float32) Facts { return Facts{Label: labels, Score: scores} }
	counts := func(greater, equal, against []int32) Facts {
		return Facts{Greater: greater, Equal: equal, Against: against}
	}
	for name, c := range map[string]struct {
		facts     Facts
		want      Degeneracy
		unopposed int
	}{
		"different scores":              {facts: scores([]int8{0, 1, 1}, 1, 1, 2)},
		"one score":                     {facts: scores([]int8{0, 1, 1}, 3, 3, 3), want: SameScores},
		"signs of zero":                 {facts: scores([]int8{0, 1}, 0, -0), want: SameScores},
		"one score where labelled":      {facts: scores([]int8{-1, 0, 1, -1}, 9, 3, 3, 8), want: SameScores},
		"other scores among unlabelled": {facts: scores([]int8{-1, 0, 1}, 3, 3, 2)},
		"one class":                     {facts: scores([]int8{1, 1}, 3, 3)},
		"no events":                     {facts: Facts{}},
		"ranked":                        {facts: counts([]int32{0, 1}, []int32{0, 0}, []int32{3, 3})},
		"always first":                  {facts: counts([]int32{0, 0}, []int32{0, 0}, []int32{3, 3})},
		"always last":                   {facts: counts([]int32{3, 3}, []int32{0, 0}, []int32{3, 3})},
		"no negatives":                  {facts: counts([]int32{0, 0}, []int32{0, 0}, []int32{0, 0}), want: NoNegatives, unopposed: 2},
		"some without":                  {facts: counts([]int32{0, 1}, []int32{0, 0}, []int32{0, 2}), unopposed: 1},
		"all ties":                      {facts: counts([]int32{0, 0}, []int32{4, 2}, []int32{4, 2}), want: SameCandidates},
		"all ties, some without":        {facts: counts([]int32{0, 0}, []int32{4, 0}, []int32{4, 0}), want: SameCandidates, unopposed: 1},
		"some ties":                     {facts: counts([]int32{0, 0}, []int32{4, 1}, []int32{4, 2})},
		"one event":                     {facts: counts([]int32{1}, []int32{0}, []int32{4}), want: OneEvent},
		"negatives were not counted":    {facts: counts([]int32{0, 0}, []int32{0, 0}, nil)},
	} {
		if err := c.facts.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := c.facts.Degenerate(); got != c.want || c.facts.Unopposed() != c.unopposed {
			t.Errorf("%s: %q, %d unopposed, expected %q and %d", name, got, c.facts.Unopposed(), c.want, c.unopposed)
		}
	}
}

// TestOfModel: what follows from the events alone is no model's doing.
func TestOfModel(t *testing.T) {
	for why, want := range map[Degeneracy]bool{SameScores: true, SameCandidates: true, NoNegatives: false, OneEvent: false, "": false} {
		if why.OfModel() != want {
			t.Errorf("%q: %v", why, !want)
		}
	}
}

// TestMoreThanThereAre: no model ranks more negatives than it was given.
func TestMoreThanThereAre(t *testing.T) {
	for _, f := range []Facts{
		{Greater: []int32{0, 2}, Equal: []int32{0, 2}, Against: []int32{0, 3}},
		{Greater: []int32{0}, Equal: []int32{0}, Against: []int32{}},
		{Greater: []int32{1 << 30}, Equal: []int32{1 << 30}, Against: []int32{1<<31 - 1}},
	} {
		if f.Check() == nil {
			t.Errorf("no error for %+v", f)
		}
	}
}
