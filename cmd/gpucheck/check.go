//go:build gpu

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"dgsbench/harness"
	"dgsbench/internal/atomicfile"
	"dgsbench/kernels/devices"
)

//go:embed suites
var suites embed.FS

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
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return nil, err
	}
	if err := atomicfile.Root(out).Probe(); err != nil {
		return nil, err
	}
	work, remove, err := atomicfile.Scratch()
	if err != nil {
		return nil, err
	}
	c := &check{program: program, home: filepath.Dir(program), work: work, removeWork: remove, out: out, began: time.Now()}
	c.results.Date, c.results.Tiny = c.began.UTC().Format(time.DateOnly), tiny
	files, err := fs.Sub(suites, "suites/"+c.pick("full", "tiny"))
	if err != nil {
		return nil, err
	}
	return c, errors.Join(c.setCaches(), os.CopyFS(work, files))
}

// pick is the first of two for a full check, else the second: an emulated card
// is too slow for everything.
func (c *check) pick(full, tiny string) string {
	if c.results.Tiny {
		return tiny
	}
	return full
}

// setCaches has the driver, PyTorch and its compiler keep what they compile
// for all programs of the check. Nobody needs a home folder that can be written
// to.
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
	data, err := c.results.json()
	if err != nil {
		return err
	}
	out := atomicfile.Root(c.out)
	return errors.Join(out.Write(c.path()+".json", data), out.Write(c.path()+".md", c.results.markdown()))
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

// findingTakes is how long it may take to find the card and compile all
// kernels for it.
const findingTakes = 90 * time.Second

// findCard describes the card. The program that looks for it leaves the
// compiled kernels in the driver's cache, for those that follow.
func (c *check) findCard(ctx context.Context) error {
	c.keepAwake()
	var card string
	err := within(ctx, c.limit(findingTakes), func(ctx context.Context) error {
		out, err := output(ctx, c.work, c.program, "-measure", "card")
		card = strings.TrimSpace(string(out))
		return err
	})
	if err != nil {
		return err
	}
	c.results.Facts = Facts{
		Card: card, Machine: harness.Machine(devices.Target{}), Code: harness.CodeVersion(),
		PTX: hashOf(filepath.Join(c.home, "kernels", "cuda", "*.ptx")), NvidiaSMI: nvidiaSMI(ctx),
	}
	c.add(Step{Name: "kernels are compiled", Outcome: passed, Seconds: time.Since(c.began).Seconds()})
	return nil
}

// keepAwake opens the cards' files until the program ends. A driver that is not
// told to be persistent puts a card to sleep that no program has open, and takes
// seconds to wake it for the next one.
func (c *check) keepAwake() {
	cards, _ := filepath.Glob("/dev/nvidia[0-9]*")
	for _, card := range cards {
		if file, err := os.OpenFile(card, os.O_RDWR, 0); err == nil { // else all takes a little longer
			c.cards = append(c.cards, file)
		}
	}
}

// hashOf is the first 12 digits of the SHA-256 of the files, in the order of
// their names; "unknown" without any.
func hashOf(pattern string) string {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		return "unknown"
	}
	h := sha256.New()
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return "unknown"
		}
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// smiQuery is what nvidia-smi is asked for.
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
