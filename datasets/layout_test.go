package datasets

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// twoTransfers is the stream of the files of TestForms.
func twoTransfers(feat ...float32) Stream {
	return Stream{
		Src: []int32{0, 1}, Dst: []int32{1, 2}, Time: []float64{0, 90}, Label: []int8{Unlabelled, Unlabelled},
		Feat: feat, NumFeat: len(feat) / 2, NumNodes: 3,
	}
}

func TestForms(t *testing.T) {
	named := Layout{Src: "a", Dst: "b", Time: "t"}
	separated := func(s Separator) Layout { return with(named, func(l *Layout) { l.Separator = s }) }
	rest := with(named, func(l *Layout) { l.Rest = true })
	numbers := Layout{Src: "1", Dst: "2", Time: "3"}
	bare := with(numbers, func(l *Layout) { l.NoHeader = true })
	for _, c := range []struct {
		name   string
		layout Layout
		text   string
		want   Stream
	}{
		{"tab", separated(Tab), "a\tb\tt\nx\ty\t10\ny\tz\t100\n", twoTransfers()},
		{"semicolon", separated(Semicolon), "a;b;t\nx;y;10\ny;z;100\n", twoTransfers()},
		{"found: comma", separated(FindSeparator), "a,b,t\nx,y;,10\ny;,z,100\n", twoTransfers()},
		{"found: tab", separated(FindSeparator), "a\tb\tt\tx,y\nx\ty\t10\t\ny\tz\t100\t\"1\t2\"\n", twoTransfers()},
		{"found: semicolon, commas in quotes", separated(FindSeparator), "\"a,b,c,d\";a;b;t\n;x;y;10\n;y;z;100\n", twoTransfers()},
		{"pipe", separated(Pipe), "a|b|t\nx|y|10\ny|z|100\n", twoTransfers()},
		{"space", separated(Space), "a b t\nx y 10\n\"y\" z 100\n", twoTransfers()},
		{"found: pipe", separated(FindSeparator), "a|b|t|u,v\nx|y|10|\ny|z|100|\n", twoTransfers()},
		{"found: space", separated(FindSeparator), "a b t\nx y 10\ny z 100\n", twoTransfers()},
		{"found: comma, blanks in names", separated(FindSeparator), "a,b,t,the longest note of it\nx,y,10,\ny,z,100,\n", twoTransfers()},
		{"found: the first one of two", separated(FindSeparator), "a,b,t,u;v;w;z\nx,y,10,\ny,z,100,\n", twoTransfers()},
		{"empty lines at the end", named, "a,b,t\nx,y,10\ny,z,100\n" + strings.Repeat("\r\n", 5_000), twoTransfers()},
		{"found: nothing to find in quotes", separated(FindSeparator), "a,b,\"t\"\nx,y,10\ny,z,100\n", twoTransfers()},
		{"a quoted field before a tab", separated(Tab), "a\tb\tt\n\"x\"\t\"y\"\t10\n\"y\"\tz\t\"100\"\n", twoTransfers()},
		{"by number", numbers, "from,to,at\nx,y,10\ny,z,100\n", twoTransfers()},
		{"a name is not taken for a number", numbers, "3,1,2\n10,x,y\n100,y,z\n", twoTransfers()},
		{"no header", bare, "x,y,10\ny,z,100\n", twoTransfers()},
		{"no header, byte order mark", bare, "\ufeffx,y,10\ny,z,100\n", twoTransfers()},
		{"rest", rest, "f,a,b,t,g\n1,x,y,10,2\n3,y,z,100,4\n", twoTransfers(1, 2, 3, 4)},
		{"rest: none left", rest, "a,b,t\nx,y,10\ny,z,100\n", twoTransfers()},
		{"features by number", with(named, func(l *Layout) { l.Features = []string{"5", "f"} }), "f,a,b,t,g\n1,x,y,10,2\n3,y,z,100,4\n", twoTransfers(2, 1, 4, 3)},
		{"dates", named, "a,b,t\nx,y,2024-02-28\ny,z,2024-03-01\n", spanning(twoTransfers(), 2*86400)},
		{"UTC", named, "a,b,t\nx,y,2024-05-31T23:59:00Z\ny,z,2024-06-01T00:00:30Z\n", twoTransfers()},
		{"no zone, a blank, minutes", named, "a,b,t\nx,y,2024-05-31 23:59\ny,z,2024-06-01 00:00\n", spanning(twoTransfers(), 60)},
		{"offsets", named, "a,b,t\nx,y,2024-05-31T12:00:00+02:00\ny,z,2024-05-31T10:01:30Z\n", twoTransfers()},
		{"offsets without colon", named, "a,b,t\nx,y,2024-05-31T12:00:00+0200\ny,z,2024-05-31T08:31:30-0130\n", twoTransfers()},
		{"offsets of hours", named, "a,b,t\nx,y,2024-05-31T12:00:00+02\ny,z,2024-05-31T10:01:30+00\n", twoTransfers()},
		{"fractions", named, "a,b,t\nx,y,2024-05-31T12:00:00.25Z\ny,z,2024-05-31T12:00:01Z\n", spanning(twoTransfers(), .75)},
		{"before 1970", named, "a,b,t\nx,y,1969-12-31T23:59:59.5Z\ny,z,1970-01-01T00:01:29.5Z\n", twoTransfers()},
		{"sorted", with(named, func(l *Layout) { l.Sort = true }), "a,b,t\ny,z,100\nx,y,10\n", twoTransfers()},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readText(t, c.text, c.layout)
			if err != nil {
				t.Fatal(err)
			}
			if diff := diffStreams(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func with(l Layout, change func(*Layout)) Layout {
	change(&l)
	return l
}

// spanning moves the second event.
func spanning(s Stream, seconds float64) Stream {
	s.Time = []float64{0, seconds}
	return s
}

func TestFormDamage(t *testing.T) {
	named := Layout{Src: "a", Dst: "b", Time: "t"}
	bare := Layout{Src: "1", Dst: "2", Time: "3", NoHeader: true}
	for _, c := range []struct {
		name   string
		layout Layout
		text   string
		want   string
	}{
		{"another form of date", named, "a,b,t\nx,y,2024-05-31\nx,y,2024-05-31T10:00:00Z\n", `3: column 3 (t): found "2024-05-31T10:00:00Z", expected a date in the form of the first event's, 2024-05-31`},
		{"no such day", named, "a,b,t\nx,y,2024-05-31\nx,y,2024-06-31\n", `3: column 3 (t): found "2024-06-31", expected a date in the form of the first event's, 2024-05-31`},
		{"no date", named, "a,b,t\nx,y,31.05.2024\n", `2: column 3 (t): found "31.05.2024", expected a number from -1e19 to 1e19, or a date such as 2024-05-31T08:15:00Z`},
		{"date behind numbers", named, "a,b,t\nx,y,5\nx,y,2024-05-31\n", `3: column 3 (t): found "2024-05-31", expected a number from -1e19 to 1e19`},
		{"no header", bare, "x,y,5\nx,,6\n", `2: column 2: found nothing, expected a node`},
		{"no header, first line", bare, "x,y,noon\n", `1: column 3: found "noon", expected a number from -1e19 to 1e19, or a date such as 2024-05-31T08:15:00Z`},
		{"no header, backwards", bare, "x,y,5\nx,y,4\n", `2: column 3: found 4, expected a time not before the last line's 5`},
		{"no header, empty", bare, "\n", `1: found an empty file, expected at least one event`},
		{"number out of range", Layout{Src: "1", Dst: "2", Time: "4"}, "a,b,t\nx,y,5\n", `1: found the columns a, b, t, expected a column named "4"`},
		{"column used twice", Layout{Src: "a", Dst: "1", Time: "t"}, "a,b,t\nx,y,5\n", `1: column 1 (a): found two uses, "1" for the destination and "a" for the source, expected one use per column (a number means the column at that place)`},
		{"column twice a feature", Layout{Src: "a", Dst: "b", Time: "t", Features: []string{"f", "4"}}, "a,b,t,f\nx,y,5,1\n", `1: column 4 (f): found two uses, "f" for a feature and "4" for a feature, expected one use per column (a number means the column at that place)`},
		{"text in the rest", Layout{Src: "a", Dst: "b", Time: "t", Rest: true}, "a,b,t,city\nx,y,5,Rome\n", `2: column 4 (city): found "Rome", expected a finite number within the range of float32`},
		{"semicolons where commas are expected", named, "a;b;t\nx;y;5\n", `1: found one column, "a;b;t", expected columns with the separator comma (semicolon gives 3)`},
		{"nothing to split by", with(named, func(l *Layout) { l.Separator = FindSeparator }), "a:b:t\nx:y:5\n", `1: found one column, "a:b:t", expected columns between commas, tabs, semicolons, pipes or spaces`},
		{"an event as header", Layout{Src: "1", Dst: "2", Time: "3"}, "x,y,5\nx,y,6\n", `1: column 3: found a time, 5, expected a header line (name the column if it really has this name)`},
		{"a dated event as header", Layout{Src: "1", Dst: "2", Time: "3"}, "x,y,2024-01-01\nx,y,2024-01-02\n", `1: column 3: found a time, 2024-01-01, expected a header line (name the column if it really has this name)`},
		{"many columns", Layout{Src: "a", Dst: "b", Time: "t"}, "a,b" + strings.Repeat(",x\x01", 40) + "\nx,y,5\n", `1: found the columns a, b` + strings.Repeat(`, "x\x01"`, 28) + `, ... (42 in all), expected a column named "t"`},
		{"text behind a quote", Layout{Src: "a", Dst: "b", Time: "t", Separator: Semicolon}, "a;b;t\n\"x\"y;z;5\n", `2: column 1 (a): found "x", expected a semicolon after the closing quote`},
		{"sorted, too large", Layout{Src: "a", Dst: "b", Time: "t", Sort: true}, "a,b,t\nx,y,0\nx,y,-4e292\n", `3: column 3 (t): found "-4e292", expected a number from -1e19 to 1e19`},
		{"a date of many digits", Layout{Src: "a", Dst: "b", Time: "t"}, "a,b,t\nx,y,2024-01-01T00:00:00." + strings.Repeat("1", 99) + "\nx,y,1\n", `3: column 3 (t): found "1", expected a date in the form of the first event's, "2024-01-01T00:00:00.11111111111111111111"...`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readText(t, c.text, c.layout)
			if err == nil || err.Error() != "events.csv:"+c.want {
				t.Errorf("\ngot  %v\nwant events.csv:%s", err, c.want)
			}
		})
	}
}

// A file that is put in order is read like one that was in order: events of
// equal time keep their order, and nodes have the numbers that they would
// have had.
func TestSortIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type event struct {
			time int
			line string
		}
		var events []event
		for k := range rapid.IntRange(1, 50).Draw(t, "events") {
			at := rapid.IntRange(0, 9).Draw(t, "time")
			u, v := rapid.IntRange(0, 9).Draw(t, "src"), rapid.IntRange(0, 9).Draw(t, "dst")
			events = append(events, event{at, fmt.Sprintf("%d,%d,%d,%d\n", u, v, at, k)})
		}
		text := func() string {
			var b strings.Builder
			b.WriteString("a,b,t,f\n")
			for _, e := range events {
				b.WriteString(e.line)
			}
			return b.String()
		}
		layout := Layout{Src: "a", Dst: "b", Time: "t", Features: []string{"f"}, Bipartite: rapid.Bool().Draw(t, "bipartite"), Sort: true}
		got, err := readText(t, text(), layout)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.time, b.time) })
		layout.Sort = false
		want, err := readText(t, text(), layout)
		if err != nil {
			t.Fatal(err)
		}
		if diff := diffStreams(want, got); diff != "" {
			t.Fatalf("in order (-) and put in order (+):\n%s", diff)
		}
	})
}

func TestSeparatorNames(t *testing.T) {
	for s := Comma; s <= FindSeparator; s++ {
		if got, err := ParseSeparator(s.String()); err != nil || got != s {
			t.Errorf("%v: %v, %v", s, got, err)
		}
	}
	if _, err := ParseSeparator("colon"); err == nil {
		t.Error("colon was accepted")
	}
}
