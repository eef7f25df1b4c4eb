package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestReadJob: what is written is read again, by its folder and among all jobs.
func TestReadJob(t *testing.T) {
	j := following(t, "", 2)
	j.Command, j.Code, j.Paths = []string{"run", "a suite"}, "v1", []string{j.Dir}
	j.Created = time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	j.Tasks[1].Last, j.Tasks[1].Need = true, Need{Cores: 2, Memory: 1 << 33, Cards: 1, Exclusive: true}
	j.Submissions = []Submission{{IDs: []string{"17", "18"}, Tasks: []int{1, 2}, At: j.Created}}
	if err := j.Write(); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(j.Folder); err != nil || !reflect.DeepEqual(got, j) {
		t.Errorf("%+v, %v, expected %+v", got, err, j)
	}
	all, err := Jobs(j.Dir)
	if err != nil || len(all) != 1 || !reflect.DeepEqual(all[0], j) {
		t.Errorf("%+v, %v", all, err)
	}
	if all, err := Jobs(t.TempDir()); err != nil || len(all) != 0 {
		t.Errorf("a folder without jobs: %+v, %v", all, err)
	}
	for number, want := range map[int]Kind{0: Probe, 1: Trials, 2: Trials, -1: "", 3: ""} {
		if task, err := j.Task(number); task.Kind != want || (err == nil) != (want != "") || err == nil && task.Number != number {
			t.Errorf("task %d: %+v, %v", number, task, err)
		}
	}
}

