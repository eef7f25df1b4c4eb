// Package escape makes texts safe to print. They come from titles, names,
// paths and error messages, which may be other people's: there is one function
// a format, and what it returns cannot be more than text in that format. JSON is
// encoding/json's.
package escape
