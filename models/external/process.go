package external

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Times that a process has.
const (
	greetingTime = 120 * time.Second      // from its start to its greeting: large libraries are read
	perEvent     = 10 * time.Millisecond  // of a request, beyond Options.Limit
	perMegabyte  = time.Second            // of a request or an answer
	parting      = 5 * time.Second        // from the end of its input to its own
	lastWords    = 500 * time.Millisecond // for what it wrote to standard error before it ended
)

// process is a model at work elsewhere. It belongs to one goroutine.
type process struct {
	command string
	limit   time.Duration
	cmd     *exec.Cmd
	in, out *os.File
	guard   *guard
	reader  *bufio.Reader
	writer  writer
	log     *log
	asked   uint64 // requests
	broken  error  // the first fault, after which it is gone

	late  atomic.Bool   // it was killed for that
	ended chan struct{} // closed when it has ended, and its log is whole
}

// start runs the command, with what it writes to standard error in the log file ("" for
// none), and reads the greeting.
func start(command []string, threads int, limit time.Duration, logFile string) (p *process, g Greeting, err error) {
	p = &process{command: strings.Join(command, " "), limit: limit, ended: make(chan struct{}), log: &log{file: logFile}}
	p.cmd = exec.Command(command[0], command[1:]...)
	p.cmd.Stderr, p.cmd.WaitDelay = p.log, lastWords
	p.cmd.Env = environment(threads)
	ownGroup(p.cmd)
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, g, err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		childIn.Close()
		in.Close()
		return nil, g, err
	}
	p.cmd.Stdin, p.cmd.Stdout, p.in, p.out = childIn, childOut, in, out
	p.reader, p.writer.to = bufio.NewReaderSize(out, maxLine), in
	err = p.cmd.Start()
	childIn.Close() // while they are open here, its end does not end them
	childOut.Close()
	if err != nil {
		in.Close()
		out.Close()
		return nil, g, fmt.Errorf("%s: cannot be started: %w", p.command, err)
	}
	p.guard = newGuard(p.cmd.Process.Pid)
	go func() {
		_ = p.cmd.Wait()
		killGroup(p.cmd.Process.Pid) // what it has left
		p.guard.dismiss()
		p.log.close()
		close(p.ended)
	}()
	err = p.within(greetingTime, func() error {
		if err := readLine(p.reader, &g); err != nil {
			return fmt.Errorf("expected its greeting: %w", err)
		}
		return g.check()
	})
	if err != nil {
		return nil, g, p.fault("start", err)
	}
	return p, g, nil
}

// environment is that of the harness, with the numbers of threads that libraries
// start, and the one source of chance that a program cannot choose itself.
func environment(threads int) []string {
	n := strconv.Itoa(threads)
	return append(os.Environ(), "OMP_NUM_THREADS="+n, "OPENBLAS_NUM_THREADS="+n, "MKL_NUM_THREADS="+n, "PYTHONHASHSEED=0")
}

// within calls do, and kills the process when that takes longer than the limit.
func (p *process) within(limit time.Duration, do func() error) error {
	timer := time.AfterFunc(limit, func() {
		p.late.Store(true)
		p.kill()
	})
	defer timer.Stop()
	err := do()
	if p.late.Load() {
		return fmt.Errorf("no answer within %v", limit)
	}
	return err
}

// kill ends the process and all that it has started. Reads and writes of its pipes end, too.
func (p *process) kill() {
	select {
	case <-p.ended:
	default:
		killGroup(p.cmd.Process.Pid)
	}
	p.out.Close()
	p.in.Close()
}

// question is a request with what is expected of its answer.
type question struct {
	request
	what    string // for messages: "classify, from event 1200 on"
	events  int
	payload []byte
	// limit is the most bytes of the payload of an answer.
	limit int64
	// each takes an answer and its payload, and says whether it was the last one.
	each func(a answer, payload []byte) (last bool, err error)
}

// refusal is the error that the process answers with. It goes on.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

// ask sends a request and reads the answers to it. It returns the seconds that the
// process says it took, NaN if it does not say. A fault ends the process: then all that is asked is the fault.
func (p *process) ask(q question, buffer *bytes.Buffer) (seconds float64, err error) {
	if p.broken != nil {
		return 0, p.broken
	}
	p.asked++
	q.ID, q.Bytes = p.asked, int64(len(q.payload))
	size := time.Duration(q.Bytes+q.limit) * perMegabyte >> 20
	if q.limit == maxState {
		size = time.Duration(q.Bytes) * perMegabyte >> 20
	}
	begun := time.Now()
	err = p.within(p.limit+time.Duration(q.events)*perEvent+size, func() error {
		if p.reader.Buffered() > 0 {
			start, _ := p.reader.Peek(p.reader.Buffered())
			return fmt.Errorf("after its last answer: %w", noMessage(start))
		}
		if err := p.writer.write(q.request, q.payload); err != nil {
			return fmt.Errorf("it does not read: %w", err)
		}
		for {
			took, last, err := p.answer(&q, buffer)
			if seconds += took; err != nil || last {
				return err
			}
		}
	})
	var refused *refusal
	switch elapsed := time.Since(begun).Seconds(); {
	case errors.As(err, &refused):
		return 0, fmt.Errorf("%s: %s: %w", p.command, q.what, err)
	case err != nil:
		return 0, p.fault(q.what, err)
	case seconds > elapsed+1e-3:
		return 0, p.fault(q.what, fmt.Errorf("it says that the call took %g s, and all of it took %g s", seconds, elapsed))
	}
	return seconds, nil
}

// answer reads one message.
func (p *process) answer(q *question, buffer *bytes.Buffer) (seconds float64, last bool, err error) {
	var a answer
	if err := readLine(p.reader, &a); err != nil {
		return 0, false, err
	}
	if a.ID != q.ID {
		return 0, false, fmt.Errorf("an answer to request %d, expected one to request %d", a.ID, q.ID)
	}
	if err := readPayload(p.reader, buffer, a.Bytes, q.limit); err != nil {
		return 0, false, err
	}
	if a.Error != nil {
		return 0, false, &refusal{*a.Error}
	}
	if !a.OK {
		return 0, false, errors.New("an answer without ok or error")
	}
	seconds = math.NaN()
	if a.Seconds != nil {
		if seconds = *a.Seconds; !(seconds >= 0) || math.IsInf(seconds, 0) {
			return 0, false, fmt.Errorf("seconds are %v, expected a number of at least 0", seconds)
		}
	}
	if q.each == nil {
		return seconds, true, nil
	}
	last, err = q.each(a, buffer.Bytes())
	return seconds, last, err
}

// fault ends the process. Its error says what happened during what, and the last lines
// of the log.
func (p *process) fault(what string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, os.ErrClosed) || brokenPipe(err) {
		select { // it has ended, or it has closed its output
		case <-p.ended:
			err = fmt.Errorf("ended with %v", p.cmd.ProcessState)
		case <-time.After(2 * lastWords):
			err = errors.New("closed its standard input or output")
		}
	}
	p.kill()
	<-p.ended
	p.broken = fmt.Errorf("%s: %s: %w%s", p.command, what, err, p.log.last())
	return p.broken
}

// close ends the process, which may take a moment for it.
func (p *process) close() {
	p.in.Close()
	select {
	case <-p.ended:
	case <-time.After(parting):
	}
	p.kill()
	<-p.ended
	p.broken = cmp.Or(p.broken, errors.New("external: the model is closed"))
}
