package strictyaml

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestEncode(t *testing.T) {
	value := struct {
		Alpha float64  `yaml:"alpha"`
		Kind  string   `yaml:"kind"`
		Tags  []string `yaml:"tags"`
		Head  head     `yaml:"head"`
		Heads []head   `yaml:"heads"`
	}{0.5, "1e3", []string{"a", "b"}, head{[]int{100}, 0.1}, []head{{[]int{}, 0}}}
	got, err := Encode(value, func(path string) string {
		if path == "kind" {
			return ""
		}
		return path
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `alpha: 0.5 # alpha
kind: "1e3"
tags: [a, b] # tags
head:
  hidden: [100] # head.hidden
  dropout: 0.1 # head.dropout
heads:
  - hidden: []
    dropout: 0
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestValue(t *testing.T) {
	n, err := Of(head{Hidden: []int{100}, Dropout: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	v, err := n.Value()
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(v)
	if want := `{"dropout":0.1,"hidden":[100]}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestEncodeRefusesWhatYAMLCannotSay(t *testing.T) {
	if _, err := Encode(failing{}, nil); err == nil {
		t.Error("no error")
	}
}

type failing struct{}

func (failing) MarshalYAML() (any, error) { return nil, &Error{Text: "cannot"} }

// FuzzParse: no input makes Parse or Decode panic, and what decodes cleanly
// comes back the same through Encode.
func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte("a: &x [*x]\n"))
	f.Add([]byte("? {a: b}\n: c\n"))
	f.Add([]byte("<<: {a: 1}\n"))
	f.Add([]byte("name: \"<<\"\nshares: {\"<<\": 1}\ntags: [\"<<\"]\n"))
	f.Add([]byte("a: !!binary x\n---\nb"))
	f.Add([]byte("a: .nan\nb: 1e999\nc: -.inf\n"))
	f.Add([]byte("%YAML 1.1\n---\n\"\\x\"\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := Parse("f.yaml", data)
		if err != nil {
			return
		}
		n.Leaves()
		var first, second sample
		if n.Decode(&first) != nil {
			return
		}
		out, err := Encode(first, nil)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse("again.yaml", out)
		if err != nil {
			t.Fatalf("%v in\n%s", err, out)
		}
		if err := again.Decode(&second); err != nil {
			t.Fatalf("%v in\n%s", err, out)
		}
		if diff := cmp.Diff(first, second, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(sample{}, Node{})); diff != "" {
			t.Errorf("(-first +second):\n%s", diff)
		}
	})
}
