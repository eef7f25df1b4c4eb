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
		checkRead(t, text, layout)
	})
}

// FuzzReadForms is FuzzRead for the forms that a user's file may have.
func FuzzReadForms(f *testing.F) {
	f.Add("a;b;t;f\nx;y;2024-05-31T08:15:00Z;1\ny;x;2024-05-31T08:14:00,5Z;2\n", byte(FindSeparator), byte(FindUnit), false, true, true)
	f.Add("x\ty\t7\nx\t\"y\"\t7\n", byte(Tab), byte(Nanoseconds), true, false, false)
	f.Add("x y 1700000000123456789\nx y 1700000000123456790.5\n", byte(Space), byte(Nanoseconds), true, false, true)
	f.Fuzz(func(t *testing.T, text string, sep, unit byte, noHeader, rest, sorts bool) {
		layout := Layout{Src: "1", Dst: "2", Time: "3", NoHeader: noHeader, Rest: rest, Sort: sorts}
		layout.Separator, layout.Unit = Separator(sep)%(FindSeparator+1), Unit(unit)%(FindUnit+1)
		checkRead(t, text, layout)
	})
}

func checkRead(t *testing.T, text string, layout Layout) {
	t.Helper()
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
			s.Label[k] >= Unlabelled && s.Label[k] <= 1 && finite(s.Features(k))
		if !sound {
			t.Fatalf("event %d: %d -> %d at %v, label %d, features %v", k, s.Src[k], s.Dst[k], s.Time[k], s.Label[k], s.Features(k))
		}
	}
}
