// Package plan says what a suite takes before anything starts: trials, hours,
// memory and disk on this machine.
//
// Times come from records of this machine where there are any. Elsewhere each
// cell is tried out for a moment on its own dataset, with as many others side
// by side as will later be measured so, and the times of some windows are
// scaled to the numbers of windows of a trial. A dataset whose file is not
// there is stood in for by a simulated stream of the same size.
//
// Searches of options are planned in the same way: by their trials so far, or
// by trying out the random ones that they begin with.
//
// Training that is stopped early takes less than planned.
package plan
