package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// passed reads all lines of a text, and writes each with an answer: its number and its
// record, or none if it was refused.
func passed(text string, columns []string, alerts bool) (out string, records [][]string, problems []string, err error) {
	var to bytes.Buffer
	l, err := NewLines(strings.NewReader(text), &to, columns, alerts)
	if err != nil {
		return "", nil, nil, err
	}
	for {
		line, err := l.Next()
		if err == io.EOF {
			break
		}
		a := Answer{Seq: len(records), Score: .25, Alert: len(records)%2 == 1}
		if bad, ok := errors.AsType[*LineError](err); ok {
			problems = append(problems, bad.Error())
			a, line, err = Answer{Refused: true}, bad.Line, nil
		} else {
			records = append(records, line.Record)
		}
		if err != nil {
			return "", nil, nil, err
		}
		l.Write(line, a)
	}
	if err := l.Flush(); err != nil {
		return "", nil, nil, err
	}
	return to.String(), records, problems, nil
}

var abc = []string{"a", "b", "c"}

// TestLines: lines are read as an import would, and written again with the answers.
func TestLines(t *testing.T) {
	for _, c := range []struct {
		name, in, out string
		columns       []string
		records       [][]string
		problems      []string
	}{
		{"nothing", "", "", abc, nil, nil},
		{"empty lines", "\n\r\n", "", abc, nil, nil},
		{"a header alone", "a,b,c", "a,b,c,seq,score\n", abc, nil, nil},
		{"other columns and order", "x,c,a,b\n1,2,3,4\n5,6,7,8\n", "x,c,a,b,seq,score\n1,2,3,4,0,0.25\n5,6,7,8,1,0.25\n", abc, [][]string{{"3", "4", "2"}, {"7", "8", "6"}}, nil},
		{"CRLF, no end, empty lines", "a,b,c\r\n\r\n1,2,3\r\n\n4,5,6", "a,b,c,seq,score\n1,2,3,0,0.25\n4,5,6,1,0.25\n", abc, [][]string{{"1", "2", "3"}, {"4", "5", "6"}}, nil},
		{"a byte order mark", "\ufeffa,b,c\n1,2,3\n", "a,b,c,seq,score\n1,2,3,0,0.25\n", abc, [][]string{{"1", "2", "3"}}, nil},
		{"a quoted header behind a byte order mark", "\ufeff\"a\",b,c\n1,2,3\n", "\"a\",b,c,seq,score\n1,2,3,0,0.25\n", abc, [][]string{{"1", "2", "3"}}, nil},
		{"quotes and spaces", "a;b;c\n \"x\" ;\"y;\"\"z\"\"\";  u v  \n", "a;b;c;seq;score\n \"x\" ;\"y;\"\"z\"\"\";  u v  ;0;0.25\n", abc, [][]string{{`"x"`, `y;"z"`, "u v"}}, nil},
		{"tabs", "a\tb\tc\n1\t\t3\n", "a\tb\tc\tseq\tscore\n1\t\t3\t0\t0.25\n", abc, [][]string{{"1", "", "3"}}, nil},
		{
			"refused", "a,b,c\n1,2\n\n\"1,2,3\n1,2,3\n1,2,3,4\n", "a,b,c,seq,score\n1,2,,\n\"1,2,3,,\n1,2,3,0,0.25\n1,2,3,4,,\n", abc, [][]string{{"1", "2", "3"}},
			[]string{"line 2: 2 fields, expected 3", "line 4: column 1: expected a closing quote on the same line (fields cannot hold line breaks)", "line 6: 4 fields, expected 3"},
		},
		{"no header", "5,6,7\n8,9,10\n", "5,6,7,0,0.25\n8,9,10,1,0.25\n", []string{"2", "3"}, [][]string{{"6", "7"}, {"9", "10"}}, nil},
		{"no header, and fields that look like columns", "2,1,0.5\n1,2,1\n", "2,1,0.5,0,0.25\n1,2,1,1,0.25\n", []string{"1", "2", "3"}, [][]string{{"2", "1", "0.5"}, {"1", "2", "1"}}, nil},
		{"no header, behind a byte order mark", "\ufeff3,2,1", "3,2,1,0,0.25\n", []string{"1", "2", "3"}, [][]string{{"3", "2", "1"}}, nil},
		{"names and numbers", "x,2,c\n7,8,9\n", "x,2,c,seq,score\n7,8,9,0,0.25\n", []string{"x", "2", "3"}, [][]string{{"7", "8", "9"}}, nil},
		{
			"JSON", `{"a": "x", "b": 1.50, "c": null, "d": {"e": [1]}}` + "\r\n\n" + ` { "c" : true , "b":false} ` + "\n{}\n{ }",
			`{"a": "x", "b": 1.50, "c": null, "d": {"e": [1]},"seq":0,"score":0.25}` + "\n" + `{ "c" : true , "b":false,"seq":1,"score":0.25}` + "\n" + `{"seq":2,"score":0.25}` + "\n" + `{ "seq":3,"score":0.25}` + "\n",
			abc, [][]string{{"x", "1.50", ""}, {"", "0", "1"}, {"", "", ""}, {"", "", ""}}, nil,
		},
		{"JSON behind a byte order mark and an empty line", "\ufeff\n{\"a\":1}", `{"a":1,"seq":0,"score":0.25}` + "\n", abc, [][]string{{"1", "", ""}}, nil},
		{
			"JSON, refused", `{"a":[1]}` + "\n[1]\n" + `{"a":1}}` + "\n" + `{"seq":1}` + "\n{\"a\":\"\xff\"}\nx}\n" + `{"a":`,
			`{"a":[1],"seq":null,"score":null}` + "\n" + `{"seq":null,"score":null}` + "\n" + `{"seq":null,"score":null}` + "\n" + `{"seq":1,"seq":null,"score":null}` + "\n{\"a\":\"\xff\",\"seq\":null,\"score\":null}\n" + strings.Repeat(`{"seq":null,"score":null}`+"\n", 2),
			abc, nil, []string{
				`line 1: key "a": found [1], expected text or a number`,
				"line 2: expected a JSON object: json: cannot unmarshal array into Go value of type map[string]json.RawMessage",
				"line 3: expected a JSON object: invalid character '}' after top-level value", `line 4: a key "seq", which is the name of an answer: call it something else`,
				"line 5: expected a JSON object, in UTF-8", "line 6: expected a JSON object: invalid character 'x' looking for beginning of value", "line 7: expected a JSON object: unexpected end of JSON input",
			},
		},
	} {
		out, records, problems, err := passed(c.in, c.columns, false)
		if diff := cmp.Diff(c.out, out) + cmp.Diff(c.records, records) + cmp.Diff(c.problems, problems); diff != "" || err != nil {
			t.Errorf("%s: %v %s", c.name, err, diff)
		}
	}
	if out, _, _, err := passed("a,b,c\n1,2,3\n1,2,3\n1\n", abc, true); out != "a,b,c,seq,score,alert\n1,2,3,0,0.25,0\n1,2,3,1,0.25,1\n1,,,\n" || err != nil {
		t.Errorf("with alerts: %q, %v", out, err)
	}
}

