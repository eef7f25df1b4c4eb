//go:build unix

package lock

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// holdFile tells a copy of the test binary to hold the lock of that path: it
// prints "held", and "lost" if it loses it. countFile tells it to raise a
// number in that file a few times, with pauses between reading and writing.
const (
	holdFile  = "LOCK_TEST_HOLD"
	countFile = "LOCK_TEST_COUNT"
)

// noLocks is a file system without locks.
func noLocks(beat time.Duration) scheme {
	return scheme{system: func(string) (*Lock, error) { return nil, syscall.ENOLCK }, beat: beat}
}

const quick = 50 * time.Millisecond

// schemes are tested alike.
var schemes = map[string]scheme{"locks": usual, "leases": noLocks(quick)}

func TestMain(m *testing.M) {
	s := schemes[os.Getenv("LOCK_TEST_SCHEME")]
	if path := os.Getenv(holdFile); path != "" {
		l, err := s.try(context.Background(), path)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("held")
		select {
		case <-l.lost:
			fmt.Println("lost")
		case <-time.After(time.Hour):
		}
		os.Exit(0)
	}
	if path := os.Getenv(countFile); path != "" {
		if err := count(s, path); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const rounds = 5

func count(s scheme, path string) error {
	for range rounds {
		l, err := s.wait(context.Background(), path+".lock", nil)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(string(text))
		if err != nil {
			return err
		}
		time.Sleep(10 * time.Millisecond)
		if err := os.WriteFile(path, []byte(strconv.Itoa(n+1)), 0o600); err != nil {
			return err
		}
		l.Release()
	}
	return nil
}

func child(scheme, what, path string, through ...string) *exec.Cmd {
	args := append(through, os.Args[0])
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "LOCK_TEST_SCHEME="+scheme, what+"="+path)
	return cmd
}

// TestProcesses: only one of several processes is at the file at a time.
func TestProcesses(t *testing.T) {
	for name := range schemes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "n")
			if err := os.WriteFile(path, []byte("0"), 0o600); err != nil {
				t.Fatal(err)
			}
			var all sync.WaitGroup
			for range 3 {
				all.Go(func() {
					if out, err := child(name, countFile, path).CombinedOutput(); err != nil {
						t.Errorf("%v\n%s", err, out)
					}
				})
			}
			all.Wait()
			if got, err := os.ReadFile(path); err != nil || string(got) != strconv.Itoa(3*rounds) {
				t.Errorf("counted to %s, %v, expected %d", got, err, 3*rounds)
			}
			if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
				t.Errorf("left %v, %v", left, err)
			}
		})
	}
}

// holder is a process that holds the lock; said is what it prints.
func holder(t *testing.T, scheme, path string, through ...string) (cmd *exec.Cmd, said io.Reader) {
	t.Helper()
	cmd = child(scheme, holdFile, path, through...)
	said, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	expect(t, said, "held\n")
	return cmd, said
}

func expect(t *testing.T, said io.Reader, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if n, err := io.ReadFull(said, got); string(got[:n]) != want {
		t.Fatalf("the process said %q, %v, expected %q", got[:n], err, want)
	}
}

// TestKilledHolder: nobody has what a killed process had, whatever the number
// of that process was; a live one is never robbed.
func TestKilledHolder(t *testing.T) {
	for name, s := range schemes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "lock")
			cmd, _ := holder(t, name, path)
			for range 3 {
				if _, err := s.try(context.Background(), path); !errors.Is(err, ErrHeld) {
					t.Errorf("error %v, expected %v", err, ErrHeld)
				}
			}
			done, stop := context.WithTimeout(context.Background(), 50*time.Millisecond)
			defer stop()
			waited := 0
			if _, err := s.wait(done, path, func() { waited++ }); !errors.Is(err, context.DeadlineExceeded) || waited > 1 {
				t.Errorf("error %v, waited %d times", err, waited)
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			l, err := s.wait(context.Background(), path, nil)
			if err != nil {
				t.Fatal(err)
			}
			l.Release()
		})
	}
}

// TestNamespaces: a process with the number 1 in another namespace is told
// from one that is gone.
func TestNamespaces(t *testing.T) {
	through := []string{"unshare", "--pid", "--fork", "--kill-child", "--mount-proc"}
	if out, err := exec.Command(through[0], append(through[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("a namespace of processes needs rights that this user lacks: %v %s", err, out)
	}
	for name, s := range schemes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "lock")
			holder(t, name, path, through...)
			if out, err := child(name, holdFile, path, through...).Output(); err == nil || strings.TrimSpace(string(out)) != ErrHeld.Error() {
				t.Errorf("another namespace: %q, %v", out, err)
			}
			if _, err := s.try(context.Background(), path); !errors.Is(err, ErrHeld) {
				t.Errorf("error %v, expected %v", err, ErrHeld)
			}
		})
	}
}

