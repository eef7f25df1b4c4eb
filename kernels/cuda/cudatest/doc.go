// Package cudatest finds a card for tests, or builds a fake driver that runs
// the same kernels on the processor (emulator/). It takes the build tag gpu.
//
// In the emulator every thread of a kernel is a fiber. All memory is NaN at
// first and ends at a page that is not there; barriers and shuffles check that
// all threads meet at the same line; the work of a stream is done when
// somebody waits for it; and devices differ in the order in which threads get
// their turn. A launch is refused whose pointers no number of their type can
// stand at, and so is an allocation or a wait for an event by a thread that
// captures a stream: a card would give up there. Blocks run one after another, so races between them do not show
// in results; the thread sanitizer of g++ sees them (scripts/sanitize-kernels).
// What nothing here shows is time. Command plant measures what the tests catch.
package cudatest
