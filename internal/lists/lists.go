// Package lists has functions of slices and numbered work that package slices lacks.
package lists

import "slices"

// Map returns what f gives for each element, nil where there is none.
func Map[T, U any](list []T, f func(T) U) []U {
	var out []U
	for _, x := range list {
		out = append(out, f(x))
	}
	return out
}

// Unique returns what f gives for the elements, each value where it comes first.
func Unique[T any, U comparable](list []T, f func(T) U) []U {
	var out []U
	for _, group := range GroupBy(list, f) {
		out = append(out, f(group[0]))
	}
	return out
}

// Find returns the first element that satisfies is.
func Find[T any](list []T, is func(T) bool) (found T, ok bool) {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i], true
	}
	return found, false
}

// GroupBy returns the elements of the same key, in the order in which keys
// appear.
func GroupBy[T any, K comparable](list []T, key func(T) K) [][]T {
	var out [][]T
	index := map[K]int{}
	for _, x := range list {
		i, ok := index[key(x)]
		if !ok {
			i = len(out)
			index[key(x)] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], x)
	}
	return out
}

// NonEmpty returns the texts that are not empty.
func NonEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(text string) bool { return text == "" })
}

// Filter returns the elements for which is holds, in a list of their own.
func Filter[T any](list []T, is func(T) bool) (out []T) {
	for _, x := range list {
		if is(x) {
			out = append(out, x)
		}
	}
	return out
}
