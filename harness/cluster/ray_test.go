package cluster

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// rayJob returns a job whose program is a shell script.
func rayJob(t *testing.T, script string, tasks int) *Job {
	t.Helper()
	dir := t.TempDir()
	j := &Job{Folder: dir, Name: "test", Dir: dir, Program: filepath.Join(dir, "bench"), Options: DefaultOptions()}
	if err := os.WriteFile(j.Program, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= tasks; n++ {
		j.Tasks = append(j.Tasks, Task{Number: n, Need: Need{Cores: 1}, Last: n == tasks})
	}
	return j
}

func raySubmit(t *testing.T, e Engine, j *Job) {
	t.Helper()
	ids, err := e.Submit(t.Context(), j, j.Tasks)
	if err != nil {
		t.Fatal(err)
	}
	s := Submission{IDs: ids}
	for _, task := range j.Tasks {
		s.Tasks = append(s.Tasks, task.Number)
	}
	j.Submissions = append(j.Submissions, s)
}

func rayServer(t *testing.T, answer http.HandlerFunc) *rayEngine {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	o := DefaultOptions()
	o.Ray.Address = s.URL
	e, err := newRay(o)
	if err != nil {
		t.Fatal(err)
	}
	r := e.(*rayEngine)
	r.pause, r.patience, r.client.Timeout = time.Millisecond, 200*time.Millisecond, 50*time.Millisecond
	return r
}

func TestRayErrors(t *testing.T) {
	const secret = "s3cret-of-the-test"
	t.Setenv("RAY_AUTH_TOKEN", secret)
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"401": {func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, r.Header.Get("Authorization"), http.StatusUnauthorized)
		}, "variable RAY_AUTH_TOKEN"},
		"500": {func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, r.Header.Get("Authorization"), http.StatusInternalServerError)
		}, "of Ray at http://127"},
		"404":  {http.NotFound, "is no dashboard of Ray"},
		"HTML": {func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<html>") }, "is no dashboard of Ray"},
		"slow": {func(w http.ResponseWriter, r *http.Request) { time.Sleep(100 * time.Millisecond) }, "of Ray at http://127"},
	} {
		j := rayJob(t, "", 2)
		_, err := rayServer(t, c.answer).Submit(t.Context(), j, j.Tasks)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v, expected %q and no token", name, err, c.want)
		}
	}
	o := DefaultOptions()
	o.Ray.Address = "http://192.0.2.1:8265"
	if _, err := newRay(o); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("a token over http to another host: %v", err)
	}
}

func TestRayLost(t *testing.T) {
	const secret = "s3cret-of-the-test"
	t.Setenv("RAY_AUTH_TOKEN", secret)
	tries := 0
	e := rayServer(t, func(w http.ResponseWriter, r *http.Request) {
		if tries++; tries == 1 {
			http.Error(w, "not yet", 500)
		} else if r.Header.Get("Authorization") != "Bearer "+secret {
			t.Error("no token")
		} else if r.URL.Path == "/api/version" {
			fmt.Fprint(w, `{"version": "4", "ray_version": "2.60.0"}`)
		} else if r.Method == http.MethodGet {
			http.NotFound(w, r)
		}
	})
	j := rayJob(t, "", 2)
	raySubmit(t, e, j)
	states, err := e.States(t.Context(), j)
	if err != nil || states[1].Phase != Failed || !strings.Contains(states[1].Reason, "head") {
		t.Errorf("%v, %v, expected failed tasks of a head that started anew", states, err)
	}
	if found, _ := exec.Command("grep", "-r", secret, j.Folder).Output(); len(found) > 0 {
		t.Errorf("the token is in %s", found)
	}
}

