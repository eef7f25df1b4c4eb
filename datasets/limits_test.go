//go:build unix

package datasets

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"dgsbench/internal/growth"
)

// wide is a file with n columns beside the source, the destination and the
// time, and the names of these.
func wide(n int) (text string, names []string) {
	var header, event strings.Builder
	header.WriteString("a,b,t")
	event.WriteString("x,y,1")
	for i := range n {
		names = append(names, fmt.Sprintf("f%d", i+1))
		header.WriteString("," + names[i])
		event.WriteString(",0.5")
	}
	return header.String() + "\n" + event.String() + "\n", names
}

// The time to read a file grows with the number of its columns, and no
// faster, however the columns are chosen.
func TestManyColumnsAreReadInLinearTime(t *testing.T) {
	layout := Layout{Src: "a", Dst: "b", Time: "t"}
	for name, change := range map[string]func(l *Layout, names []string){
		"by name":       func(l *Layout, names []string) { l.Features = names },
		"rest":          func(l *Layout, _ []string) { l.Rest = true },
		"one is absent": func(l *Layout, names []string) { l.Features = append(names[:len(names):len(names)], "f0") },
	} {
		t.Run(name, func(t *testing.T) {
			texts, layouts := map[int]string{}, map[int]Layout{}
			const n = 2_000
			for _, columns := range []int{n, growth.Times * n} {
				text, names := wide(columns)
				l := layout
				change(&l, names)
				texts[columns], layouts[columns] = text, l
			}
			growth.Linear(t, n, func(n int) {
				text := texts[n]
				_, err := read(strings.NewReader(text), "f.csv", int64(len(text)), layouts[n], 1, blockSize)
				if failed := err != nil; failed != (name == "one is absent") {
					t.Fatal(err)
				}
			})
		})
	}
}

func TestColumnLimits(t *testing.T) {
	layout := Layout{Src: "a", Dst: "b", Time: "t"}
	bare := Layout{Src: "1", Dst: "2", Time: "3", NoHeader: true}
	most, _ := wide(maxColumns - 3)
	more, _ := wide(maxColumns - 2)
	jodieMore := "u,i,t,l,f\n1,2,3,0" + strings.Repeat(",1", maxColumns-3) + "\n"
	for _, c := range []struct {
		name, text string
		layout     Layout
		want       string
	}{
		{"the most columns", most, layout, ""},
		{"more", more, layout, "f.csv:1: found 100001 columns, expected at most 100000"},
		{"more without a header", strings.SplitAfter(more, "\n")[1], bare, "f.csv:1: found 100001 columns, expected at most 100000"},
		{"more in the first event", jodieMore, JODIE, "f.csv:2: found 100001 columns, expected at most 100000"},
		{"commas", "a,b,t" + strings.Repeat(",", 8<<20) + "\nx,y,1\n", layout, "f.csv:1: found 8388611 columns, expected at most 100000"},
		{"quotes", "a,b,t" + strings.Repeat(`,""`, 2<<20) + "\nx,y,1\n", layout, "f.csv:1: found 2097155 columns, expected at most 100000"},
		{"commas in an event", "a,b,t\nx,y,1\nx,y,2" + strings.Repeat(",", 8<<20) + "\n", layout, "f.csv:3: found 8388611 fields, expected 3 fields"},
		{"the longest name", "a,b,t," + strings.Repeat("n", longestName) + "\nx,y,1,2\n", layout, ""},
		{"a longer name", "a,b,t," + strings.Repeat("n", longestName+1) + "\nx,y,1,2\n", layout, `f.csv:1: column 4: found the name "` + strings.Repeat("n", 40) + `"... of 256 bytes, expected at most 255`},
		{"a name in Latin-1", "a,b,t,st\xe4dte\nx,y,1,2\n", layout, `f.csv:1: column 4: found the name "st\xe4dte", expected UTF-8 (iconv -f ISO-8859-1 -t UTF-8 FILE > NEW, if it is Latin-1)`},
		{"a node in Latin-1", "a,b,t\nx,\xe4,1\n", layout, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := read(bytes.NewReader([]byte(c.text)), "f.csv", int64(len(c.text)), c.layout, 1, blockSize)
			runtime.ReadMemStats(&after)
			if got := fmt.Sprint(err); got != c.want && (c.want != "" || err != nil) {
				t.Errorf("\ngot  %v\nwant %s", got, c.want)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20 {
				t.Errorf("%d MB were taken for a file of %d MB", took>>20, len(c.text)>>20)
			}
		})
	}
}
