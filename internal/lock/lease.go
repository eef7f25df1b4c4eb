package lock

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// A lease is taken over after staleBeats beats without a change. Whoever takes it
// over then waits confirmBeats: the old holder notices within one, and of several
// that take it over at once, the last one to write has it.
const (
	staleBeats   = 5
	confirmBeats = 2
)

// lease makes the file of a lease, or takes it over from a holder that does
// not change it any more.
func (s scheme) lease(ctx context.Context, path string) (*Lock, error) {
	l := lease{token: rand.Text()}
	err := write(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, l.text())
	if errors.Is(err, fs.ErrExist) {
		err = s.takeOver(ctx, path, l.text())
	}
	if err != nil {
		return nil, err
	}
	return s.hold(path, l), nil
}

// takeOver takes over a lease that has not changed for a while.
func (s scheme) takeOver(ctx context.Context, path, text string) error {
	if err := regular(path); err != nil {
		return err
	}
	before, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for start := time.Now(); time.Since(start) < staleBeats*s.beat; {
		if err := pause(ctx, s.beat/4); err != nil {
			return err
		}
		if err := checkText(path, string(before)); err != nil {
			return err
		}
	}
	if err := overwrite(path, text); err != nil {
		return err
	}
	if err := pause(ctx, confirmBeats*s.beat); err != nil {
		return err
	}
	return checkText(path, text)
}

// lease is the content of the file. All texts have the same length.
type lease struct {
	token string
	count int
}

func (l lease) text() string { return fmt.Sprintf("%s %016x\n", l.token, l.count) }

// hold increments the counter in the file until the lock is released.
func (s scheme) hold(path string, now lease) *Lock {
	stop, stopped := make(chan struct{}), make(chan struct{})
	l := &Lock{lost: make(chan struct{})}
	go func() {
		defer close(stopped)
		tick := time.NewTicker(s.beat)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			err := checkText(path, now.text())
			if err == nil {
				now.count++
				err = overwrite(path, now.text())
			}
			if err != nil {
				close(l.lost)
				return
			}
		}
	}()
	l.release = func() {
		close(stop)
		<-stopped
		if checkText(path, now.text()) == nil {
			_ = os.Remove(path)
		}
	}
	return l
}

// checkText returns ErrHeld unless the file holds the text.
func checkText(path, text string) error {
	now, err := os.ReadFile(path)
	if err == nil && string(now) != text {
		err = ErrHeld
	}
	return err
}

// overwrite replaces the text by one of the same length, without truncating the
// file.
func overwrite(path, text string) error { return write(path, os.O_WRONLY, text) }

func write(path string, flag int, text string) error {
	f, err := os.OpenFile(path, flag, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
