package external

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"dgsbench/internal/strictyaml"
	"dgsbench/models"
	"dgsbench/protocol"
)

// Options of an external model.
type Options struct {
	// Command is the program and its arguments, without a shell.
	Command []string `yaml:"command"`
	// Model is handed on to the process.
	Model strictyaml.Node `yaml:"model,omitempty"`
	// Limit is how many seconds an answer may take, beside what its size allows.
	Limit float64 `yaml:"limit"`
	// Files are part of the program: their contents are part of the identity of
	// a trial, as are those of files that Command names.
	Files []string `yaml:"files"`
	// Revision is any text that is part of it, too: for what is no file.
	Revision string `yaml:"revision"`

	declared `yaml:",inline"`
	contents map[string]string // SHA-256 of files
}

// declared is what a spec says that the models can do. Their greeting says the same.
type declared struct {
	Tasks         []protocol.Task `yaml:"tasks"`
	Features      string          `yaml:"features"`
	Class         protocol.Class  `yaml:"class"`
	LogOdds       bool            `yaml:"log_odds"`
	Deterministic bool            `yaml:"deterministic"`
}

// classes are those that external models can have.
var classes = []protocol.Class{protocol.Learned, protocol.ZeroParameter}

func init() {
	models.Register(models.Kind{
		Name: "external", Class: protocol.Learned, Memory: true, Features: models.FeaturesOptional,
		Tasks:   []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction},
		Options: func() models.Options { return Defaults() },
		For:     func(k models.Kind, o models.Options) models.Kind { return o.(*Options).kind(k) },
		Probe:   probe,
		New:     func(s models.Setup, o models.Options) (models.Model, error) { return New(s, o.(*Options)) },
	})
}

// Defaults are options without a command.
func Defaults() *Options {
	return &Options{Limit: 60, declared: declared{
		Tasks:    []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction},
		Features: featureWords[models.FeaturesOptional], Class: protocol.Learned,
	}}
}

// kind returns the kind with what the options declare.
func (o *Options) kind(k models.Kind) models.Kind {
	k.Class, k.Tasks, k.LogOdds, k.Deterministic = o.Class, o.Tasks, o.LogOdds, o.Deterministic
	k.Features = models.FeatureUse(slices.Index(featureWords, o.Features))
	return k
}

// Validate returns an error for the first value that is out of range, and reads the
// files that results depend on.
func (o *Options) Validate() error {
	tasks := []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction}
	wrong := slices.ContainsFunc(o.Tasks, func(t protocol.Task) bool { return !slices.Contains(tasks, t) })
	if err := cmp.Or(
		models.Expect(len(o.Command) > 0 && !slices.Contains(o.Command, ""), "command", fmt.Sprintf("%q", o.Command), "a program and its arguments"),
		models.InRange("limit", o.Limit, .1, 1e6),
		models.Expect(len(o.Tasks) > 0 && !wrong, "tasks", o.Tasks, "nc, lp or both"),
		models.OneOf("features", o.Features, featureWords...),
		models.OneOf("class", o.Class, classes...),
	); err != nil {
		return err
	}
	if _, err := o.options(); err != nil {
		return models.Expect(false, "model", "no JSON", err.Error())
	}
	o.contents = map[string]string{}
	for _, word := range o.Command {
		if info, err := os.Stat(word); err == nil && info.Mode().IsRegular() {
			o.contents[word], _ = sum(word) // starting it says why it cannot be read
		}
	}
	for _, name := range o.Files {
		text, err := sum(name)
		if err != nil {
			return models.Expect(false, "files", fmt.Sprintf("%q", name), fmt.Sprintf("files that can be read (%v)", err))
		}
		o.contents[name] = text
	}
	return nil
}

// sum returns the SHA-256 of a file, in hex.
func sum(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", cmp.Or(err, fmt.Errorf("%s is no regular file", name))
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Identity returns the checksums of the program's files, by name.
func (o *Options) Identity() map[string]string { return o.contents }

// options returns Model as JSON.
func (o *Options) options() (json.RawMessage, error) {
	value, err := o.Model.Value()
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// differs says what is declared otherwise than by the process, or nothing.
func (d declared) differs(found declared) string {
	var out []string
	say := func(option string, declared, found any, same bool) {
		if !same {
			out = append(out, fmt.Sprintf("%s %v, and the spec %v: options: {%s: %v}", option, found, declared, option, found))
		}
	}
	missing := slices.ContainsFunc(d.Tasks, func(t protocol.Task) bool { return !slices.Contains(found.Tasks, t) })
	list := func(tasks []protocol.Task) string { return strings.ReplaceAll(fmt.Sprint(tasks), " ", ", ") }
	say("tasks", list(d.Tasks), list(found.Tasks), !missing)
	say("features", d.Features, found.Features, d.Features == found.Features)
	say("class", d.Class, found.Class, d.Class == found.Class)
	say("log_odds", d.LogOdds, found.LogOdds, d.LogOdds == found.LogOdds)
	say("deterministic", d.Deterministic, found.Deterministic, d.Deterministic == found.Deterministic)
	if len(out) == 0 {
		return ""
	}
	return "its greeting says " + strings.Join(out, "; it says ")
}
