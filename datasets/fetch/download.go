package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"
)

// download is the download of one file.
type download struct {
	Fetcher
	client   *http.Client
	part     *part
	maxBytes int64 // of the file
	began    time.Time
	got      atomic.Int64 // bytes of all attempts
}

// A finalError is one that will occur again at every attempt.
type finalError struct{ error }

func (e finalError) Unwrap() error { return e.error }

func finalf(format string, args ...any) error { return finalError{fmt.Errorf(format, args...)} }

// An unreachableError says that no connection was made.
type unreachableError struct{ error }

func (e unreachableError) Unwrap() error { return e.error }

var (
	errStalled = errors.New("the server stopped sending")
	errSlow    = errors.New("the server sends too slowly")
)

// run makes attempts until the file is whole, as long as they make progress.
func (w *download) run(ctx context.Context) error {
	ctx, stop := w.requireSpeed(ctx)
	defer stop()
	var err error
	for left := attempts; left > 0 && (w.part.size == 0 || w.part.size != w.part.Total); left-- {
		before, since := w.part.size, time.Now()
		if err = w.attempt(ctx); err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if errors.As(err, new(finalError)) || errors.As(err, new(unreachableError)) && left == attempts {
			return err
		}
		if w.part.size-before >= w.enough(w.pause+time.Since(since)) {
			left = attempts
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(w.pause << (attempts - left)):
		}
	}
	if err != nil {
		err = fmt.Errorf("%w, %d times in a row", err, attempts)
	}
	return err
}

// attempt requests the rest of the file once.
func (w *download) attempt(ctx context.Context) error {
	ctx, watch, stop := w.watch(ctx)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.part.url, nil)
	if err != nil {
		return err
	}
	w.part.setRange(req)
	resp, err := w.client.Do(req)
	if err != nil {
		err = w.connectError(err)
	} else {
		defer resp.Body.Close()
		err = w.receive(resp, watch)
	}
	if cause := context.Cause(ctx); err != nil && errors.Is(cause, errStalled) {
		return fmt.Errorf("%s: %w", w.part.url, cause)
	}
	return err
}

// enough returns the number of bytes that a server must send in that time.
func (w *download) enough(d time.Duration) int64 { return int64(float64(w.minSpeed) * d.Seconds()) }

// requireSpeed ends the download when too little has arrived in a window, in any
// number of attempts.
func (w *download) requireSpeed(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		for before := w.got.Load(); ; {
			select {
			case <-ctx.Done():
				return
			case <-time.After(w.window):
			}
			now := w.got.Load()
			if now-before < w.enough(w.window) {
				cancel(fmt.Errorf("%s: %w: %d bytes in %v, expected at least %d a second", w.part.url, errSlow, now-before, w.window, w.minSpeed))
				return
			}
			before = now
		}
	}()
	return ctx, func() { cancel(nil) }
}

// watch ends the request when nothing has arrived for a while: when the timer
// was not reset.
func (w *download) watch(ctx context.Context) (_ context.Context, t *time.Timer, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	t = time.AfterFunc(w.stall, func() { cancel(fmt.Errorf("%w for %v", errStalled, w.stall)) })
	return ctx, t, func() {
		t.Stop()
		cancel(nil)
	}
}

// connectError distinguishes a server that cannot be reached from one that
// misbehaves.
func (w *download) connectError(err error) error {
	if final, ok := errors.AsType[finalError](err); ok {
		return fmt.Errorf("%s: %w", w.part.url, final)
	}
	op, ok := errors.AsType[*net.OpError](err)
	if errors.As(err, new(*net.DNSError)) || ok && (op.Op == "dial" || op.Op == "proxyconnect") {
		if inner, ok := errors.AsType[*url.Error](err); ok {
			err = inner.Err
		}
		return unreachableError{fmt.Errorf("cannot reach %s: %w", w.part.url, err)}
	}
	return err
}

// begin checks the headers of the response and prepares the part for its body.
func (w *download) begin(resp *http.Response) error {
	if e := resp.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return finalf("%s: the server sent Content-Encoding %s, which was not requested", w.part.url, e)
	}
	switch code := resp.StatusCode; {
	case code == http.StatusPartialContent:
		if err := w.part.resume(resp); err != nil {
			return errors.Join(err, w.part.reset()) // the next attempt starts from the beginning
		}
	case code == http.StatusOK:
		if err := w.part.start(resp); err != nil {
			return err
		}
	case code == http.StatusRequestedRangeNotSatisfiable && w.part.size > 0:
		return errors.Join(fmt.Errorf("%s: the file is not the one that was begun", w.part.url), w.part.reset())
	case code >= 500 || code == http.StatusTooManyRequests:
		return fmt.Errorf("%s: the server answered %s", w.part.url, resp.Status)
	default:
		return finalf("%s: the server answered %s", w.part.url, resp.Status)
	}
	if w.part.Total > w.maxBytes {
		return w.tooLarge(fmt.Sprintf("a file of %d bytes", w.part.Total))
	}
	return nil
}

func (w *download) tooLarge(what string) error {
	return errors.Join(finalf("%s: the server sends %s, expected at most %d", w.part.url, what, w.maxBytes), w.part.reset())
}

// receive appends the response's body to the part. It resets the timer whenever
// something has arrived.
func (w *download) receive(resp *http.Response, watch *time.Timer) error {
	if err := w.begin(resp); err != nil {
		return err
	}
	buf := make([]byte, 256<<10)
	for {
		n, err := resp.Body.Read(buf)
		if n > 0 {
			watch.Reset(w.stall)
			w.got.Add(int64(n))
			if err := w.part.append(buf[:n]); err != nil {
				return finalError{err}
			}
			if w.Progress != nil {
				w.Progress(w.part.size, w.part.Total)
			}
		}
		switch {
		case w.part.size > w.maxBytes:
			return w.tooLarge("more and more")
		case err == io.EOF && (w.part.Total < 0 || w.part.size == w.part.Total):
			return nil
		case err == io.EOF:
			return fmt.Errorf("%s: the server sent %d bytes of %d", w.part.url, w.part.size, w.part.Total)
		case err != nil:
			return fmt.Errorf("%s: %w", w.part.url, err)
		}
	}
}
