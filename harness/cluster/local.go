package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"dgsbench/internal/lists"
	"dgsbench/internal/lock"
)

// local runs tasks as processes of this machine, as many at once as its cores hold.
// They end with the process that has started them.
type local struct {
	cores   chan struct{} // that are taken
	taking  sync.Mutex    // by one task at a time
	mu      sync.Mutex
	states  map[int]State
	stops   []context.CancelFunc
	held    *lock.Lock // as long as there are processes
	pending int        // submissions with processes
	all     sync.WaitGroup
}

// tasksLock is held while processes of the job's tasks are there.
func (j *Job) tasksLock() string { return j.lock("processes-") }

func newLocal(Options) (Engine, error) {
	return &local{cores: make(chan struct{}, runtime.NumCPU()), states: map[int]State{}}, nil
}

// killAfter is how long a task may take to end after it was asked to.
const killAfter = 30 * time.Second

// Submit starts the tasks in their order as cores become free.
func (l *local) Submit(_ context.Context, j *Job, tasks []Task) ([]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending == 0 {
		var err error
		if l.held, err = lock.Try(j.tasksLock()); err != nil {
			return nil, err
		}
	}
	l.pending++
	ctx, stop := context.WithCancel(context.Background())
	l.stops = append(l.stops, stop)
	for _, t := range tasks {
		l.states[t.Number] = State{Phase: Waiting}
	}
	l.all.Add(1)
	go func() {
		defer l.all.Done()
		l.run(ctx, j, lists.Filter(tasks, func(t Task) bool { return !t.Last }))
		l.run(ctx, j, lists.Filter(tasks, func(t Task) bool { return t.Last }))
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.pending--; l.pending == 0 {
			l.held.Release()
		}
	}()
	return []string{fmt.Sprintf("processes of %d", os.Getpid())}, nil
}

// run runs tasks side by side.
func (l *local) run(ctx context.Context, j *Job, tasks []Task) {
	var group sync.WaitGroup
	for _, t := range tasks {
		n := min(t.Need.Cores, cap(l.cores))
		if t.Need.Exclusive {
			n = cap(l.cores)
		}
		l.taking.Lock()
		for range n {
			l.cores <- struct{}{}
		}
		l.taking.Unlock()
		group.Go(func() {
			err := l.task(ctx, j, t)
			for range n {
				<-l.cores
			}
			l.mu.Lock()
			defer l.mu.Unlock()
			if delete(l.states, t.Number); err != nil {
				l.states[t.Number] = State{Phase: Failed, Reason: err.Error()}
			}
		})
	}
	group.Wait()
}

// task runs a task, again and again if it asks for that.
func (l *local) task(ctx context.Context, j *Job, t Task) error {
	node, err := os.Hostname()
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		l.mu.Lock()
		l.states[t.Number] = State{Phase: Running, Node: node}
		l.mu.Unlock()
		err := l.process(ctx, j, t, node)
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != ExitAgain {
			return err
		}
	}
	return ctx.Err()
}

func (l *local) process(ctx context.Context, j *Job, t Task, node string) error {
	log, err := os.OpenFile(j.Log(t.Number), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer log.Close()
	line := j.Arguments(t.Number)
	command := exec.CommandContext(ctx, line[0], line[1:]...)
	command.Dir, command.Env = j.Dir, append(os.Environ(), NodeVariable+"="+node)
	command.Stdout, command.Stderr = log, log
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = killAfter
	return command.Run()
}

// States returns the states of the tasks, for another process by what they report,
// as long as the one that has started them is there.
func (l *local) States(_ context.Context, j *Job) (map[int]State, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.stops) > 0 {
		return maps.Clone(l.states), nil
	}
	held, err := lock.Try(j.tasksLock())
	if err == nil {
		held.Release()
		return nil, nil
	}
	if !errors.Is(err, lock.ErrHeld) {
		return nil, err
	}
	states := map[int]State{}
	for _, t := range j.Tasks {
		r, err := j.Report(t.Number)
		switch {
		case err != nil:
			return nil, err
		case r.Started.IsZero():
			states[t.Number] = State{Phase: Waiting}
		case r.Ended.IsZero():
			states[t.Number] = State{Phase: Running, Node: r.Node}
		}
	}
	return states, nil
}

// Cancel asks the processes to end, and waits for them.
func (l *local) Cancel(context.Context, *Job) error {
	l.mu.Lock()
	for _, stop := range l.stops {
		stop()
	}
	l.mu.Unlock()
	l.all.Wait()
	return nil
}

// Script returns the command lines of the tasks.
func (l *local) Script(j *Job, tasks []Task) (string, error) {
	lines := lists.Map(tasks, func(t Task) string {
		return strings.Join(j.Arguments(t.Number), " ") + " >> " + j.Log(t.Number) + " 2>&1"
	})
	return strings.Join(slices.Concat([]string{"cd " + j.Dir}, lines), "\n") + "\n", nil
}
