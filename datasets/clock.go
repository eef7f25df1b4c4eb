package datasets

import "time"

// clock reads the times of one file: numbers, or dates of one form. The
// first event decides, because "2024" alone could be either.
type clock struct {
	dates string // the form as package time writes it; "" for numbers
	first string // the first event's, where it is no number
}

// newClock looks at the first event.
func newClock(field string) clock {
	if _, ok := parseFloat64([]byte(field)); ok {
		return clock{}
	}
	return clock{dates: dateForm(field), first: field}
}

// parse is the field in seconds: as it is, or since 1970 in UTC.
func (c clock) parse(field []byte) (seconds float64, ok bool) {
	if c.dates == "" {
		return parseFloat64(field)
	}
	t, err := time.Parse(c.dates, string(field))
	return float64(t.Unix()) + float64(t.Nanosecond())/1e9, err == nil
}

// expected says what parse reads.
func (c clock) expected() string {
	const finite = "a finite number within the range of float64"
	switch {
	case c.dates != "":
		return "a date in the form of the first event's, " + c.first
	case c.first != "":
		return finite + ", or a date such as 2024-05-31T08:15:00Z"
	}
	return finite
}

// The forms of ISO 8601 that are read: a date, and behind T or a blank a time
// of day with or without seconds. A fraction of the seconds may follow, then
// Z or an offset; without them the time is in UTC.
const (
	isoDate    = "2006-01-02"
	isoMinutes = "15:04"
	isoSeconds = "15:04:05" // package time takes a fraction behind it unasked
)

var isoZones = []string{"", "Z07:00", "Z0700", "Z07"}

// dateForm is the form of a date, or "".
func dateForm(field string) string {
	for _, form := range dateForms(field) {
		if _, err := time.Parse(form, field); err == nil {
			return form
		}
	}
	return ""
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
