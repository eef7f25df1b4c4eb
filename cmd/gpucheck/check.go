//go:build gpu

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"dgsbench/harness"
	"dgsbench/internal/atomicfile"
	"dgsbench/kernels/cuda"
	"dgsbench/kernels/devices"
	"dgsbench/specs"
)

//go:embed suites
var suites embed.FS

// suiteFiles are the suites of a full check, or of a tiny one.
func suiteFiles(tiny bool) (fs.FS, error) {
	if tiny {
		return fs.Sub(suites, "suites/tiny")
	}
	return fs.Sub(suites, "suites/full")
}

// trialsOf returns the trials of a suite among them.
func trialsOf(suite string, tiny bool) ([]specs.Trial, error) {
	files, err := suiteFiles(tiny)
	if err != nil {
		return nil, err
	}
	lib, err := specs.NewLibrary("", files)
	if err != nil {
		return nil, err
	}
	loaded, err := lib.LoadSuite(suite)
	if err != nil {
		return nil, err
	}
	return loaded.Trials(specs.Filter{})
}

// check is a check in progress.
type check struct {
	program    string // this one
	home       string // folder of it and the other binaries
	work       string // folder of records and suites
	removeWork func()
	out        string // folder of the results
	began      time.Time
	cards      []*os.File // kept open: see keepAwake
	results    Results

	hasTorch bool // python3 has a PyTorch that finds the card
}

// newCheck makes the folders, and tries whether results can be written.
func newCheck(out string, tiny bool) (*check, error) {
	program, programErr := os.Executable()
	files, filesErr := suiteFiles(tiny)
	if err := errors.Join(programErr, filesErr, atomicfile.Root(out).Probe()); err != nil {
		return nil, err
	}
	work, remove, err := atomicfile.Scratch()
	if err != nil {
		return nil, err
	}
	c := &check{program: program, home: filepath.Dir(program), work: work, removeWork: remove, out: out, began: time.Now()}
	c.results.Date, c.results.Tiny = c.began.UTC().Format(time.DateOnly), tiny
	return c, errors.Join(c.setCaches(), os.CopyFS(work, files))
}

// pick returns tiny for an emulated card, which is too slow for a full check.
func (c *check) pick(full, tiny string) string {
	if c.results.Tiny {
		return tiny
	}
	return full
}

// setCaches has the driver, PyTorch and its compiler keep what they compile
// for all programs of the check, outside of the user's home folder.
func (c *check) setCaches() error {
	err := os.Setenv("CUDA_CACHE_DISABLE", "0")
	for _, name := range []string{"CUDA_CACHE_PATH", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR"} {
		dir := filepath.Join(c.work, strings.ToLower(name))
		err = errors.Join(err, os.Mkdir(dir, 0o755), os.Setenv(name, dir))
	}
	return err
}

// save writes the results so far.
func (c *check) save() error {
	var err error
	if c.results.Goals, err = reach(c.results.Times); err != nil {
		return err
	}
	data, err := json.MarshalIndent(c.results, "", "  ")
	if err != nil {
		return err
	}
	out := atomicfile.Root(c.out)
	return errors.Join(out.Write(c.path()+".json", append(data, '\n')), out.Write(c.path()+".md", c.results.markdown()))
}

// path is the path of the results without extension.
func (c *check) path() string {
	return filepath.Join(c.out, fileName(c.results.Facts.Card)+"-"+c.results.Date)
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// fileName is the card's name without its driver's, as a part of a file's.
func fileName(card string) string {
	name, _, _ := strings.Cut(card, ",")
	return strings.Trim(notInNames.ReplaceAllString(strings.ToLower(name), "-"), "-")
}

// findingTakes is the limit of finding the card and compiling all kernels for it.
const findingTakes = 90 * time.Second

// findCard describes the card. The program that looks for it leaves the
// compiled kernels in the driver's cache, for those that follow.
func (c *check) findCard(ctx context.Context) error {
	c.keepAwake()
	var card []byte
	err := within(ctx, c.limit(findingTakes), func(ctx context.Context) (err error) {
		card, err = output(ctx, c.work, c.program, "-measure", "card")
		return err
	})
	if err != nil {
		return err
	}
	c.results.Facts = Facts{
		Card: string(bytes.TrimSpace(card)), Machine: harness.Machine(devices.Target{}), Code: harness.CodeVersion(),
		PTX: kernelsHash(), NvidiaSMI: nvidiaSMI(ctx),
	}
	if err := c.resume(); err != nil {
		return err
	}
	c.add(Step{Name: "kernels are compiled", Outcome: passed, Seconds: time.Since(c.began).Seconds()})
	return nil
}

// resume takes over the results of an earlier check of the same kernels, on the
// same card and day, if there are any: what passed then is not done again.
func (c *check) resume() error {
	var earlier Results
	switch err := earlier.read(c.path() + ".json"); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	if earlier.Tiny != c.results.Tiny || earlier.Facts.Card != c.results.Facts.Card || earlier.Facts.PTX != c.results.Facts.PTX {
		return fmt.Errorf("%s.json is of another check, card or kernels: move it, or choose another -out", c.path())
	}
	if earlier.Facts.Code != c.results.Facts.Code {
		c.results.Facts.Code += ", before " + earlier.Facts.Code
	}
	c.results.Steps, c.results.Times, c.results.Agreement = earlier.Steps, earlier.Times, earlier.Agreement
	return nil
}

// keepAwake opens the cards' files until the program ends. Unless a driver is
// persistent, it resets a card that no program has open, and takes seconds to
// initialise it for the next one.
func (c *check) keepAwake() {
	cards, _ := filepath.Glob("/dev/nvidia[0-9]*")
	for _, card := range cards {
		if file, err := os.OpenFile(card, os.O_RDWR, 0); err == nil { // else all takes a little longer
			c.cards = append(c.cards, file)
		}
	}
}

// kernelsHash is the first 12 digits of the SHA-256 of all kernels.
func kernelsHash() string {
	h := sha256.New()
	files, _ := fs.Glob(cuda.Modules, "*.ptx") // what is in the program can be read
	for _, file := range files {
		ptx, _ := cuda.Modules.ReadFile(file)
		h.Write(ptx)
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

const smiQuery = "driver_version,clocks.sm,clocks.max.sm,clocks.mem,clocks.max.mem,power.draw,power.limit,temperature.gpu,mig.mode.current"

// nvidiaSMI is clocks and the like on one line, empty without nvidia-smi.
func nvidiaSMI(ctx context.Context) string {
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	out, err := output(ctx, "", "nvidia-smi", "--id=0", "--query-gpu="+smiQuery, "--format=csv")
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(string(bytes.TrimSpace(out)), "\n", ": ")
}