// TestReports: a task without a report has an empty one, and a damaged one is an
// error that names it.
func TestReports(t *testing.T) {
	j := following(t, "", 1)
	if r, err := j.Report(1); err != nil || !reflect.DeepEqual(r, Report{}) {
		t.Errorf("%+v, %v", r, err)
	}
	want := Report{Node: "n", Started: time.Unix(1, 0).UTC(), Attempts: 2, Measured: []Measured{{Key: "a", Error: "no loss"}}, Failed: 1, Share: .5, Again: true}
	if err := j.WriteReport(1, want); err != nil {
		t.Fatal(err)
	}
	if r, err := j.Report(1); err != nil || !reflect.DeepEqual(r, want) {
		t.Errorf("%+v, %v, expected %+v", r, err, want)
	}
	if err := os.WriteFile(j.reportFile(1), []byte(`{"node": `), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Status(t.Context(), said{}); err == nil || !strings.Contains(err.Error(), j.reportFile(1)) {
		t.Errorf("%v, expected %s", err, j.reportFile(1))
	}
}

// TestOver: a task is over if it has ended, with nothing left and no error.
func TestOver(t *testing.T) {
	now := time.Unix(1, 0)
	for want, all := range map[bool][]Report{
		true:  {{Ended: now}},
		false: {{}, {Started: now}, {Ended: now, Again: true}, {Ended: now, Error: "no space"}},
	} {
		for _, r := range all {
			if r.Over() != want {
				t.Errorf("%+v is over: %v", r, !want)
			}
		}
	}
}

// TestStatusLeft: nobody knows how long it takes while nothing runs.
func TestStatusLeft(t *testing.T) {
	j := following(t, "", 3)
	j.Tasks[2].Last = true // which is no part of the work
	for name, c := range map[string]struct {
		states      said
		left, share float64
		alive       bool
	}{
		"all wait":   {said{1: {Phase: Waiting}, 2: {Phase: Waiting}}, -1, 0, true},
		"one runs":   {said{1: {Phase: Running}, 2: {Phase: Waiting}}, 20, 0, true},
		"two run":    {said{1: {Phase: Running}, 2: {Phase: Running}}, 10, 0, true},
		"none there": {said{}, -1, 0, false},
	} {
		j.Tasks[0].Seconds, j.Tasks[1].Seconds = 10, 10
		s, err := j.Status(t.Context(), c.states)
		if err != nil || s.Left != c.left || s.Share != c.share || s.Alive() != c.alive {
			t.Errorf("%s: %g s left, %g done, alive %v, %v", name, s.Left, s.Share, s.Alive(), err)
		}
	}
	for n := 1; n <= 2; n++ {
		if err := j.WriteReport(n, Report{Started: time.Unix(1, 0), Ended: time.Unix(3, 0)}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := j.Status(t.Context(), said{2: {Phase: Running}}) // it has reported, and is about to end
	if err != nil || s.Left != 0 || s.Share != 1 || s.Tasks[1].Phase != Done || s.Tasks[1].Spent != 2 {
		t.Errorf("%+v, %v", s, err)
	}
	if data, err := json.Marshal(s); err != nil || !strings.Contains(string(data), `"trials_done":2`) {
		t.Errorf("%s, %v", data, err)
	}
}

// TestLastLines: the last five lines of a log, however long it is.
func TestLastLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	if got := lastLines(file); got != "" {
		t.Errorf("no file: %q", got)
	}
	for text, want := range map[string]string{
		"":                               "",
		"\n \n":                          "",
		"a":                              "    a",
		"1\n2\n3\n4\n5\n6\n\n":           "    2\n    3\n    4\n    5\n    6",
		strings.Repeat("x\n", 1e4) + "y": "    x\n    x\n    x\n    x\n    y",
	} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := lastLines(file); got != want {
			t.Errorf("%.20q: %q, expected %q", text, got, want)
		}
	}
}

// TestRunOrder: records are told once and in their order, also those of tasks that are
// lost amid them and submitted again.
func TestRunOrder(t *testing.T) {
	j := following(t, `
echo run >>"$folder/runs.$number"
runs=$(wc -l <"$folder/runs.$number")
keys= comma=
for i in 1 2 3 4 5 6; do
	keys="$keys$comma{\"key\": \"$number.$i\"}" comma=,
	report "\"measured\": [$keys]"
	[ $i != $((runs * 2)) ] || [ $runs = 3 ] || kill -KILL $$
done
report "$over, \"measured\": [$keys]"
`, 2)
	f, err := runJob(t, j)
	if err != nil || len(f.again) < 2 {
		t.Fatalf("%+v, %v", f, err)
	}
	for n := 1; n <= 2; n++ {
		var got, want []string
		for i := range 6 {
			want = append(want, fmt.Sprint(n, ".", i+1))
		}
		for _, key := range f.measured {
			if strings.HasPrefix(key, fmt.Sprint(n, ".")) {
				got = append(got, key)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("task %d: %v, expected %v", n, got, want)
		}
		if submitted := j.submitted(n); submitted != 3 {
			t.Errorf("task %d was submitted %d times, expected 3", n, submitted)
		}
	}
}

// leaving is an engine whose tasks go on without the process that has submitted them.
type leaving struct {
	Engine
	submitted int
}

func (l *leaving) Submit(ctx context.Context, j *Job, tasks []Task) ([]string, error) {
	l.submitted++
	return l.Engine.Submit(ctx, j, tasks)
}

// TestRunAgain: who stops waiting leaves the tasks to the engine, and the next one
// waits for them and submits nothing.
func TestRunAgain(t *testing.T) {
	j := following(t, `while [ ! -e "$folder/go" ]; do sleep .02; done; report "$over"`, 2)
	own, err := newLocal(j.Options)
	if err != nil {
		t.Fatal(err)
	}
	e := &leaving{Engine: own}
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	var f followed
	if err := j.Run(ctx, e, f.hooks()); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "the tasks go on") {
		t.Errorf("%v, expected that the tasks go on", err)
	}
	again, err := Read(j.Folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(j.Folder, "go"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := again.Run(t.Context(), e, f.hooks()); err != nil || e.submitted != 1 || f.share != 1 {
		t.Errorf("%v, %d submissions, %+v", err, e.submitted, f)
	}
}

// TestAskCancelled: who stops asking leaves no probe.
func TestAskCancelled(t *testing.T) {
	j := following(t, `echo $$ >"$folder/new"; mv "$folder/new" "$folder/pid.$number"; exec sleep 100`, 1)
	e, err := newLocal(j.Options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	go func() {
		for !j.anyRuns(t) {
			time.Sleep(10 * time.Millisecond)
		}
		stop(errors.New("enough"))
	}()
	if _, err := j.Ask(ctx, e); err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("%v, expected the cause", err)
	}
	if j.anyRuns(t) {
		t.Error("the probe still runs")
	}
}

// TestLocalAlone: a task that takes its node alone has it, also beside tasks that were
// submitted again.
func TestLocalAlone(t *testing.T) {
	j := following(t, `
mkdir "$folder/alone" || echo "$number is not alone" >>"$folder/beside"
sleep .1
rmdir "$folder/alone"
report "$over"
`, 3)
	for i := range j.Tasks {
		j.Tasks[i].Need.Exclusive = true
	}
	e, err := newLocal(j.Options)
	if err != nil {
		t.Fatal(err)
	}
	for _, tasks := range [][]Task{j.Tasks[:2], j.Tasks[2:]} {
		if err := j.submit(t.Context(), e, tasks); err != nil {
			t.Fatal(err)
		}
	}
	var f followed
	if err := j.Run(t.Context(), e, f.hooks()); err != nil {
		t.Fatal(err)
	}
	if beside, err := os.ReadFile(filepath.Join(j.Folder, "beside")); err == nil {
		t.Errorf("%s", beside)
	}
}
