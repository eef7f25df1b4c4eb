package datasets

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// clock reads the times of one file: numbers, or dates of one form. The
// first event decides, because "2024" alone could be either.
//
// Dates and whole numbers are counted from the first event's. A float64 holds
// their differences, when it could not hold the nanoseconds since 1970. The
// others are read as they are: differences of fractions would be rounded.
type clock struct {
	first string // the first event's time, as it stands there
	form  string // of dates, as package time writes it; "" for numbers
	date  time.Time
	whole bool // the first number is whole: it is start
	start int64
}

// newClock looks at the first event.
func newClock(field string) clock {
	c := clock{first: field}
	if _, ok := parseFloat64([]byte(field)); !ok {
		c.form, c.date = dateForm(field)
		return c
	}
	if n, err := strconv.ParseInt(field, 10, 64); err == nil {
		c.whole, c.start = true, n
	}
	return c
}

// isTime reports whether the first event has one.
func (c clock) isTime() bool {
	_, number := parseFloat64([]byte(c.first))
	return number || c.form != ""
}

// parse is the field in seconds, or in the unit of the file's numbers: from
// the first event on, or as it is.
func (c clock) parse(field []byte) (t float64, ok bool) {
	if c.form != "" {
		date, err := time.Parse(c.form, string(field))
		return c.since(date), err == nil
	}
	if c.whole {
		if n, err := strconv.ParseInt(string(field), 10, 64); err == nil && (n-c.start < 0) == (n < c.start) {
			return float64(n - c.start), true
		}
	}
	t, ok = parseTime(field)
	return t - float64(c.start), ok
}

// since is exact to a nanosecond, as far as a float64 is.
func (c clock) since(date time.Time) (seconds float64) {
	return float64(date.Unix()-c.date.Unix()) + float64(date.Nanosecond()-c.date.Nanosecond())/1e9
}

// text is what parse made t of, as the file would have it.
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

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// The forms of ISO 8601 that are read: a date, and behind T or a blank a time
// of day with or without seconds. A fraction of the seconds may follow, then
// Z or an offset; without them the time is in UTC.
const (
	isoDate    = "2006-01-02"
	isoMinutes = "15:04"
	isoSeconds = "15:04:05" // package time takes a fraction behind it unasked
)

var isoZones = []string{"", "Z07:00", "Z0700", "Z07"}

// dateForm is the form of a date and the date, or "".
func dateForm(field string) (form string, date time.Time) {
	for _, form := range dateForms(field) {
		if date, err := time.Parse(form, field); err == nil {
			return form, date
		}
	}
	return "", time.Time{}
}

// dateForms are those that a field may have.
func dateForms(field string) []string {
	if len(field) <= len(isoDate) {
		return []string{isoDate}
	}
	between := field[len(isoDate) : len(isoDate)+1]
	if between != "T" && between != " " {
		return nil
	}
	var out []string
	for _, zone := range isoZones {
		out = append(out, isoDate+between+isoSeconds+zone, isoDate+between+isoMinutes+zone)
	}
	return out
}