// TestStoppedHolder: a lease of a process that stands still is taken over,
// and the process finds out when it goes on.
func TestStoppedHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	cmd, said := holder(t, "leases", path)
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	l, err := schemes["leases"].wait(context.Background(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	expect(t, said, "lost\n")
	select {
	case <-l.lost:
		t.Error("the new holder has lost it too")
	default:
	}
}

// TestLostLease: whoever has lost a lease does not remove it.
func TestLostLease(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	l, err := noLocks(quick).try(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	theirs := lease{strings.Repeat("B", 26), 0}.text()
	for over := false; !over; { // more than once, as the holder may be writing
		if err := overwrite(path+".lease", theirs); err != nil {
			t.Fatal(err)
		}
		select {
		case <-l.lost:
			over = true
		case <-time.After(2 * quick):
		}
	}
	l.Release()
	if err := checkText(path+".lease", theirs); err != nil {
		t.Errorf("the lease of the other holder: %v", err)
	}
}

// TestWaitTellsOnce: however often it asks.
func TestWaitTellsOnce(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	tries, told := 0, 0
	held := scheme{system: func(string) (*Lock, error) {
		if tries++; tries == 3 {
			stop()
		}
		return nil, ErrHeld
	}}
	if _, err := held.wait(ctx, filepath.Join(t.TempDir(), "lock"), func() { told++ }); !errors.Is(err, context.Canceled) || told != 1 {
		t.Errorf("told %d times in %d tries, %v", told, tries, err)
	}
}

// TestDuring: what a holder does ends when it loses its lease.
func TestDuring(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	s := noLocks(quick)
	l, err := s.try(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := l.During(context.Background())
	defer stop()
	if ctx.Err() != nil {
		t.Error(ctx.Err())
	}
	if err := overwrite(path+".lease", lease{strings.Repeat("B", 26), 0}.text()); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ctx.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("it goes on")
	}
	if got := context.Cause(ctx); !errors.Is(got, ErrLost) {
		t.Errorf("cause %v", got)
	}
	l.Release()
	if _, err := os.Stat(path + ".lease"); err != nil {
		t.Errorf("the lease of the other one: %v", err)
	}
}

// TestUnknownLocks: whoever asks for something else is not given locks that do
// not reach other machines.
func TestUnknownLocks(t *testing.T) {
	t.Setenv("DGSBENCH_LOCKS", "lease")
	path := filepath.Join(t.TempDir(), "lock")
	if _, err := Try(path); err == nil || !strings.Contains(err.Error(), `DGSBENCH_LOCKS is "lease", expected leases`) {
		t.Error(err)
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("a lock was made")
	}
}

// TestTakenOverByOne: of many that find the lease of a dead holder at once,
// one has it.
func TestTakenOverByOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	for _, left := range []string{"", lease{strings.Repeat("A", 26), 7}.text()} {
		if err := os.WriteFile(path+".lease", []byte(left), 0o600); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		got := make([]*Lock, 8)
		for i := range got {
			all.Go(func() {
				var err error
				if got[i], err = noLocks(2*quick).try(context.Background(), path); err != nil && !errors.Is(err, ErrHeld) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		holders := 0
		for _, l := range got {
			if l != nil {
				holders++
				l.Release()
			}
		}
		if holders != 1 {
			t.Errorf("%q: %d holders, expected one", left, holders)
		}
	}
}

// TestLateTaker: of two that find the lease stale, the one that writes first
// does not have it.
func TestLateTaker(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	file := path + ".lease"
	dead := lease{strings.Repeat("A", 26), 7}.text()
	if err := os.WriteFile(file, []byte(dead), 0o600); err != nil {
		t.Fatal(err)
	}
	late := make(chan error)
	go func() {
		for checkText(file, dead) == nil {
			time.Sleep(time.Millisecond)
		}
		late <- overwrite(file, lease{strings.Repeat("B", 26), 0}.text())
	}()
	_, err := noLocks(quick).try(context.Background(), path)
	if failed := <-late; failed != nil {
		t.Fatal(failed)
	}
	if !errors.Is(err, ErrHeld) {
		t.Errorf("error %v, expected %v", err, ErrHeld)
	}
}

// TestReleaseWhileOthersWait: whoever had the removed file open does not take
// it for the lock.
func TestReleaseWhileOthersWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var all sync.WaitGroup
	var mu sync.Mutex // only tried: the lock is what excludes
	for range 8 {
		all.Go(func() {
			for taken := 0; taken < 50; {
				l, err := Try(path)
				if errors.Is(err, ErrHeld) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if !mu.TryLock() {
					t.Error("two holders")
				} else {
					time.Sleep(20 * time.Microsecond)
					mu.Unlock()
				}
				taken++
				l.Release()
			}
		})
	}
	all.Wait()
}

// TestEmptyFolders: locks of a folder are taken and given back side by side,
// whoever of them makes and removes the folder.
func TestEmptyFolders(t *testing.T) {
	root := t.TempDir()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 200 {
				l, err := Try(In(root, strconv.Itoa(i)))
				if err != nil {
					t.Error(err)
					return
				}
				l.Release()
			}
		})
	}
	all.Wait()
	if left, err := os.ReadDir(root); err != nil || len(left) > 0 {
		t.Errorf("%v left, %v", left, err)
	}
}

