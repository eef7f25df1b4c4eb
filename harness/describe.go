package harness

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"dgsbench/datasets"
	"dgsbench/kernels/devices"
	"dgsbench/metrics"
	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// Describe returns the record of a trial with what is known before it is run.
func Describe(t specs.Trial, l *datasets.Loaded, on devices.Target) record.Record {
	return record.Record{
		Key: results.KeyOf(t), Identity: t.Identity(l.SHA256, Numerics, on.Name()), Numerics: Numerics,
		Spec: t.JSON(), Origins: t.OriginsJSON(), DataChecksum: l.SHA256, CodeVersion: CodeVersion(), Machine: Machine(on), Device: on.Name(),
		ModelClass: t.Kind.Class, ModelTitle: t.Title,
		LogOdds:      t.Kind.LogOdds && t.Task == protocol.NodeClassification && !t.IsLatency(),
		DatasetTitle: l.Dataset.Title, PaperName: l.Dataset.PaperName,
		Footnotes: l.Dataset.Notes, Data: dataOf(l), FirstEvaluation: t.Evaluations()[0], Evaluations: append([]string(nil), t.Evaluations()[1:]...), BestEpoch: -1,
	}
}

// dataOf returns what a record says of the events it was measured on.
func dataOf(l *datasets.Loaded) *record.Data {
	s := l.Stream
	counts := s.Counts()
	d := &record.Data{
		Nodes: counts.Nodes, Users: counts.Users, Events: counts.Events, Features: counts.Features, Positives: counts.Positives,
	}
	for _, label := range s.Label {
		if label != datasets.Unlabelled {
			d.Labelled++
		}
	}
	if s.Len() > 0 {
		d.Duration = s.Time[s.Len()-1] - s.Time[0]
	}
	begin := 0
	for _, end := range []int{l.Split.TrainEnd, l.Split.ValEnd, s.Len()} {
		part := s.Slice(begin, end)
		p := record.DataPart{Events: part.Len(), Positives: part.Counts().Positives}
		if d.Labelled > 0 {
			p.Days = metrics.DaysOf(part.Time, s.Time)
		}
		d.Parts = append(d.Parts, p)
		begin = end
	}
	return d
}

// DescribeModel sets what a record says of the model itself.
func DescribeModel(rec *record.Record, m models.Model) {
	rec.NumParams = m.NumParams()
	factual, ok := m.(models.Factual)
	if !ok {
		return
	}
	facts := factual.Facts()
	rec.StateSize, rec.Forgetting = facts.State, facts.Forgetting
	for _, p := range facts.Parameters {
		rec.Parameters = append(rec.Parameters, record.ParameterPart{Part: p.Part, Count: p.Params, Head: p.Part == models.HeadPart})
	}
}

// Machine describes where a trial ran: processor, cores, system, Go, level of the kernels.
func Machine(on devices.Target) string {
	return fmt.Sprintf("%s, %d cores, %s/%s, %s, %s", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), on.Level())
}

// processor returns the model name that Linux reports, else "processor unknown".
func processor() string {
	info, _ := os.ReadFile("/proc/cpuinfo") // empty elsewhere
	for line := range strings.Lines(string(info)) {
		if key, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "processor unknown"
}

// commit is set by the linker (-X dgsbench/harness.commit) where sources are built
// without their repository.
var commit string

// CodeVersion returns the commit that the program was built from, with "+dirty"
// after changes that were not committed, or "unknown". `go run` stamps nothing:
// there it is the commit that is checked out.
var CodeVersion = sync.OnceValue(func() string {
	version := commit
	if info, ok := debug.ReadBuildInfo(); ok && version == "" {
		version = stamped(info.Settings)
	}
	if program, err := os.Executable(); version == "" && err == nil && madeByGoRun(program) {
		version = checkedOut(".")
	}
	return cmp.Or(version, "unknown")
})

// stamped returns the version that `go build` wrote into the program, or "".
func stamped(settings []debug.BuildSetting) string {
	values := map[string]string{}
	for _, s := range settings {
		values[s.Key] = s.Value
	}
	version := values["vcs.revision"]
	if version != "" && values["vcs.modified"] == "true" {
		version += "+dirty"
	}
	return version
}

// madeByGoRun reports whether `go run` built the program.
func madeByGoRun(program string) bool {
	dir, name := filepath.Split(program)
	return strings.Contains(dir, "go-build") && strings.TrimSuffix(name, ".exe") == "bench"
}

// checkedOut returns the commit of the folder, with "+dirty" after changes, or "".
func checkedOut(dir string) string {
	cmd := exec.Command("git", "describe", "--always", "--exclude=*", "--abbrev=40", "--dirty=+dirty") // no tag
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(out))
}
