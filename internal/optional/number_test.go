package optional_test

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"dgsbench/internal/optional"
)

// TestNumberSurvives: JSON gives every finite number back, bit for bit, and
// CSV ten digits of it.
func TestNumberSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := optional.Number(rapid.Float64Range(-1e300, 1e300).Draw(t, "n"))
		data, err := json.Marshal(n)
		if err != nil {
			t.Fatal(err)
		}
		var again optional.Number
		if err := json.Unmarshal(data, &again); err != nil || again != n || !n.Present() {
			t.Fatalf("%v came back as %v (%v)", n, again, err)
		}
		printed, err := strconv.ParseFloat(n.CSV(), 64)
		if err != nil || math.Abs(printed-float64(n)) > 1e-9*math.Abs(float64(n)) {
			t.Fatalf("%v is printed as %s (%v)", n, n.CSV(), err)
		}
	})
}

// TestAbsent: what is not finite is null, empty, and absent again.
func TestAbsent(t *testing.T) {
	for _, n := range []optional.Number{optional.Absent(), optional.Number(math.Inf(1)), optional.Number(math.Inf(-1))} {
		data, err := json.Marshal(n)
		if err != nil || string(data) != "null" || n.CSV() != "" || n.Present() {
			t.Errorf("%v: JSON %s, CSV %q, present %v (%v)", float64(n), data, n.CSV(), n.Present(), err)
		}
		again := optional.Number(1)
		if err := json.Unmarshal(data, &again); err != nil || again.Present() {
			t.Errorf("null is read as %v (%v)", again, err)
		}
	}
}
