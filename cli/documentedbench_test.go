package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestDocumentedBench runs every command of bench that stands in a document or
// help text, in the order in which they stand there: those that take long, or
// need a network, with --dry-run.
func TestDocumentedBench(t *testing.T) {
	root, err := filepath.Abs(filepath.Join(".."))
	if err != nil {
		t.Fatal(err)
	}
	p := prepare(t, root)
	for _, d := range documents(t, root) {
		d.commands = slices.DeleteFunc(d.commands, func(c documented) bool { return c.words[0] != "bench" || p.again(c) })
		t.Run(strings.ReplaceAll(d.name, "/", "-"), func(t *testing.T) {
			t.Parallel()
			p.run(t, d)
		})
	}
}

// playground is what documents find where their commands run.
type playground struct {
	treatment
	root, dir string
	shown     map[string]string // files that a document shows
	seen      map[string]bool   // commands for which nothing has to be there
}

// again reports whether a command that only says what it would do has been
// seen before.
func (p playground) again(c documented) bool {
	_, _, long := listed(p.Long, c)
	text := strings.TrimSuffix(c.String(), " --dry-run")
	seen := p.seen[text]
	p.seen[text] = true
	return long && seen
}

// prepare fills a folder that each document then gets a copy of.
func prepare(t *testing.T, root string) playground {
	t.Helper()
	p := playground{treatment: readTreatment(t), root: root, dir: t.TempDir(), shown: map[string]string{}, seen: map[string]bool{}}
	for _, d := range documents(t, root) {
		for name, text := range d.files {
			p.shown[name] = text
		}
	}
	for _, command := range p.Before {
		if code, output, _ := p.bench(t, p.dir, strings.Fields(command)[1:]); code != exitDone {
			t.Fatalf("%s: exit code %d\n%s", command, code, output)
		}
	}
	return p
}

// copy makes the folder of one document.
func (p playground) copy(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	put := func(to, from string) {
		t.Helper()
		if err := os.CopyFS(filepath.Join(dir, to), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	put(".", p.dir)
	for _, folder := range p.Files {
		put(folder, filepath.Join(p.root, folder))
	}
	for to, from := range p.Copies {
		put(to, filepath.Join(p.dir, from))
	}
	for name, text := range p.shown {
		write(t, filepath.Join(dir, name), text)
	}
	program, err := os.Executable()
	if err == nil {
		err = errors.Join(os.Mkdir(filepath.Join(dir, "empty"), 0o755), os.Symlink(program, filepath.Join(dir, "bench-before")))
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func (p playground) run(t *testing.T, d document) {
	dir := p.copy(t)
	done := map[string]bool{}
	for _, c := range d.commands {
		if done[c.String()] {
			continue
		}
		done[c.String()] = true
		checkFlags(t, c)
		if _, _, unchecked := listed(p.Unchecked, c); !unchecked && !p.isName(c) {
			p.try(t, dir, c)
		}
	}
}

// checkFlags looks up the command and its flags, also those that are optional
// or stand without a value.
func checkFlags(t *testing.T, c documented) {
	t.Helper()
	cmd, _, err := newRoot(nil, nil).Find(c.words[1:])
	if err != nil {
		t.Errorf("%s: %s: %v", c.where, c, err)
		return
	}
	cmd.InitDefaultHelpFlag()
	for _, word := range c.words {
		name, isFlag := strings.CutPrefix(strings.Trim(word, "[]"), "--")
		name, _, _ = strings.Cut(name, "=")
		if isFlag && cmd.Flag(name) == nil {
			t.Errorf("%s: %s: %s has no flag --%s", c.where, c, cmd.CommandPath(), name)
		}
	}
}

// tooLong is when a command belongs to the long ones, in processor time: on a
// busy machine with shared cores, up to four times that of an idle one.
const tooLong = 90 * time.Second

// try runs a command, and judges how it ends.
func (p playground) try(t *testing.T, dir string, c documented) {
	t.Helper()
	args := p.filled(c.words[1:])
	_, _, long := listed(p.Long, c)
	_, refusal, refused := listed(p.Refused, c)
	if long && !slices.Contains(args, "--dry-run") {
		args = append(args, "--dry-run")
	}
	code, output, took := p.bench(t, dir, args)
	switch {
	case refused && code != exitDone && strings.Contains(output, refusal):
	case long && code == exitUsage && strings.Contains(output, "--data DIR says where files are"):
	case code != exitDone || refused:
		t.Errorf("%s: bench %s: exit code %d\n%s", c.where, strings.Join(args, " "), code, output)
	case took > tooLong:
		t.Errorf("%s: bench %s took %v: list it as long in testdata/documented.yaml", c.where, strings.Join(args, " "), took)
	}
	t.Logf("%6.2f s: bench %s", took.Seconds(), strings.Join(args, " "))
}

// bench runs the program in a process of its own, in a folder.
func (p playground) bench(t *testing.T, dir string, args []string) (code int, output string, took time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*tooLong)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), child+"=1")
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	end := cmd.ProcessState
	return end.ExitCode(), string(text), end.UserTime() + end.SystemTime()
}
