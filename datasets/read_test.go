package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// readings are the ways in which every test file is read: they must not
// differ in anything.
var readings = []struct{ workers, blockSize int }{{1, blockSize}, {1, 1}, {2, 7}, {7, 3}, {7, 64}}

// failer is a test or a property under test.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// readText reads a text in all those ways.
func readText(tb failer, text string, layout Layout) (Stream, error) {
	tb.Helper()
	c, err := readColumns(tb, text, layout)
	return c.Stream, err
}

// readColumns is readText with the names that were read.
func readColumns(tb failer, text string, layout Layout) (Columns, error) {
	tb.Helper()
	var first Columns
	var firstErr error
	for i, way := range readings {
		r := bytes.NewReader([]byte(text))
		c, err := read(r, "events.csv", r.Size(), layout, way.workers, way.blockSize)
		if i == 0 {
			first, firstErr = c, err
			continue
		}
		if diff := cmp.Diff(fmt.Sprint(firstErr), fmt.Sprint(err)); diff != "" {
			tb.Fatalf("error with %d workers and blocks of %d bytes: %s", way.workers, way.blockSize, diff)
		}
		if diff := cmp.Diff([]any{nodeTexts(first), first.Levels, first.Missing}, []any{nodeTexts(c), c.Levels, c.Missing}); diff != "" {
			tb.Fatalf("names with %d workers and blocks of %d bytes: %s", way.workers, way.blockSize, diff)
		}
		if diff := diffStreams(first.Stream, c.Stream); diff != "" {
			tb.Fatalf("stream with %d workers and blocks of %d bytes: %s", way.workers, way.blockSize, diff)
		}
	}
	return first, firstErr
}

// nodeTexts returns the names of the nodes.
func nodeTexts(c Columns) (out []string) {
	for name := range c.Nodes() {
		out = append(out, string(name))
	}
	return out
}

func diffStreams(want, got Stream) string {
	return cmp.Diff(want, got, cmp.AllowUnexported(Stream{}), cmpopts.EquateEmpty(), cmpopts.EquateNaNs())
}

var transfers = Layout{Src: "from", Dst: "to", Time: "when", Label: "fraud", Features: []string{"amount", "fee"}}

