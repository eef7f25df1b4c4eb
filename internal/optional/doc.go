// Package optional has numbers that may be absent, such as a deviation of one
// value.
package optional
