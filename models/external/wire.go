package external

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"dgsbench/internal/escape"
)

// Version is that of the protocol (docs/external.md).
const Version = 1

// maxLine is the most bytes of the line of a message, with its end.
const maxLine = 1 << 20

// maxState is the most bytes of a snapshot.
const maxState = 4 << 30

// request is the line of a message to the process.
type request struct {
	ID    uint64 `json:"id"`
	Verb  string `json:"verb"`
	Bytes int64  `json:"bytes,omitempty"`

	*build
	Features   *int   `json:"features,omitempty"`   // of an event, in training and build
	Candidates int    `json:"candidates,omitempty"` // number of a list, from 1
	Without    bool   `json:"without,omitempty"`    // of rank: there is a column of that name
	Part       string `json:"part,omitempty"`       // of snapshot: parameters or everything
	sizes
}

// build says what the process is to build.
type build struct {
	Task     string          `json:"task"`
	Nodes    int             `json:"nodes"`
	Users    int             `json:"users"`
	Columns  []string        `json:"columns,omitempty"`
	MaxBatch int             `json:"max_batch"`
	Events   int             `json:"events"`
	Seed     uint64          `json:"seed"`
	Threads  int             `json:"threads"`
	Options  json.RawMessage `json:"options"`
}

// sizes are the bytes of a snapshot's parts, or of build's answer the numbers.
type sizes struct {
	Parameters *int64 `json:"parameters,omitempty"`
	State      *int64 `json:"state,omitempty"`
}

// answer is the line of a message from the process.
type answer struct {
	ID      uint64   `json:"id"`
	OK      bool     `json:"ok,omitempty"`
	Error   *string  `json:"error,omitempty"`
	Seconds *float64 `json:"seconds,omitempty"` // of the call of the model alone
	Bytes   int64    `json:"bytes,omitempty"`
	Loss    *float64 `json:"loss,omitempty"`
	First   *int     `json:"first,omitempty"` // column of a block of scores
	Columns *int     `json:"columns,omitempty"`
	sizes
}

// errNoMessage says that what was read is not the line of a message.
var errNoMessage = errors.New("no message")

// readLine reads the JSON of a message, which may hold any keys, into head. The reader
// has a buffer of maxLine.
func readLine(r *bufio.Reader, head any) error {
	if first, err := r.Peek(1); err != nil {
		return err
	} else if first[0] != '{' { // a line may never end
		start, _ := r.Peek(r.Buffered())
		return noMessage(start)
	}
	line, err := r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return fmt.Errorf("%w: a line of more than %d bytes", errNoMessage, maxLine)
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	case err != nil:
		return err
	}
	if err := json.Unmarshal(line, head); err != nil {
		return fmt.Errorf("%w (%v)", noMessage(line), err)
	}
	return nil
}

// noMessage returns the error for bytes that are no message, with the beginning of them.
func noMessage(found []byte) error {
	found, _, _ = bytes.Cut(found, []byte("\n"))
	if len(found) > 100 {
		found = append(found[:100:100], "..."...)
	}
	return fmt.Errorf("%w: expected a line of JSON, found %q", errNoMessage, escape.Text(string(found)))
}

// chunk is how many bytes of a payload are read before memory is taken for more: it is
// made for what has come, not for what is claimed.
const chunk = 1 << 20

// readPayload reads n bytes, which must be at most limit, into buffer.
func readPayload(r io.Reader, buffer *bytes.Buffer, n, limit int64) error {
	buffer.Reset()
	if n < 0 || n > limit {
		return fmt.Errorf("a payload of %d bytes, expected 0 to %d", n, limit)
	}
	buffer.Grow(int(min(n, chunk)))
	_, err := io.CopyN(buffer, r, n)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// together is the largest payload that is written in one piece with its line: whoever
// waits for it then wakes up once.
const together = 64 << 10

// writer writes messages.
type writer struct {
	to   io.Writer
	line []byte
}

// write writes the line and the payload, whose length head has.
func (w *writer) write(head any, payload []byte) error {
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}
	w.line = append(append(w.line[:0], text...), '\n')
	if len(w.line) > maxLine {
		return fmt.Errorf("a line of %d bytes, expected at most %d", len(w.line), maxLine)
	}
	if len(payload) <= together {
		w.line = append(w.line, payload...)
		payload = nil
	}
	if _, err := w.to.Write(w.line); err != nil {
		return err
	}
	if len(payload) == 0 {
		return nil
	}
	_, err = w.to.Write(payload)
	return err
}
