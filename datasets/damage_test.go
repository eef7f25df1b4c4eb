package datasets

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDamage(t *testing.T) {
	jodie := "user,item,timestamp,state_label,features\n"
	named := "from,to,when,fraud,amount,fee\n"
	good := "x,y,10,0,1,2\n"
	for _, c := range []struct {
		name   string
		layout Layout
		text   string
		want   string // behind "events.csv:"
	}{
		{"empty file", JODIE, "", `1: found an empty file, expected a header line and events`},
		{"only line ends", JODIE, "\r\n\n", `1: found an empty file, expected a header line and events`},
		{"header only", JODIE, jodie + "\n", `2: found the end of the file, expected at least one event`},
		{"other header", JODIE, "a,b,c\n1,2,3\n", `1: found 3 names, expected the 5 names of the JODIE layout: user, item, timestamp, label, and one for all features`},
		{"short first row", JODIE, jodie + "1,2,3\n", `2: found 3 fields, expected user, item, timestamp, label and the features`},
		{"missing column", transfers, "from,to,wen,fraud,amount,fee\n" + good, `1: found the columns from, to, wen, fraud, amount, fee, expected a column named "when" (did you mean "wen"?)`},
		{"column twice", transfers, "from,from,to,when,fraud,amount,fee\n" + good, `1: column 1 (from): found this name more than once, expected one such column`},
		{"open quote in header", transfers, "\"from,to\n" + good, `1: found "\"from,to", expected a closing quote on the same line (fields cannot hold line breaks)`},
		{"text in a feature", JODIE, jodie + "1,2,3,0,.5,.6\n1,2,3,0,.5,abc\n", `3: column 6 (feature 2): found "abc", expected a finite number within the range of float32`},
		{"NaN", JODIE, jodie + "1,2,3,0,NaN\n", `2: column 5 (feature 1): found "NaN", expected a finite number within the range of float32`},
		{"infinity", transfers, named + good + "x,y,11,0,1,-Inf\n", `3: column 6 (fee): found "-Inf", expected a finite number within the range of float32`},
		{"too large for float32", transfers, named + "x,y,10,0,1e39,2\n", `2: column 5 (amount): found "1e39", expected a finite number within the range of float32`},
		{"hexadecimal", transfers, named + "x,y,10,0,0x1p4,2\n", `2: column 5 (amount): found "0x1p4", expected a finite number within the range of float32`},
		{"nothing in a feature", transfers, named + "x,y,10,0,,2\n", `2: column 5 (amount): found nothing, expected a finite number within the range of float32`},
		{"text in the time", JODIE, jodie + "1,2,noon,0\n", `2: column 3 (timestamp): found "noon", expected a number from -1e19 to 1e19`},
		{"309 digits", JODIE, jodie + "1,2,1" + strings.Repeat("0", 308) + ",0\n", `2: column 3 (timestamp): found "1` + strings.Repeat("0", 39) + `"..., expected a number from -1e19 to 1e19`},
		{"hexadecimal time", JODIE, jodie + "1,2,0x1p4,0\n", `2: column 3 (timestamp): found "0x1p4", expected a number from -1e19 to 1e19`},
		{"next to the last time", JODIE, jodie + "1,2,1e19,0\n1,2,1.000000000000001e19,0\n", `3: column 3 (timestamp): found "1.000000000000001e19", expected a number from -1e19 to 1e19`},
		{"too few fields", transfers, named + good + "x,y,11,0,1\n", `3: found 5 fields, expected 6 fields`},
		{"too few fields show as a bad label too", transfers, named + "x,y,0,1,2\n", `2: found 5 fields, expected 6 fields`},
		{"too many fields", transfers, named + "x,y,11,0,1,2,3\n", `2: found 7 fields, expected 6 fields`},
		{"empty line", transfers, named + good + "\n" + good, `3: found an empty line, expected 6 fields`},
		{"time going backwards", transfers, named + "x,y,10.5,0,1,2\nx,y,10.25,0,1,2\n", `3: column 3 (when): found 10.25, expected a time not before the last line's 10.5`},
		{"bad line that also goes backwards", transfers, named + good + "x,y,9,0,1,?\n", `3: column 6 (fee): found "?", expected a finite number within the range of float32`},
		{"label 2", transfers, named + "x,y,10,2,1,2\n", `2: column 4 (fraud): found "2", expected a label: 0, 1, or -1 where it is not known`},
		{"unlabelled JODIE", JODIE, jodie + "1,2,3,-1\n", `2: column 4 (state_label): found "-1", expected a label: 0 or 1`},
		{"no node", transfers, named + "x,,10,0,1,2\n", `2: column 2 (to): found nothing, expected a node`},
		{"open quote", transfers, named + "x,\"y,10,0,1,2\n", `2: column 2 (to): found "y,10,0,1,2", expected a closing quote on the same line (fields cannot hold line breaks)`},
		{"text behind a quote", transfers, named + "x,\"y\"z,10,0,1,2\n", `2: column 2 (to): found "y", expected a comma after the closing quote`},
		{"long field", transfers, named + "x,y,10,0,1," + strings.Repeat("z", 99) + "\n", `2: column 6 (fee): found "` + strings.Repeat("z", 40) + `"..., expected a finite number within the range of float32`},
		{"the first of two", transfers, named + good + good + "x,y,10,0,1,a\n" + good + "x,y,9,0,1,b\n", `4: column 6 (fee): found "a", expected a finite number within the range of float32`},
		{"a wide first line and many short ones", JODIE, jodie + "1,2,3,0" + strings.Repeat(",5", 300) + strings.Repeat("\nx", 400), `3: found 1 field, expected 304 fields`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := readText(t, c.text, c.layout)
			var d *Damage
			if !errors.As(err, &d) {
				t.Fatalf("error %v, want damage", err)
			}
			if got := err.Error(); got != "events.csv:"+c.want {
				t.Errorf("\ngot  %s\nwant events.csv:%s", got, c.want)
			}
			if s.Len() > 0 {
				t.Error("a stream was returned too")
			}
		})
	}
}

