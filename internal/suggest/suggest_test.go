package suggest

import (
	"testing"

	"pgregory.net/rapid"
)

func TestNearest(t *testing.T) {
	known := []string{"alpha", "beta", "graph-sprints", "lr", "raw", "wikipedia", "wikipedia-nofeat"}
	tests := []struct{ word, want string }{
		{"alhpa", "alpha"}, // swapped
		{"alpa", "alpha"},  // left out
		{"Beta", "beta"},   // case does not matter
		{"graphsprints", "graph-sprints"},
		{"lrr", "lr"},
		{"wikipedia-nofeats", "wikipedia-nofeat"},
		{"wikipdeia", "wikipedia"}, // not the longer one
		{"gamma", ""},
		{"tgn", ""},
		{"", ""},
		{"x", ""},
	}
	for _, tt := range tests {
		if got := Nearest(tt.word, known); got != tt.want {
			t.Errorf("Nearest(%q) = %q, want %q", tt.word, got, tt.want)
		}
	}
	if got := Nearest("alpha", nil); got != "" {
		t.Errorf("Nearest among no words = %q", got)
	}
}

func TestDidYouMean(t *testing.T) {
	if got, want := DidYouMean("alhpa", []string{"alpha"}), ` (did you mean "alpha"?)`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := DidYouMean("gamma", []string{"alpha"}); got != "" {
		t.Errorf("got %q for a word that is not near", got)
	}
}

func TestHint(t *testing.T) {
	known := []string{"alpha", "beta"}
	tests := []struct {
		word  string
		known []string
		want  string
	}{
		{"alhpa", known, ` (did you mean "alpha"?)`},
		{"gamma", known, `; known: alpha, beta`},
		{"gamma", nil, `; there are none`},
	}
	for _, tt := range tests {
		if got := Hint(tt.word, tt.known); got != tt.want {
			t.Errorf("Hint(%q) = %q, want %q", tt.word, got, tt.want)
		}
	}
}

// The distance is 0 for equal words only, is symmetric, and grows by at most
// one with every inserted letter.
func TestDistanceProperties(t *testing.T) {
	word := rapid.StringMatching(`[ab]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		d := distance(a, b)
		if (d == 0) != (a == b) {
			t.Fatalf("distance(%q, %q) = %d", a, b, d)
		}
		if back := distance(b, a); back != d {
			t.Fatalf("distance(%q, %q) = %d, the other way %d", a, b, d, back)
		}
		if more := distance(a+"c", b); more > d+1 || more < d {
			t.Fatalf("distance(%q, %q) = %d, but %d without the c", a+"c", b, more, d)
		}
	})
}