// realRay returns the engine of the Ray of scripts/ray-here.
func realRay(t *testing.T) Engine {
	t.Helper()
	python, address := os.Getenv("DGSBENCH_RAY"), os.Getenv("RAY_ADDRESS_HTTP")
	if python == "" || address == "" {
		t.Skip("DGSBENCH_RAY names no Python with ray, or RAY_ADDRESS_HTTP no Ray: see scripts/ray-here")
	}
	o := DefaultOptions()
	o.Ray.Address, o.Ray.Python = address, python
	e, err := newRay(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestRayReal runs tasks on the Ray of scripts/ray-here.
func TestRayReal(t *testing.T) {
	e := realRay(t)
	j := rayJob(t, `cd "$2"
trap 'echo $3 >> term; exit 0' TERM
echo "$3 $$ $DGSBENCH_NODE" >> started
[ $3 != 2 ] || [ -e again ] || { touch again; exit 75; }
[ $3 != 3 ] || exit 7
sleep ${SECONDS_EACH:-2} & wait
echo $3 >> ended
`, 9)
	began := time.Now()
	raySubmit(t, e, j)
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	states, killed, first := map[int]State{}, time.Time{}, false
	for over := 0; over < len(j.Tasks); time.Sleep(200 * time.Millisecond) {
		var err error
		if states, err = e.States(ctx, j); err != nil {
			t.Fatal(err)
		}
		over = 0
		for s := range maps.Values(states) {
			if s.Phase == Done || s.Phase == Failed {
				over++
			}
			if s.Phase == Running && !first {
				first = true
				t.Logf("first task seen running after %.1f s", time.Since(began).Seconds())
			}
			if s.Node == "127.0.0.2" && killed.IsZero() {
				killed = time.Now()
				if out, err := exec.Command("ray-here-kill").CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
		}
	}
	t.Logf("all over %.1f s after the kill", time.Since(killed).Seconds())
	for n, s := range states {
		if want := map[bool]Phase{true: Failed, false: Done}[n == 3]; s.Phase != want {
			t.Errorf("task %d: %+v, expected %s", n, s, want)
		}
	}
	ended, _ := os.ReadFile(filepath.Join(j.Folder, "ended"))
	started, _ := os.ReadFile(filepath.Join(j.Folder, "started"))
	t.Logf("started:\n%s", started)
	if killed.IsZero() || !strings.HasSuffix(string(ended), "\n9\n") || strings.Count(string(started), "\n") < 10 {
		t.Errorf("ended: %q, expected 9 last and a retry", ended)
	}
	for line := range strings.Lines(string(started)) {
		var number, pid int
		fmt.Sscan(line, &number, &pid)
		if p, err := os.FindProcess(pid); err == nil && p.Signal(syscall.Signal(0)) == nil {
			t.Errorf("task %d still runs as process %d", number, pid)
		}
	}
}

// TestRayCancel cancels tasks that run on the Ray of scripts/ray-here.
func TestRayCancel(t *testing.T) {
	e := realRay(t)
	j := rayJob(t, `cd "$2"
trap 'echo $3 >> term; exit 0' TERM
echo "$3 $$" >> started
sleep 60 & wait
`, 3)
	raySubmit(t, e, j)
	until := func(what, file string) string {
		for range 200 {
			data, _ := os.ReadFile(filepath.Join(j.Folder, file))
			if len(data) > 0 {
				return string(data)
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Fatalf("%s not within 20 s", what)
		return ""
	}
	until("a task started", "started")
	time.Sleep(time.Second)
	began := time.Now()
	if err := e.Cancel(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	until("TERM", "term")
	t.Logf("TERM %.1f s after Cancel", time.Since(began).Seconds())
	time.Sleep(3 * time.Second)
	for line := range strings.Lines(until("", "started")) {
		var number, pid int
		fmt.Sscan(line, &number, &pid)
		if p, err := os.FindProcess(pid); err == nil && p.Signal(syscall.Signal(0)) == nil {
			t.Errorf("task %d still runs as process %d", number, pid)
		}
	}
	states, err := e.States(t.Context(), j)
	if err != nil || states[1].Phase != Failed || states[3].Phase != Failed {
		t.Errorf("%v, %v, expected failed tasks", states, err)
	}
	t.Log(states)
}
