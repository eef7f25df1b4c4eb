package strictyaml

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"dgsbench/internal/golden"
)

type common struct {
	Title string
}

type head struct {
	Hidden  []int   `yaml:"hidden"`
	Dropout float32 `yaml:"dropout"`
}

// sample has every kind of field that Decode fills.
type sample struct {
	common `yaml:",inline"`
	Name   string          `yaml:"name"`
	On     bool            `yaml:"on"`
	Count  int8            `yaml:"count"`
	Size   uint16          `yaml:"size"`
	Alpha  float64         `yaml:"alpha"`
	Head   head            `yaml:"head"`
	Best   *head           `yaml:"best,omitempty"`
	Tags   []string        `yaml:"tags"`
	Shares map[string]int  `yaml:"shares"`
	Heads  map[string]head `yaml:"heads"`
	Later  Node            `yaml:"later,omitempty"`
	Not    string          `yaml:"-"`
	hidden int
}

const good = `# a comment
title: T
name: "n"
on: true
count: -128
size: 16
alpha: 1
head: {dropout: 0.5}
best:
  hidden: [100, 50]
tags: [a, "1"]
shares: {x: 1}
heads: {y: {dropout: .25}}
later: {lr: 1e-3}
`

func decodeString(t *testing.T, doc string, into any) error {
	t.Helper()
	n, err := Parse("f.yaml", []byte(doc))
	if err != nil {
		return err
	}
	return n.Decode(into)
}

func TestDecode(t *testing.T) {
	got := sample{
		Head:   head{Hidden: []int{7}}, // kept: the document does not mention it
		Tags:   []string{"x", "y", "z"},
		Shares: map[string]int{"kept": 2},
		hidden: 3,
	}
	if err := decodeString(t, good, &got); err != nil {
		t.Fatal(err)
	}
	var later struct{ LR float64 }
	if err := got.Later.Decode(&later); err != nil || later.LR != 1e-3 {
		t.Errorf("later: %v, %v", later, err)
	}
	got.Later = Node{}
	want := sample{
		common: common{"T"}, Name: "n", On: true, Count: -128, Size: 16, Alpha: 1,
		Head:   head{[]int{7}, 0.5},
		Best:   &head{Hidden: []int{100, 50}},
		Tags:   []string{"a", "1"},
		Shares: map[string]int{"kept": 2, "x": 1},
		Heads:  map[string]head{"y": {Dropout: .25}},
		hidden: 3,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// Every file in testdata/bad is refused with exactly the lines of its .want.
func TestBadDocuments(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			n, err := Parse(filepath.Base(file), data)
			if err == nil {
				err = n.Decode(new(sample))
			}
			if err == nil {
				t.Fatal("no error")
			}
			golden.Compare(t, strings.TrimSuffix(file, ".yaml")+".want", err.Error()+"\n")
		})
	}
}

func TestDecodePanicsOnMistakesOfTheProgram(t *testing.T) {
	n, err := Parse("f.yaml", []byte("a: 1"))
	if err != nil {
		t.Fatal(err)
	}
	for name, into := range map[string]any{
		"no pointer":  sample{},
		"nil pointer": (*sample)(nil),
		"channel":     new(map[string]chan int),
		"int keys":    new(map[int]int),
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			_ = n.Decode(into)
		})
	}
}