func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", 3*longestLine)
	for name, c := range map[string]struct {
		text string
		line int
	}{
		"header":     {long, 1},
		"first line": {"a,b,t\n" + long, 2},
		"later line": {"a,b,t\nu,v,1\nu,v,2\n" + long, 4},
	} {
		r := strings.NewReader(c.text)
		_, err := read(r, "f.csv", r.Size(), Layout{Src: "a", Dst: "b", Time: "t"}, 2, blockSize)
		var d *Damage
		if !errors.As(err, &d) || d.Line != c.line || !strings.Contains(d.Found, "MiB") {
			t.Errorf("%s: error %v, want a too long line %d", name, err, c.line)
		}
	}
}

// Wherever lines are damaged, the first one is reported, however the file is
// cut and parsed.
func TestFirstDamageIsReported(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(rt, "events")
		damaged := rapid.SliceOfN(rapid.IntRange(0, n-1), 1, 4).Draw(rt, "damaged")
		lines := []string{"from,to,when,fraud,amount,fee"}
		for range n {
			lines = append(lines, "x,y,10,0,1,2")
		}
		first := n
		for _, r := range damaged {
			lines[r+1] = rapid.SampledFrom([]string{"x,y,10,0,1,?", "x,y,10", "", "x,y,1e999,0,1,2", "x,y,10,5,1,2", "\"x,y,10,0,1,2"}).Draw(rt, "line")
			first = min(first, r)
		}
		_, err := readText(rt, strings.Join(lines, "\n")+"\nx,y,11,0,1,2", transfers)
		var d *Damage
		if !errors.As(err, &d) || d.Line != first+2 {
			rt.Fatalf("error %v, want damage in line %d", err, first+2)
		}
	})
}