// TestHeadersRefused name what is wrong, and the line.
func TestHeadersRefused(t *testing.T) {
	for in, want := range map[string]string{
		"a,b,d\n": `line 1: no column "c"`, "\n\na,b,colour": "line 3: no column", "a,b,\"c": "line 1: column 3: expected a closing quote",
		"a,b,c,score\n": `line 1: a column "score", which is the name of an answer`, "a b c seq": `a column "seq"`,
	} {
		if _, _, _, err := passed(in, abc, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %s", in, err, want)
		}
	}
}

// TestLongLines: one is read as a whole, up to a limit.
func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", 1<<17)
	for _, text := range []string{"a,b,c\n" + long + ",2,3\n4,5,6\n", "a,b,c\n" + long + ",2,3"} {
		out, records, _, err := passed(text, abc, false)
		if err != nil || records[0][0] != long || !strings.HasPrefix(out, "a,b,c,seq,score\n"+long+",2,3,0,0.25\n") {
			t.Errorf("%v: %d records, %d bytes", err, len(records), len(out))
		}
	}
	l, err := NewLines(io.MultiReader(strings.NewReader("a,b,c\n"), endless{}), io.Discard, abc, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Next(); err == nil || !strings.Contains(err.Error(), "line 2 is longer than 16777216 bytes") {
		t.Error(err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, strings.Repeat("x", len(p))), nil }

// TestReady: only a line that is there as a whole can be read without waiting.
func TestReady(t *testing.T) {
	in, to := io.Pipe()
	go func() { io.WriteString(to, "a,b,c\n1,2,3\n4,5") }()
	l, err := NewLines(in, io.Discard, abc, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		if l.Ready() != want {
			t.Errorf("ready: %v", !want)
		}
		if want {
			if _, err := l.Next(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestReadingFails: what was read until then is no line.
func TestReadingFails(t *testing.T) {
	broken := errors.New("broken")
	for _, start := range []string{"", "a,b", "a,b,c\n1,2,3\n4,5,6"} {
		in, to := io.Pipe()
		go func() {
			io.WriteString(to, start)
			to.CloseWithError(broken)
		}()
		l, err := NewLines(in, io.Discard, abc, false)
		n := 0
		for ; err == nil; n++ {
			_, err = l.Next()
		}
		if !errors.Is(err, broken) || n != map[string]int{"a,b,c\n1,2,3\n4,5,6": 2}[start] {
			t.Errorf("%q: %v after %d lines", start, err, n)
		}
	}
}

// FuzzLines: whatever is read, as many lines are written as there were, and of JSON each
// is an object of the same keys and those of the answer.
func FuzzLines(f *testing.F) {
	for _, text := range []string{
		"a,b,c\n1,2,3\n", "\ufeff\r\na;b;c\r\n1;\"2\";3\r\n\n4", `{"a":1,"b":"x","c":null}` + "\n{ }\r\n[]", "1 2 3\n4 5 6", "{\n}\n{\"seq\":1}", "{\"a\":1}\v\n{\"a\":1} \r \n",
	} {
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, numbered bool) { checkLines(t, text, numbered) })
}

// TestAnyLines is FuzzLines with texts of few characters.
func TestAnyLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SampledFrom([]string{"a", "b", "c", "1", ",", ";", "\n", "\r", " ", "\"", "{", "}", "[", "\v", "\xff", "\ufeff", "{\"a\":1}", "{\"seq\":\"x\"}", "null", "a,b,c\n", "{}\n", ":"})
		text := rapid.SampledFrom([]string{"", "a,b,c\n", "{\"a\":1}\n", "\ufeffc;b;a\r\n", "1,2,3\n"}).Draw(t, "start") + strings.Join(rapid.SliceOf(part).Draw(t, "text"), "")
		checkLines(t, text, rapid.Bool().Draw(t, "numbered"))
	})
}

func checkLines(t interface{ Fatalf(string, ...any) }, text string, numbered bool) {
	columns := abc
	if numbered {
		columns = []string{"1", "3", "2"}
	}
	out, records, problems, err := passed(text, columns, true)
	if err != nil {
		return
	}
	for trimmed := ""; trimmed != text; { // what Lines skips before the first byte
		trimmed, text = text, strings.TrimPrefix(strings.TrimLeft(text, "\r\n"), "\ufeff")
	}
	isJSON := strings.HasPrefix(text, "{")
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimRight(line, "\r"); line != "" {
			lines = append(lines, line)
		}
	}
	written := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if out == "" {
		written = nil
	}
	header := 0
	if !isJSON && !numbered && len(lines) > 0 {
		header = 1
	}
	if len(written) != len(lines) || len(records)+len(problems) != len(lines)-header {
		t.Fatalf("%d lines, %d records and %d problems of %q", len(written), len(records), len(problems), text)
	}
	for i, line := range written {
		if !isJSON {
			if start, ok := strings.CutPrefix(line, lines[i]); !ok || len(start) == 0 {
				t.Fatalf("%q was written as %q", lines[i], line)
			}
			continue
		}
		var before, after map[string]any
		if err := json.Unmarshal([]byte(line), &after); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		for _, name := range []string{"seq", "score", "alert"} {
			if _, ok := after[name]; !ok {
				t.Fatalf("%q has no %s", line, name)
			}
			delete(after, name)
		}
		if json.Unmarshal([]byte(lines[i]), &before) != nil {
			continue
		}
		maps.DeleteFunc(before, func(name string, _ any) bool { return slices.Contains([]string{"seq", "score", "alert"}, name) })
		if fmt.Sprint(after) != fmt.Sprint(before) {
			t.Fatalf("%q was written as %q", lines[i], line)
		}
	}
}
