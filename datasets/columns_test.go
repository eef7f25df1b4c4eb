package datasets

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNodes: the names come back by the numbers of the nodes, users before items,
// also of events that are sorted.
func TestNodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	type event struct{ src, dst, time int }
	for range 20 {
		events := make([]event, 1+rng.IntN(300))
		var text strings.Builder
		text.WriteString("a,b,t\n")
		for i := range events {
			e := event{rng.IntN(20), rng.IntN(20), rng.IntN(50)}
			events[i] = e
			fmt.Fprintf(&text, "n%d,n%d,%d\n", e.src, e.dst, e.time)
		}
		slices.SortStableFunc(events, func(a, b event) int { return a.time - b.time })
		for _, bipartite := range []bool{false, true} {
			c, err := readColumns(t, text.String(), Layout{Src: "a", Dst: "b", Time: "t", Bipartite: bipartite, Sort: true})
			if err != nil {
				t.Fatal(err)
			}
			names := nodeTexts(c)
			if len(names) != c.NumNodes {
				t.Fatalf("%d names of %d nodes", len(names), c.NumNodes)
			}
			for k, e := range events {
				got := [2]string{names[c.Src[k]], names[c.Dst[k]]}
				if want := [2]string{fmt.Sprint("n", e.src), fmt.Sprint("n", e.dst)}; got != want {
					t.Fatalf("bipartite %t: event %d is of %v, expected %v", bipartite, k, got, want)
				}
			}
		}
	}
}

// TestCategories: texts are numbered in file order, apart for each column,
// whatever they look like; nothing is a text, too.
func TestCategories(t *testing.T) {
	layout := Layout{Src: "a", Dst: "b", Time: "t", Features: []string{"x"}, Categories: []string{"kind", "6"}}
	var text strings.Builder
	text.WriteString("a,b,t,x,kind,code\n")
	kinds, codes := []string{"web", "app", "", `"a, b"`}, []string{"07", "7", "NaN"}
	for k := range 40 {
		fmt.Fprintf(&text, "1,2,%d,%d,%s,%s\n", k, k, kinds[k%len(kinds)], codes[k%len(codes)])
	}
	c, err := readColumns(t, text.String(), layout)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{nil, {"web", "app", "", "a, b"}, {"07", "7", "NaN"}}, c.Levels); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"x", "kind", "code"}, c.Features); diff != "" {
		t.Error(diff)
	}
	for k := range 40 {
		if want := []float32{float32(k), float32(k % 4), float32(k % 3)}; !slices.Equal(c.Stream.Features(k), want) {
			t.Errorf("event %d: %v, expected %v", k, c.Stream.Features(k), want)
		}
	}
}

// TestMissing: what stands for a missing number is NaN where that is declared,
// and an error that names the way out where it is not.
func TestMissing(t *testing.T) {
	const text = "a,b,t,x,y\n1,2,1,0.5,1\n1,2,2,,2\n1,2,3,NA,3\n1,2,4,null,4\n1,2,5,N/A,5\n1,2,6,nan,6\n1,2,7,\\N,7\n1,2,8,None,8\n"
	layout := Layout{Src: "a", Dst: "b", Time: "t", Features: []string{"x", "y"}}
	for _, change := range []func(*Layout){func(l *Layout) { l.Missing = []string{"x"} }, func(l *Layout) { l.AnyMissing = true }} {
		l := layout
		change(&l)
		c, err := readColumns(t, text, l)
		if err != nil {
			t.Fatal(err)
		}
		for k := range 8 {
			if x := c.Stream.Features(k); x[1] != float32(k+1) || math.IsNaN(float64(x[0])) != (k > 0) {
				t.Errorf("event %d: %v", k, x)
			}
		}
	}
	if _, err := readText(t, text, layout); err == nil || err.(*Damage).Option != OptionMissing || !strings.HasPrefix(err.Error(), "events.csv:3: column 4 (x): found nothing, expected a finite number") {
		t.Errorf("%+v", err)
	}
	for _, c := range []struct {
		change func(*Layout)
		text   string
		option Option
		want   string
	}{
		{func(l *Layout) { l.Missing = []string{"y"} }, text, OptionMissing, "events.csv:3: column 4 (x): found nothing"},
		{func(l *Layout) { l.AnyMissing = true }, strings.Replace(text, "NA", "card", 1), OptionCategory, `events.csv:4: column 4 (x): found "card", expected a finite number`},
		{func(l *Layout) { l.AnyMissing = true }, strings.Replace(text, "NA", "1e99", 1), NoOption, `events.csv:4: column 4 (x): found "1e99"`},
		{func(l *Layout) { l.Missing = []string{"z"} }, text, NoOption, `expected a column named "z"`},
		{func(l *Layout) { l.Missing = []string{"t"} }, text, NoOption, "column 3 (t): found a column that is the time, expected a column of numbers among the features"},
		{func(l *Layout) { l.Missing = []string{"x", "4"} }, text, NoOption, "column 4 (x): found two values for what is missing, expected one"},
		{func(l *Layout) { l.Features, l.Categories, l.Missing = nil, []string{"x"}, []string{"x"} }, text, NoOption, "found a category, in which nothing is a value like any other"},
		{func(l *Layout) { l.Categories = []string{"x"} }, text, NoOption, `found two uses, "x" for a feature and "x" for a feature`},
	} {
		l := layout
		c.change(&l)
		if _, err := readText(t, c.text, l); err == nil || err.(*Damage).Option != c.option || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v, expected %q", err, c.want)
		}
	}
}
