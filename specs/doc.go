// Package specs reads what is to be run: model specifications (a kind of
// model and its options) and suites (which models on which datasets under
// which protocol). A suite expands into trials.
//
// The files of the project are embedded; a folder of the user's adds to them
// or replaces them by name. Every value knows the file and line it comes
// from and whether the paper gives it. Mistakes are reported all at once,
// with file and line.
package specs
