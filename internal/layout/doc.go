// Package layout holds the code to docs/architecture.md: its test fails when
// a package imports what its room may not know. There is nothing to call.
package layout
