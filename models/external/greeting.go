package external

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"time"

	"dgsbench/models"
	"dgsbench/protocol"

	"golang.org/x/sync/errgroup"
)

// Verbs of requests. Every process answers build, observe and reset.
const (
	verbTraining   = "training"
	verbBuild      = "build"
	verbTrain      = "train"
	verbClassify   = "classify"
	verbRank       = "rank"
	verbScore      = "score"
	verbCandidates = "candidates"
	verbObserve    = "observe"
	verbLearn      = "learn"
	verbReset      = "reset"
	verbSnapshot   = "snapshot"
	verbRestore    = "restore"
)

// Greeting is what a process says first: what it can do.
type Greeting struct {
	Version       int             `json:"dgsbench"`
	Tasks         []protocol.Task `json:"tasks"`
	Features      string          `json:"features"` // one of featureWords
	Class         protocol.Class  `json:"class,omitempty"`
	LogOdds       bool            `json:"log_odds,omitempty"`
	Deterministic bool            `json:"deterministic,omitempty"`
	Training      bool            `json:"training,omitempty"`
	Verbs         []string        `json:"verbs"`
}

// featureWords are the words for models.FeatureUse.
var featureWords = []string{models.FeaturesIgnored: "ignored", models.FeaturesOptional: "optional", models.FeaturesRequired: "required"}

// check returns an error for a greeting that no process of this version has.
func (g *Greeting) check() error {
	if g.Version != Version {
		return fmt.Errorf("its greeting has the version %d of the protocol as dgsbench, expected %d", g.Version, Version)
	}
	g.Class = cmp.Or(g.Class, protocol.Learned)
	wrong := func(key string, value any, expected string) error {
		return fmt.Errorf("its greeting has %v as %s, expected %s", value, key, expected)
	}
	for _, t := range g.Tasks {
		if t != protocol.NodeClassification && t != protocol.LinkPrediction {
			return wrong("tasks", g.Tasks, "nc, lp or both")
		}
	}
	switch {
	case len(g.Tasks) == 0:
		return wrong("tasks", "none", "nc, lp or both")
	case !slices.Contains(featureWords, g.Features):
		return wrong("features", fmt.Sprintf("%q", g.Features), strings.Join(featureWords, ", "))
	case !slices.Contains(classes, g.Class):
		return wrong("class", fmt.Sprintf("%q", g.Class), fmt.Sprint(classes))
	}
	return nil
}

// offers reports whether the process answers the verb.
func (g Greeting) offers(verb string) bool { return slices.Contains(g.Verbs, verb) }

// declared returns what the process says it can do, as options of a spec.
func (g Greeting) declared() declared {
	return declared{g.Tasks, g.Features, g.Class, g.LogOdds, g.Deterministic}
}

// fits returns an error unless the process can do what the spec declares and the setup needs.
func (g Greeting) fits(d declared, s models.Setup) error {
	if text := d.differs(g.declared()); text != "" {
		return errors.New(text)
	}
	needs := map[string]string{}
	for _, n := range []struct {
		verb, why string
		needed    bool
	}{
		{verbTrain, "a model of class learned is trained", g.Class == protocol.Learned},
		{verbClassify, "node classification asks for scores", s.Task == protocol.NodeClassification},
		{verbSnapshot, s.Snapshots, s.Snapshots != ""},
		{verbRestore, s.Snapshots, s.Snapshots != ""},
	} {
		if n.needed && !g.offers(n.verb) {
			needs[n.verb] = n.why
		}
	}
	if s.Task == protocol.LinkPrediction && !g.offers(verbRank) && !g.offers(verbScore) {
		needs["rank or score"] = "link prediction asks for ranks"
	}
	var missing []string
	for verb, why := range needs {
		missing = append(missing, fmt.Sprintf("%s (%s)", verb, why))
	}
	if slices.Sort(missing); len(missing) > 0 {
		return fmt.Errorf("its greeting does not offer %s", strings.Join(missing, ", "))
	}
	return nil
}

// probe starts each program once, and returns an error unless all can do what is
// declared of them and setups need.
func probe(all iter.Seq2[models.Setup, models.Options]) error {
	checks := map[string][]func(Greeting) error{}
	commands := map[string][]string{}
	for s, o := range all {
		o := o.(*Options)
		command := strings.Join(o.Command, "\x00")
		commands[command] = o.Command
		checks[command] = append(checks[command], func(g Greeting) error { return g.fits(o.declared, s) })
	}
	var group errgroup.Group
	group.SetLimit(runtime.NumCPU())
	for id, command := range commands {
		group.Go(func() error {
			p, g, err := start(command, 1, time.Minute, "")
			if err != nil {
				return err
			}
			defer p.close()
			for _, check := range checks[id] {
				if err := check(g); err != nil {
					return fmt.Errorf("%s: %w", p.command, err)
				}
			}
			return nil
		})
	}
	return group.Wait()
}