// TestInTheWay: what was put in a lock's place is neither followed nor waited
// for.
func TestInTheWay(t *testing.T) {
	for name, s := range schemes {
		dir := t.TempDir()
		outside := filepath.Join(dir, "outside")
		for what, put := range map[string]func(string) error{
			"link": func(path string) error { return os.Symlink(outside, path) },
			"pipe": func(path string) error { return syscall.Mkfifo(path, 0o600) },
			"dir":  func(path string) error { return os.Mkdir(path, 0o700) },
		} {
			path := filepath.Join(dir, what)
			at := path
			if name == "leases" {
				at += ".lease"
			}
			if err := put(at); err != nil {
				t.Fatal(err)
			}
			if _, err := s.try(context.Background(), path); err == nil || !strings.Contains(err.Error(), at+" is not a regular file") {
				t.Errorf("%s, %s: error %v", name, what, err)
			}
		}
		if _, err := os.Lstat(outside); err == nil {
			t.Errorf("%s: a link was followed", name)
		}
	}
}

// TestFolderInTheWay: what was put in the place of our folder is not
// followed.
func TestFolderInTheWay(t *testing.T) {
	for name, s := range schemes {
		for what, put := range map[string]func(at, outside string) error{
			"link":          func(at, outside string) error { return os.Symlink(outside, at) },
			"link below it": func(at, outside string) error { return os.Symlink(outside, at) },
			"file":          func(at, _ string) error { return os.WriteFile(at, nil, 0o600) },
			"pipe":          func(at, _ string) error { return syscall.Mkfifo(at, 0o600) },
		} {
			root, outside := t.TempDir(), t.TempDir()
			at := filepath.Join(root, Folder)
			if what == "link below it" {
				at = filepath.Join(at, "locks")
			}
			if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), put(at, outside)); err != nil {
				t.Fatal(err)
			}
			if _, err := s.try(context.Background(), In(root, "cell")); err == nil || !strings.Contains(err.Error(), at+" is not a folder") {
				t.Errorf("%s, %s: error %v", name, what, err)
			}
			if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
				t.Errorf("%s, %s: %v was made elsewhere, %v", name, what, left, err)
			}
			if _, err := os.Lstat(at); err != nil {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
	}
}

// TestMovedFolder: whoever holds a lock in a folder that is moved or removed
// does not release the lock that another has where it was.
func TestMovedFolder(t *testing.T) {
	for name, s := range schemes {
		for what, away := range map[string]func(root string) error{
			"moved":   func(root string) error { return os.Rename(root, root+"-moved") },
			"removed": os.RemoveAll,
		} {
			root := filepath.Join(t.TempDir(), "root")
			path := In(root, "cell")
			before, err := s.try(context.Background(), path)
			if err := errors.Join(err, away(root)); err != nil {
				t.Fatal(err)
			}
			now, err := s.try(context.Background(), path)
			if err != nil {
				t.Fatal(err)
			}
			before.Release()
			if l, err := s.try(context.Background(), path); !errors.Is(err, ErrHeld) {
				t.Errorf("%s, %s: lock %v, error %v, expected %v", name, what, l, err, ErrHeld)
			}
			now.Release()
		}
	}
}

// TestOtherUsersLock: the file of another user, in a folder like /tmp, can be
// locked by all.
func TestOtherUsersLock(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("to be another user needs root")
	}
	dir := t.TempDir()
	for d := dir; len(d) > len(os.TempDir()); d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	sticky := filepath.Join(dir, "tmp")
	if err := errors.Join(os.Mkdir(sticky, 0o700), os.Chmod(sticky, 0o777|os.ModeSticky)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(sticky, "lock")
	program := filepath.Join(dir, "test")
	if data, err := os.ReadFile(os.Args[0]); err != nil {
		t.Fatal(err)
	} else if err := os.WriteFile(program, data, 0o755); err != nil {
		t.Fatal(err)
	}
	old := syscall.Umask(0o077)
	l, err := Try(path)
	syscall.Umask(old)
	if err != nil {
		t.Fatal(err)
	}
	other := func() string {
		cmd := child("locks", holdFile, path)
		cmd.Path = program
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		out, err := cmd.StdoutPipe()
		if err := errors.Join(err, cmd.Start()); err != nil {
			t.Fatal(err)
		}
		text := make([]byte, 100)
		n, _ := out.Read(text)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return strings.TrimSpace(string(text[:n]))
	}
	if got := other(); got != ErrHeld.Error() {
		t.Errorf("the other user was told %q", got)
	}
	l.Release()
	if got := other(); got != "held" {
		t.Errorf("the other user was told %q", got)
	}
	if l, err = Try(path); err != nil { // the file is the other user's now
		t.Fatal(err)
	}
	l.Release()
}
