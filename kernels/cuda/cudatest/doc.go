// Package cudatest finds a card for tests, or builds a fake driver that runs
// the same kernels on the processor (emulator/). It takes the build tag gpu.
//
// In the emulator every thread of a kernel is a fiber. All memory is NaN at
// first and ends at a page that is not there; barriers and shuffles check that
// all threads meet at the same line; the work of a stream is done when
// somebody waits for it; and devices differ in the order in which threads get
// their turn. Functions such as expf are only as exact as on a card.
//
// What a driver or a card would refuse the fake one refuses, with the same
// number: launches of no size or of too large ones, for the card or for what
// the PTX was compiled for; pointers to memory that is the host's alone, or
// where no number of their type can stand; copies that go too far; waiting,
// allocating or giving back while a stream is captured, and all that is asked
// of this stream afterwards; handles that were given back. Where NVIDIA's
// documents promise nothing it refuses, too: a graph must not be given back, or
// memory, before the work is done. After a failure of work no call succeeds
// any more; for tests there is Renew.
//
// Blocks run one after another, so races between them do not show in results;
// the thread sanitizer of g++ sees them (scripts/sanitize-kernels). What
// nothing here shows is time. Command plant (scripts/plant) measures what
// the tests catch.
package cudatest
