package datasets

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pickled returns a dictionary as Python would write it with protocol 5 and NumPy 2.
func pickled(lists map[question][]int64) []byte {
	number := "cnumpy\ndtype\n\x8c\x02i8\x89\x88\x87R(K\x03\x8c\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
	var out strings.Builder
	out.WriteString("\x80\x05}(")
	for _, q := range slices.SortedFunc(maps.Keys(lists), func(a, b question) int { return int(a.time - b.time) }) {
		list := lists[q]
		fmt.Fprintf(&out, "K%cK%cK%c\x87cnumpy._core.numeric\n_frombuffer\n(B%c\x00\x00\x00", q.src, q.dst, q.time, 8*len(list))
		for _, node := range list {
			out.Write([]byte{byte(node), 0, 0, 0, 0, 0, 0, 0})
		}
		fmt.Fprintf(&out, "%sK%c\x85\x8c\x01CtR", number, len(list))
	}
	out.WriteString("u.")
	return []byte(out.String())
}

// wikiLike has two users and four pages; its test part is the last four events, of which
// two have one source and time.
var wikiLike = "user_id,item_id,timestamp,state_label,comma_separated_list_of_features\n" +
	"0,0,0,0\n1,1,1,0\n0,2,2,0\n1,3,3,0\n0,0,4,0\n0,1,5,0\n0,2,6,0\n0,1,7,0\n0,3,7,0\n1,0,8,0\n"

// TestNegatives: files of negatives beside the events are those of the protocol, or
// Load refuses the dataset.
func TestNegatives(t *testing.T) {
	right := [2]map[question][]int64{
		{{0, 4, 6}: {2, 3, 5}},
		{{0, 3, 7}: {2, 4}, {0, 5, 7}: {2, 4}, {1, 2, 8}: {5, 4, 3}}, // in any order
	}
	d := Dataset{
		Name: "wiki-like", File: "events.csv", Layout: JODIE, Split: ByRow(.6, .7), HeldOut: SampleHeldOut(1),
		Negatives: [2]string{"val.pkl", "test.pkl"},
	}
	load := func(val, test []byte) error {
		t.Helper()
		dir := t.TempDir()
		for name, data := range map[string][]byte{"events.csv": []byte(wikiLike), "val.pkl": val, "test.pkl": test} {
			if data == nil {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		l, err := d.Load(dir)
		if (l == nil) != (err != nil) {
			t.Fatalf("%v with error %v", l, err)
		}
		return err
	}
	val, test := pickled(right[0]), pickled(right[1])
	for _, files := range [][2][]byte{{val, test}, {nil, test}, {val, nil}, {nil, nil}} {
		if err := load(files[0], files[1]); err != nil {
			t.Error(err)
		}
	}
	with := func(change func(map[question][]int64)) []byte {
		lists := maps.Clone(right[1])
		change(lists)
		return pickled(lists)
	}
	for name, c := range map[string]struct {
		test []byte
		want string
	}{
		"a negative is left out":    {with(func(l map[question][]int64) { l[question{1, 2, 8}] = []int64{3, 5} }), "lack node 4"},
		"the last one is left out":  {with(func(l map[question][]int64) { l[question{1, 2, 8}] = []int64{3, 4} }), "lack node 5"},
		"another true destination":  {with(func(l map[question][]int64) { l[question{0, 3, 7}] = []int64{2, 4, 5} }), "have node 5"},
		"a source among them":       {with(func(l map[question][]int64) { l[question{0, 3, 7}] = []int64{0, 2, 4} }), "lack node 2"},
		"one of them twice":         {with(func(l map[question][]int64) { l[question{0, 3, 7}] = []int64{2, 4, 4} }), "have node 4"},
		"an event of another part":  {with(func(l map[question][]int64) { l[question{0, 4, 6}] = []int64{2, 3, 5} }), "time 6, which is no event of the part"},
		"an event that has no list": {with(func(l map[question][]int64) { delete(l, question{0, 5, 7}) }), "no negatives of 1 events"},
		"keys of another kind":      {[]byte(strings.Replace(string(test), "\x87c", "\x86c", 1)), "pickle, byte"},
		"what would run":            {[]byte("\x80\x05cos\nsystem\n\x8c\x02id\x85R."), `"os.system"`},
	} {
		err := load(val, c.test)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "test.pkl") || !strings.Contains(err.Error(), "dataset wiki-like") {
			t.Errorf("%s: error %v, expected %q", name, err, c.want)
		}
	}
}
