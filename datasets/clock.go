package datasets

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Unit is the unit of the numbers of a time column. Streams count seconds.
type Unit int

// The units. FindUnit stands for seconds, but rejects numbers that are too large
// to be seconds.
const (
	Seconds Unit = iota // or steps
	Milliseconds
	Microseconds
	Nanoseconds
	FindUnit
)

var (
	unitNames     = []string{"s", "ms", "us", "ns", "auto"}
	unitPerSecond = []float64{Seconds: 1, Milliseconds: 1e3, Microseconds: 1e6, Nanoseconds: 1e9, FindUnit: 1}
)

// String returns the unit's symbol.
func (u Unit) String() string { return unitNames[u] }

// ParseUnit returns the unit with that symbol.
func ParseUnit(symbol string) (Unit, error) {
	u := slices.Index(unitNames, symbol)
	if u < 0 {
		return 0, fmt.Errorf("a unit %q, expected auto, s, ms, us or ns", symbol)
	}
	return Unit(u), nil
}

const (
	// longestSpan is a hundred years in seconds.
	longestSpan = 100 * 365.25 * 86_400
	// latestStart is the year 5138 in seconds since 1970; as milliseconds, it is
	// 1973.
	latestStart = 1e11
)

// likelyUnit returns the unit in which a number that is too large for seconds
// makes a hundred years or less.
func likelyUnit(x float64) Unit {
	for u := Milliseconds; u < Nanoseconds; u++ {
		if math.Abs(x)/unitPerSecond[u] <= longestSpan {
			return u
		}
	}
	return Nanoseconds
}

// A clock reads the times of one file: numbers, or dates of one form. The
// first event decides, because "2024" alone could be either.
//
// Dates and whole numbers are counted from the first event's: a float64 holds
// their differences, but not nanoseconds since 1970. Other numbers are read as
// they are, since differences of fractions would be rounded.
type clock struct {
	first string // the first event's time as written
	form  string // of dates, as in package time; "" for numbers
	date  time.Time
	whole bool // the first number is whole: it is start
	start int64
}

func newClock(first string) clock {
	c := clock{first: first}
	if _, ok := parseFloat64([]byte(first)); !ok {
		c.form, c.date = dateForm(first)
		return c
	}
	if n, err := strconv.ParseInt(first, 10, 64); err == nil {
		c.whole, c.start = true, n
	}
	return c
}

// isTime reports whether the first event has a time.
func (c clock) isTime() bool {
	_, number := parseFloat64([]byte(c.first))
	return number || c.form != ""
}

// parse reads a time in seconds, or in the unit of the file's numbers: counted
// from the first event, or as it is.
func (c clock) parse(field []byte) (t float64, ok bool) {
	if c.form != "" {
		date, err := time.Parse(c.form, string(field))
		// Exact to a nanosecond, as far as a float64 is.
		return float64(date.Unix()-c.date.Unix()) + float64(date.Nanosecond()-c.date.Nanosecond())/1e9, err == nil
	}
	if c.whole {
		if n, err := strconv.ParseInt(string(field), 10, 64); err == nil && (n-c.start < 0) == (n < c.start) {
			return float64(n - c.start), true
		}
	}
	t, ok = parseTime(field)
	return t - float64(c.start), ok
}

// text writes a time that parse has read as the file would.
func (c clock) text(t float64) string {
	const exact = 1 << 53
	switch {
	case c.form != "":
		whole, fraction := math.Modf(t)
		date := time.Unix(c.date.Unix()+int64(whole), int64(c.date.Nanosecond())+int64(math.Round(fraction*1e9)))
		return date.In(c.date.Location()).Format(strings.Replace(c.form, isoSeconds, isoSeconds+".999999999", 1))
	case c.whole && t == math.Trunc(t) && math.Abs(t) < exact:
		return strconv.FormatInt(c.start+int64(t), 10)
	}
	return number(float64(c.start) + t)
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// expected says what parse reads.
func (c clock) expected() string {
	const finite = "a number from -1e19 to 1e19"
	switch {
	case c.form != "":
		return "a date in the form of the first event's, " + listed([]string{c.first})
	case c.first != "" && !c.isTime():
		return finite + ", or a date such as 2024-05-31T08:15:00Z"
	}
	return finite
}

// The forms of ISO 8601 that are read: a date; then, after T or a space, a time
// of day with or without seconds. A fraction of the seconds may follow, then
// Z or an offset. Without these, the time is in UTC.
const (
	isoDate    = "2006-01-02"
	isoMinutes = "15:04"
	isoSeconds = "15:04:05" // package time accepts a fraction after it
)

// dateForm returns the form of a date and the date, or "".
func dateForm(field string) (form string, date time.Time) {
	forms := []string{isoDate}
	if n := len(isoDate); len(field) > n {
		between := field[n : n+1]
		if between != "T" && between != " " {
			return "", time.Time{}
		}
		forms = nil
		for _, zone := range []string{"", "Z07:00", "Z0700", "Z07"} {
			forms = append(forms, isoDate+between+isoSeconds+zone, isoDate+between+isoMinutes+zone)
		}
	}
	for _, form := range forms {
		if date, err := time.Parse(form, field); err == nil {
			return form, date
		}
	}
	return "", time.Time{}
}
