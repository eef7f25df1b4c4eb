package datasets

import (
	"testing"

	"dgsbench/protocol"
)

// TestChanged: whatever column somebody writes to, of the stream or of the
// copy that the inductive setting trains on, it is named.
func TestChanged(t *testing.T) {
	for _, setting := range []protocol.Setting{protocol.Transductive, protocol.Inductive} {
		s := Stream{NumNodes: 4, NumFeat: 1}
		for k := range 20 {
			s.Src, s.Dst, s.Time = append(s.Src, int32(k%2)), append(s.Dst, int32(2+k%2)), append(s.Time, float64(k))
			s.Label, s.Feat = append(s.Label, int8(k%2)), append(s.Feat, float32(k))
		}
		l := &Loaded{Stream: s, Split: Split{TrainEnd: 10, ValEnd: 15}, Dataset: Dataset{
			HeldOut: func(Stream, Split) ([]int32, error) { return []int32{1}, nil },
		}}
		p, err := l.Parts(Cut{Setting: setting})
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []Stream{p.Train, p.Test} {
			for want, write := range map[string]func() (undo func()){
				"sources":      func() func() { part.Src[1]++; return func() { part.Src[1]-- } },
				"destinations": func() func() { part.Dst[1]++; return func() { part.Dst[1]-- } },
				"times":        func() func() { part.Time[1]++; return func() { part.Time[1]-- } },
				"labels":       func() func() { part.Label[1]++; return func() { part.Label[1]-- } },
				"features":     func() func() { part.Feat[1]++; return func() { part.Feat[1]-- } },
			} {
				undo := write()
				if got := p.Changed(); got != want {
					t.Errorf("%s: %q has changed, expected %q", setting, got, want)
				}
				undo()
				if got := p.Changed(); got != "" {
					t.Errorf("%s: %q has changed, expected nothing", setting, got)
				}
			}
		}
	}
}
