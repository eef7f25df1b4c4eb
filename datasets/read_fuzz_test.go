package datasets

import (
	"errors"
	"math"
	"testing"
)

// FuzzRead: whatever the file holds, the result is a sound stream or damage
// with a line, the same for all ways of reading, and never a panic.
func FuzzRead(f *testing.F) {
	f.Add("user_id,item_id,timestamp,state_label,features\n1,2,3.5,0,.1,.2\n1,3,4.5,1,.3,.4\n", true)
	f.Add("from,to,when,fraud,amount,fee\nx,y,10,0,1,2\n\"x,\"\"\",z,10,-1,1e3,2\r\n\r\n", false)
	f.Fuzz(func(t *testing.T, text string, jodie bool) {
		layout := transfers
		if jodie {
			layout = JODIE
		}
		s, err := readText(t, text, layout)
		if err != nil {
			var d *Damage
			if !errors.As(err, &d) || d.Line < 1 || d.Found == "" || d.Want == "" {
				t.Fatalf("not a description of damage: %#v", err)
			}
			return
		}
		if s.Len() == 0 {
			t.Fatal("a stream without events")
		}
		for k := range s.Len() {
			sound := s.Src[k] >= 0 && s.Src[k] < int32(s.NumNodes) && s.Dst[k] >= int32(s.Users) && s.Dst[k] < int32(s.NumNodes) &&
				(k == 0 || s.Time[k] >= s.Time[k-1]) && !math.IsInf(s.Time[k], 0) &&
				s.Label[k] >= Unlabelled && s.Label[k] <= 1 && !notFinite(s.Features(k))
			if !sound {
				t.Fatalf("event %d: %d -> %d at %v, label %d, features %v", k, s.Src[k], s.Dst[k], s.Time[k], s.Label[k], s.Features(k))
			}
		}
	})
}
