package datasets

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// FuzzDate: a date is read in its own form, or is none.
func FuzzDate(f *testing.F) {
	for _, text := range []string{"2024-05-31", "2024-05-31T08:15:00Z", "2024-05-31 08:15:00,125+0200", "0001-01-01T00:00", "24-5-1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := newClock(text)
		at, ok := c.parse([]byte(text))
		_, number := parseFloat64([]byte(text))
		if ok != c.isTime() || number && c.form != "" {
			t.Errorf("%q: form %q, a number: %v, read %v", text, c.form, number, ok)
		}
		if ok && (c.form != "" || c.whole) && at != 0 {
			t.Errorf("%q is %v behind itself", text, at)
		}
		if ok && c.form != "" && !strings.HasPrefix(text[4:], "-") {
			t.Errorf("%q was read as a date", text)
		}
	})
}

// timed reads a file with those times, in that unit.
func timed(tb failer, unit Unit, times ...string) (Stream, error) {
	var text strings.Builder
	text.WriteString("a,b,t\n")
	for _, t := range times {
		fmt.Fprintf(&text, "x,y,%s\n", t)
	}
	return readText(tb, text.String(), Layout{Src: "a", Dst: "b", Time: "t", Unit: unit})
}

// The differences of whole numbers are rounded once, to a float64, however
// large the numbers are.
func TestWholeTimesKeepTheirDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.Int64().Draw(t, "first")
		later := rapid.Int64Range(first, 1<<63-1).Draw(t, "later")
		s, err := timed(t, Seconds, fmt.Sprint(first), fmt.Sprint(later))
		if err != nil {
			t.Fatal(err)
		}
		difference := new(big.Int).Sub(big.NewInt(later), big.NewInt(first))
		want, _ := new(big.Float).SetInt(difference).Float64()
		if difference.IsInt64() && s.Time[1] != want {
			t.Errorf("%d behind %d: %v, expected %v", later, first, s.Time[1], want)
		}
	})
}

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		unit  Unit
		times []string
		want  float64
	}{
		{Nanoseconds, []string{"1700000000123456789", "1700000000123456790"}, 1e-9},
		{Nanoseconds, []string{"-9223372036854775808", "-9223372036854775807"}, 1e-9},
		{Microseconds, []string{"1700000000123456", "1700000001123457"}, 1.000001},
		{Milliseconds, []string{"1700000000123", "1700000000373"}, .25},
		{Milliseconds, []string{"1700000000123", "1700000000373.5"}, .2505},
		{Milliseconds, []string{"0.5", "1000.5"}, 1},
		{Seconds, []string{"-9223372036854775808", "9223372036854775807"}, 1 << 64}, // no int64
		{Seconds, []string{"1700000000123456789", "1700000000123456790"}, 1},
		{FindUnit, []string{"1700000000", "1700000001.25"}, 1.25},
		{FindUnit, []string{"2024-01-01", "2224-01-01"}, 73_048 * 86_400},
		{FindUnit, []string{"2024-01-01T00:00:00.123456789Z", "2024-01-01T00:00:00.123456790Z"}, 1e-9},
	} {
		s, err := timed(t, c.unit, c.times...)
		if err != nil || s.Time[1] != c.want {
			t.Errorf("%v in %s: %v, error %v, expected %v", c.times, c.unit, s.Time, err, c.want)
		}
	}
}

func TestTimeDamage(t *testing.T) {
	for _, c := range []struct {
		unit  Unit
		times []string
		want  string
	}{
		{FindUnit, []string{"1700000000123", "1700000000124"}, "2: column 3 (t): found 1700000000123, expected seconds or steps (such a large number seems to be ms)"},
		{FindUnit, []string{"1700000000123456", "1700000000123457"}, "2: column 3 (t): found 1700000000123456, expected seconds or steps (such a large number seems to be us)"},
		{FindUnit, []string{"1.7e18", "1.8e18"}, "2: column 3 (t): found 1.7e18, expected seconds or steps (such a large number seems to be ns)"},
		{FindUnit, []string{"0", "1", "4000000000"}, "4: column 3 (t): found 4000000000 from the first event to the last, expected seconds or steps (such a large number seems to be ms)"},
		{Milliseconds, []string{"2024-01-01"}, `2: column 3 (t): found "2024-01-01", expected a number of ms (dates have no unit)`},
		{Nanoseconds, []string{"1700000000123456790", "1700000000123456789"}, "3: column 3 (t): found 1700000000123456789, expected a time not before the last line's 1700000000123456790"},
		{Seconds, []string{"10", "11.5", "11.25"}, "4: column 3 (t): found 11.25, expected a time not before the last line's 11.5"},
		{Seconds, []string{"0.5", "1e3", "999"}, "4: column 3 (t): found 999, expected a time not before the last line's 1000"},
		{Seconds, []string{"1970-01-02", "1970-01-01"}, "3: column 3 (t): found 1970-01-01, expected a time not before the last line's 1970-01-02"},
		{
			Seconds,
			[]string{"1969-12-31T23:59:59.75+01:00", "1969-12-31T23:59:59.5+01:00"},
			"3: column 3 (t): found 1969-12-31T23:59:59.5+01:00, expected a time not before the last line's 1969-12-31T23:59:59.75+01:00",
		},
	} {
		_, err := timed(t, c.unit, c.times...)
		if err == nil || err.Error() != "events.csv:"+c.want {
			t.Errorf("%v in %s:\ngot  %v\nwant events.csv:%s", c.times, c.unit, err, c.want)
		}
	}
}

func TestUnitNames(t *testing.T) {
	for u := Seconds; u <= FindUnit; u++ {
		if got, err := ParseUnit(u.String()); err != nil || got != u {
			t.Errorf("%v: %v, %v", u, got, err)
		}
	}
	if _, err := ParseUnit("minutes"); err == nil {
		t.Error("minutes were accepted")
	}
}
