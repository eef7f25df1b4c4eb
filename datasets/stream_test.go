package datasets

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tinyStream has 6 events, 2 users and 3 items.
func tinyStream() Stream {
	return Stream{
		Src: []int32{0, 1, 0, 1, 1, 0}, Dst: []int32{2, 3, 3, 2, 3, 4},
		Time: []float64{0, 1, 1, 5, 8, 9}, Label: []int8{0, 0, 1, Unlabelled, 0, 1},
		Feat:    []float32{0, 10, 1, 11, 2, 12, 3, 13, 4, 14, 5, 15},
		NumFeat: 2, NumNodes: 5, Users: 2,
	}
}

func TestSliceAndSelectKeepEventNumbers(t *testing.T) {
	s := tinyStream()
	for _, c := range []struct {
		what string
		view Stream
		ids  []int
	}{
		{"whole", s, []int{0, 1, 2, 3, 4, 5}},
		{"slice", s.Slice(2, 5), []int{2, 3, 4}},
		{"slice of slice", s.Slice(1, 6).Slice(2, 4), []int{3, 4}},
		{"empty slice", s.Slice(6, 6), []int{}},
		{"select", s.Select([]int{0, 3, 5}), []int{0, 3, 5}},
		{"select of slice", s.Slice(2, 6).Select([]int{1, 3}), []int{3, 5}},
		{"slice of select", s.Select([]int{0, 3, 5}).Slice(1, 3), []int{3, 5}},
		{"select of select", s.Select([]int{1, 2, 4}).Select([]int{0, 2}), []int{1, 4}},
	} {
		if c.view.Len() != len(c.ids) {
			t.Fatalf("%s: %d events, want %d", c.what, c.view.Len(), len(c.ids))
		}
		for k, id := range c.ids {
			v := c.view
			if v.EventID(k) != id {
				t.Errorf("%s: event %d has number %d, want %d", c.what, k, v.EventID(k), id)
			}
			if v.Src[k] != s.Src[id] || v.Dst[k] != s.Dst[id] || v.Time[k] != s.Time[id] || v.Label[k] != s.Label[id] {
				t.Errorf("%s: event %d is not event %d of the stream", c.what, k, id)
			}
			if diff := cmp.Diff(s.Features(id), v.Features(k)); diff != "" {
				t.Errorf("%s: features of event %d: %s", c.what, k, diff)
			}
		}
	}
}

func TestSelectCopies(t *testing.T) {
	s := tinyStream()
	c := s.Select([]int{0, 1})
	c.Src[0], c.Feat[0] = 1, 99
	if s.Src[0] != 0 || s.Feat[0] != 0 {
		t.Error("writing to a selection changed the stream")
	}
}

func TestAppendingToASliceDoesNotOverwrite(t *testing.T) {
	s := tinyStream()
	w := s.Slice(0, 2)
	_ = append(w.Src, 77)
	_ = append(w.Feat, 77)
	if s.Src[2] == 77 || s.Feat[4] == 77 {
		t.Error("appending to a window wrote into the stream behind it")
	}
}

func TestDestinations(t *testing.T) {
	s := tinyStream()
	if diff := cmp.Diff([]int32{2, 3, 4}, s.Destinations()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int32{2, 3}, s.Slice(1, 5).Destinations()); diff != "" {
		t.Error(diff)
	}
}

func TestWithFeaturesRefusesAnotherSize(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("7 values for 6 events x 1 were taken")
		}
	}()
	tinyStream().WithFeatures(make([]float32, 7), 1)
}
