package datasets

import (
	"fmt"
	"math"
)

// Unit is what the numbers of a time column count. Streams count seconds.
type Unit int

// The units. FindUnit stands for seconds, and for damage where numbers are
// too large to be that.
const (
	Seconds Unit = iota // or steps
	Milliseconds
	Microseconds
	Nanoseconds
	FindUnit
)

// units are their names and how many of them make a second.
var units = [...]struct {
	name      string
	perSecond float64
}{
	Seconds: {"s", 1}, Milliseconds: {"ms", 1e3}, Microseconds: {"us", 1e6}, Nanoseconds: {"ns", 1e9}, FindUnit: {"auto", 1},
}

// String is the unit's symbol.
func (u Unit) String() string { return units[u].name }

// ParseUnit is the unit of that symbol.
func ParseUnit(text string) (Unit, error) {
	for u, known := range units {
		if known.name == text {
			return Unit(u), nil
		}
	}
	return 0, fmt.Errorf("a unit %q, expected auto, s, ms, us or ns", text)
}

const (
	// longestSpan in seconds: a hundred years.
	longestSpan = 100 * 365.25 * 86_400
	// latestStart in seconds since 1970 is the year 5138; as milliseconds, it is
	// 1973.
	latestStart = 1e11
)

// likely is the unit in which a number that is too large for seconds makes a
// hundred years or less.
func likely(x float64) Unit {
	for u := Milliseconds; u < Nanoseconds; u++ {
		if math.Abs(x)/units[u].perSecond <= longestSpan {
			return u
		}
	}
	return Nanoseconds
}

// doubt reports a number that is too large for seconds: the time of an event,
// or how far it is from the first one.
func (p *schema) doubt(x, most float64, found string) *Damage {
	if p.unit != FindUnit || p.clock.form != "" || math.Abs(x) <= most {
		return nil
	}
	d := p.bad(p.column(roleTime), nil, fmt.Sprintf("seconds or steps (such a large number seems to be %s)", likely(x)))
	d.Found, d.Option = found, OptionUnit
	return d
}
