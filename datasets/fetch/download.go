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

// download is one file on its way.
type download struct {
	Fetcher
	client *http.Client
	part   *part
	url    string
	most   int64 // bytes that the file may have
	began  time.Time
	came   atomic.Int64 // bytes, of all attempts
}

// refused is what trying again does not help against.
type refused string

func (r refused) Error() string { return string(r) }

// unreachableError: no connection was made.
type unreachableError struct{ err error }

func (u *unreachableError) Error() string { return u.err.Error() }
func (u *unreachableError) Unwrap() error { return u.err }

var (
	errStalled = errors.New("the server stopped sending")
	errSlow    = errors.New("the server sends too slowly")
)

// run asks until the file is whole, as long as enough comes that is new.
func (w *download) run(ctx context.Context) error {
	ctx, stop := w.inTime(ctx)
	defer stop()
	var err error
	for left := attempts; left > 0 && !w.part.whole(); left-- {
		before, since := w.part.size, time.Now()
		if err = w.attempt(ctx); err == nil {
			return nil
		}
		var no refused
		var unreachable *unreachableError
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if errors.As(err, &no) || errors.As(err, &unreachable) && left == attempts {
			return err
		}
		if w.part.size-before >= w.enough(w.Pause+time.Since(since)) {
			left = attempts
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(w.Pause << (attempts - left)):
		}
	}
	if err != nil {
		err = fmt.Errorf("%w, %d times in a row", err, attempts)
	}
	return err
}

// attempt asks once for what is missing.
func (w *download) attempt(ctx context.Context) error {
	ctx, watch, stop := w.watch(ctx)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url, nil)
	if err != nil {
		return err
	}
	w.part.ask(req)
	resp, err := w.client.Do(req)
	if err != nil {
		return w.connectError(ctx, err)
	}
	defer resp.Body.Close()
	if err := w.begin(resp); err != nil {
		return err
	}
	body := &watched{r: resp.Body, got: func(n int) {
		watch.Reset(w.Stall)
		w.came.Add(int64(n))
	}}
	err = w.receive(body)
	if cause := context.Cause(ctx); err != nil && errors.Is(cause, errStalled) {
		return fmt.Errorf("%s: %w", w.url, cause)
	}
	return err
}

// enough is how many bytes come in that time from a server that is not too
// slow.
func (w *download) enough(d time.Duration) int64 { return int64(float64(w.Slowest) * d.Seconds()) }

// inTime ends the download when too little has come in a window, of however
// many attempts.
func (w *download) inTime(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		tick := time.NewTicker(w.Window)
		defer tick.Stop()
		for before := w.came.Load(); ; {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			now := w.came.Load()
			if now-before < w.enough(w.Window) {
				cancel(fmt.Errorf("%s: %w: %d bytes in %v, expected at least %d a second", w.url, errSlow, now-before, w.Window, w.Slowest))
				return
			}
			before = now
		}
	}()
	return ctx, func() { cancel(nil) }
}

// watch ends the request when nothing has come for a while: when nobody has
// reset the timer.
func (w *download) watch(ctx context.Context) (_ context.Context, t *time.Timer, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	t = time.AfterFunc(w.Stall, func() { cancel(fmt.Errorf("%w for %v", errStalled, w.Stall)) })
	return ctx, t, func() {
		t.Stop()
		cancel(nil)
	}
}

// connectError tells a server that is not there from one that misbehaves.
func (w *download) connectError(ctx context.Context, err error) error {
	var op *net.OpError
	var no refused
	var host *net.DNSError
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errStalled):
		return fmt.Errorf("%s: %w", w.url, cause)
	case errors.As(err, &no):
		return refused(fmt.Sprintf("%s: %s", w.url, no))
	case errors.As(err, &host), errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect"):
		var inner *url.Error
		if errors.As(err, &inner) {
			err = inner.Err
		}
		return &unreachableError{fmt.Errorf("cannot reach %s: %w", w.url, err)}
	}
	return err
}

// begin looks at the head of the answer and makes the part ready for its
// body.
func (w *download) begin(resp *http.Response) error {
	if e := resp.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return refused(fmt.Sprintf("%s: the server sent the file encoded by %s, which nobody asked for", w.url, e))
	}
	switch code := resp.StatusCode; {
	case code == http.StatusPartialContent:
		if err := w.part.goOn(resp); err != nil {
			return errors.Join(err, w.part.reset()) // the next attempt starts anew
		}
	case code == http.StatusOK:
		if err := w.part.startAnew(resp); err != nil {
			return err
		}
	case code == http.StatusRequestedRangeNotSatisfiable && w.part.size > 0:
		return errors.Join(fmt.Errorf("%s: the file is not the one that was begun", w.url), w.part.reset())
	case code >= 500 || code == http.StatusTooManyRequests:
		return fmt.Errorf("%s: the server answered %s", w.url, resp.Status)
	default:
		return refused(fmt.Sprintf("%s: the server answered %s", w.url, resp.Status))
	}
	if w.part.Total > w.most {
		return w.tooLarge(fmt.Sprintf("a file of %d bytes", w.part.Total))
	}
	return nil
}

func (w *download) tooLarge(what string) error {
	err := refused(fmt.Sprintf("%s: the server sends %s, expected at most %d", w.url, what, w.most))
	return errors.Join(err, w.part.reset())
}

// receive appends the body to the part.
func (w *download) receive(body io.Reader) error {
	buf := make([]byte, 256<<10)
	for {
		n, err := body.Read(buf)
		if n > 0 {
			if err := w.part.append(buf[:n]); err != nil {
				return refused(err.Error())
			}
			if w.Progress != nil {
				w.Progress(w.part.size, w.part.Total)
			}
		}
		switch {
		case w.part.size > w.most:
			return w.tooLarge("more and more")
		case err == io.EOF && (w.part.Total < 0 || w.part.size == w.part.Total):
			return nil
		case err == io.EOF:
			return fmt.Errorf("%s: the server sent %d bytes of %d", w.url, w.part.size, w.part.Total)
		case err != nil:
			return fmt.Errorf("%s: %w", w.url, err)
		}
	}
}

// watched calls got whenever something has come.
type watched struct {
	r   io.Reader
	got func(n int)
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if n > 0 {
		w.got(n)
	}
	return n, err
}
