package table

import "slices"

// MarkPlaces marks the best and the second of a column's values: those that
// are printed alike share a place.
func MarkPlaces(rows []Row, column int, higherIsBetter bool) {
	var ranked []*Entry
	var values []float64
	for _, row := range rows {
		if e := &row[column]; e.Ranked() {
			ranked, values = append(ranked, e), append(values, e.Value.Printed())
		}
	}
	for i, place := range places(values, higherIsBetter) {
		ranked[i].Place = place
	}
}

// places marks the best values and those that come next. A single value has
// nothing to be better than and stays without a place.
func places(values []float64, higherIsBetter bool) []Place {
	out := make([]Place, len(values))
	distinct := slices.Compact(slices.Sorted(slices.Values(values)))
	if higherIsBetter {
		slices.Reverse(distinct)
	}
	if len(values) < 2 {
		return out
	}
	for i, v := range values {
		switch slices.Index(distinct, v) {
		case 0:
			out[i] = Best
		case 1:
			out[i] = Second
		}
	}
	return out
}