func TestRead(t *testing.T) {
	transfer := func(nodes, users int, src, dst []int32) Stream {
		return Stream{
			Src: src, Dst: dst, Time: []float64{0, 0.25, 2}, Label: []int8{0, 1, Unlabelled},
			Feat: []float32{1.5, 0, 2, 0.125, 1e-3, 7}, NumFeat: 2, NumNodes: nodes, Users: users,
		}
	}
	bipartite := transfers
	bipartite.Bipartite = true
	jodieHeader := "user_id,item_id,timestamp,state_label,comma_separated_list_of_features\n"
	for _, c := range []struct {
		name   string
		layout Layout
		text   string
		want   Stream
	}{
		{
			"JODIE: file numbers are names, fractional seconds, shifted", JODIE,
			jodieHeader + "7,7,100.5,0,1,-0.5\n3,2,100.75,1,2e2,.25\n7,2,102.5,0,3,4\n",
			Stream{
				Src: []int32{0, 1, 0}, Dst: []int32{2, 3, 3}, Time: []float64{0, 0.25, 2}, Label: []int8{0, 1, 0},
				Feat: []float32{1, -0.5, 200, 0.25, 3, 4}, NumFeat: 2, NumNodes: 4, Users: 2,
			},
		},
		{
			"JODIE without features", JODIE, jodieHeader + "a,b,0.0,0\n",
			Stream{Src: []int32{0}, Dst: []int32{1}, Time: []float64{0}, Label: []int8{0}, NumNodes: 2, Users: 1},
		},
		{
			"one space of nodes, source before destination", transfers,
			"from,to,when,fraud,amount,fee\nx,y,10,0,1.5,0\ny,z,10.25,1,2,.125\nw,x,12,-1,1e-3,7\n",
			transfer(4, 0, []int32{0, 1, 3}, []int32{1, 2, 0}),
		},
		{
			"two spaces of nodes", bipartite,
			"from,to,when,fraud,amount,fee\nx,y,10,0,1.5,0\ny,z,10.25,1,2,.125\nw,x,12,,1e-3,7\n",
			transfer(6, 3, []int32{0, 1, 2}, []int32{3, 4, 5}),
		},
		{
			"columns in any order, others skipped, 1.0 and 0.0, CRLF, byte order mark, empty lines at the end", transfers,
			"\ufefffee,note,when,to,from,amount,fraud\r\n0,hi,10,y,x,1.5,0.0\r\n.125,,10.25,z,y,2,1.0\r\n7,?,12,x,w,1e-3,-1\r\n\r\n\n",
			transfer(4, 0, []int32{0, 1, 3}, []int32{1, 2, 0}),
		},
		{
			"quotes hold commas and quotes, blanks around fields are dropped", transfers,
			"\"from\",to,when,fraud,amount,fee\n\"x, the \"\"first\"\"\",y,\"10\", 0 ,1.5,0\ny, z,10.25,1,2,\".125\"\nw,\"x, the \"\"first\"\"\",12,\"\",1e-3,7",
			transfer(4, 0, []int32{0, 1, 3}, []int32{1, 2, 0}),
		},
		{
			"self loop, no label column",
			Layout{Src: "a", Dst: "b", Time: "t"},
			"a,b,t\nq,q,-5\nq,r,-5\n",
			Stream{
				Src: []int32{0, 0}, Dst: []int32{0, 1}, Time: []float64{0, 0},
				Label: []int8{Unlabelled, Unlabelled}, NumNodes: 2,
			},
		},
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

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f.csv")
	writeJODIE(t, path, 500, 3)
	s, err := ReadFile(path, JODIE)
	if err != nil {
		t.Fatal(err)
	}
	if s.Len() != 500 || s.NumFeat != 3 || s.Time[499] != 17*499 {
		t.Errorf("%d events of %d features, last at %v", s.Len(), s.NumFeat, s.Time[499])
	}
	if _, err := ReadFile(filepath.Join(dir, "none.csv"), JODIE); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := ReadFile(dir, JODIE); err == nil {
		t.Error("a folder was read")
	}
}

// shrinking is a file that loses its content between two looks at it.
type shrinking struct {
	text  []byte
	reads int
}

func (s *shrinking) ReadAt(p []byte, off int64) (int, error) {
	s.reads++
	if s.reads > 4 { // tail, header, first line, line ends
		for i := range p {
			p[i] = '\n'
		}
		return len(p), nil
	}
	return bytes.NewReader(s.text).ReadAt(p, off)
}

func TestAFileThatChangesIsAnError(t *testing.T) {
	text := []byte("a,b,t\n1,2,3\n1,2,4\n")
	_, err := read(&shrinking{text: text}, "f.csv", int64(len(text)), Layout{Src: "a", Dst: "b", Time: "t"}, 1, blockSize)
	if err == nil {
		t.Error("no error")
	}
}

// The claim is about the peak; all bytes ever allocated are an upper bound of it
// that does not depend on the garbage collector.
func TestReadTakesLittleMoreThanTheStream(t *testing.T) {
	many := filepath.Join(t.TempDir(), "features.csv")
	writeJODIE(t, many, 10_000, 172)
	none := filepath.Join(t.TempDir(), "none.csv")
	var text bytes.Buffer
	text.WriteString("src,dst,t\n")
	for k := range 2_000_000 {
		fmt.Fprintf(&text, "%d,%d,%d\n", k*7919%50_000, k*104729%1_000, k)
	}
	if err := os.WriteFile(none, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, layout := range map[string]Layout{many: JODIE, none: {Src: "src", Dst: "dst", Time: "t"}} {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c, err := read(f, path, info.Size(), layout, 2, blockSize)
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		took := float64(after.TotalAlloc - before.TotalAlloc)
		s := c.Stream
		size := float64(4*(len(s.Src)+len(s.Dst)+len(s.Feat)) + 8*len(s.Time) + len(s.Label))
		if took < size || took > 1.5*size {
			t.Errorf("%d features: reading took %.1f MB for a stream of %.1f MB, want at most 1.5 times as much", s.NumFeat, took/1e6, size/1e6)
		}
		t.Logf("%d features: %.2f times the stream", s.NumFeat, took/size)
	}
}
