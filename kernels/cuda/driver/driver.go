//go:build gpu

package driver

// Library is the driver's name on Linux.
const Library = "libcuda.so.1"

// Handles of the driver, and addresses in the memory of a card.
type (
	Ptr      uint64
	Module   uintptr
	Function uintptr
	Stream   uintptr
	Event    uintptr
	Graph    uintptr
)

// Info is what is worth knowing about a card.
type Info struct {
	Name            string
	Capability      int // 90 for compute capability 9.0
	Multiprocessors int
	Shared          int // bytes of shared memory that a block may ask for
	Version         int // of the driver: 11080 for CUDA 11.8
}

// Launch is the size of a launch.
type Launch struct {
	Blocks  [2]int // in x and in y
	Threads int    // of a block
	Shared  int    // bytes of dynamic shared memory
}

// Device is a card. All methods but Info and Do are to be called within Do.
// What is put on a stream happens in the order in which it was put there; its
// errors may come with any later call.
type Device interface {
	Info() Info
	// Do runs f on a thread that belongs to the card. The thread is free for
	// others when f returns: a piece of work, not a program.
	Do(f func() error) error

	// Load compiles PTX. The compiler's messages are in the error.
	Load(ptx string) (Module, error)
	// Function finds a kernel, and lets it have so many bytes of dynamic
	// shared memory.
	Function(m Module, name string, shared int) (Function, error)
	// Launch puts a kernel on the stream. Each parameter stands at the start
	// of a word of its own.
	Launch(f Function, size Launch, s Stream, parameters ...uint64) error

	// Alloc takes memory of the card. What is in it is not defined.
	Alloc(bytes int) (Ptr, error)
	Free(p Ptr) error
	// Memory is how many bytes are free of the card's, and how many it has.
	Memory() (free, total int, err error)
	// Pinned takes memory of the host that the card can reach; copies to and
	// from a card go through no other.
	Pinned(bytes int) ([]byte, error)
	FreePinned(b []byte) error
	// Upload, Download, Copy and Fill put a copy on the stream, or setting
	// bytes to a value. Pinned memory must not be changed until the stream
	// has come there.
	Upload(dst Ptr, pinned []byte, s Stream) error
	Download(pinned []byte, src Ptr, s Stream) error
	Copy(dst, src Ptr, bytes int, s Stream) error
	Fill(dst Ptr, value byte, bytes int, s Stream) error

	NewStream() (Stream, error)
	FreeStream(s Stream) error
	// Sync waits for everything on the stream.
	Sync(s Stream) error

	NewEvent() (Event, error)
	FreeEvent(e Event) error
	// Record marks the place that the stream has got to.
	Record(e Event, s Stream) error
	// Wait waits until the stream has passed the mark.
	Wait(e Event) error
	// Elapsed is the milliseconds from one passed mark to another.
	Elapsed(from, to Event) (float32, error)

	// Capture makes a graph of what f puts on the stream, without doing it.
	Capture(s Stream, f func() error) (Graph, error)
	// Replay puts all that a graph holds on the stream.
	Replay(g Graph, s Stream) error
	FreeGraph(g Graph) error
}
