package cli

import (
	"bytes"
	"fmt"
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

// fetching is bench in a process of its own, in which the dataset "served" is
// on the test's server.
func fetching(srv *httptest.Server, args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	cmd, stdout, stderr = process(args...)
	cmd.Env = append(cmd.Env, served+"="+srv.URL)
	return cmd, stdout, stderr
}

// TestFetchAndVerify: silent but for the last line where nobody watches.
func TestFetchAndVerify(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, servedText) }))
	defer srv.Close()
	dir := filepath.Join(t.TempDir(), "data")
	file := filepath.Join(dir, "served.csv")
	step := func(args string, wantCode int, wantOut, wantErr string) {
		t.Helper()
		cmd, stdout, stderr := fetching(srv, append(strings.Fields(args), "--data", dir)...)
		_ = cmd.Run() // the exit code is compared
		if code := cmd.ProcessState.ExitCode(); code != wantCode || stdout.String() != wantOut || !strings.HasSuffix(stderr.String(), wantErr) || wantErr == "" && stderr.Len() > 0 {
			t.Errorf("%v: exit code %d, stdout %q, stderr %q; want %d, %q, %q", args, code, stdout, stderr, wantCode, wantOut, wantErr)
		}
	}
	step("data verify", exitDone, "no files of datasets in "+dir+"\n", "")
	missing := "dataset served: no file served.csv in " + dir + "; `bench data fetch served --data " + dir + "` downloads it from " + srv.URL + "\n"
	step("data stats served", exitUsage, "", "bench: "+missing)
	step("data verify served", exitFailed, "", missing+"bench: 1 of 1 files in "+dir+" are damaged or missing\n")
	step("data fetch served", exitDone, "", "done: served is in "+file+"\n")
	step("data fetch served", exitDone, "", "nothing to do: "+file+" exists already and is complete\n")
	step("data verify", exitDone, "served: whole\n", "")
	step("data verify served", exitDone, "served: whole\n", "")
	step("data verify toy", exitFailed, "", "bench: 1 of 1 files in "+dir+" are damaged or missing\n")
	step("data verify shop-sim", exitUsage, "", "bench: dataset shop-sim is made when it is used: there is no file to verify\n")
	step("data fetch shop-sim", exitUsage, "", "bench: dataset shop-sim is made when it is used: there is nothing to fetch\n")
	write(t, file, "a,b,t\nu,v,1\nv,w,3\n")
	step("data verify", exitFailed, "", "it is damaged or another version; remove "+file+" and `bench data fetch served --data "+dir+"` downloads it from "+srv.URL+"\nbench: 1 of 1 files in "+dir+" are damaged or missing\n")
	step("data fetch served", exitFailed, "", " downloads it from "+srv.URL+"\n")
}

// TestFetchInterrupted: a signal ends it with exit code 130 and a message
// that says how to go on.
func TestFetchInterrupted(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(servedText)))
		fmt.Fprint(w, servedText[:9])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer srv.Close()
	dir := t.TempDir()
	part := filepath.Join(dir, "served.csv.part")
	cmd, _, stderr := fetching(srv, "data", "fetch", "served", "--data", dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill() // also when it does not end
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if info, err := os.Stat(part); err == nil && info.Size() == 9 {
			break
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the exit code is compared
	want := "bench: interrupted; 9 bytes are kept in " + part + ", and the same command resumes\n"
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || !strings.HasSuffix(stderr.String(), want) {
		t.Errorf("exit code %d, stderr %q, want %q", code, stderr, want)
	}
}

func TestRate(t *testing.T) {
	for _, c := range []struct {
		done, all, first int64
		spent            time.Duration
		want             string
	}{
		{60e6, 100e6, 20e6, 10 * time.Second, "  60.0 of 100.0 MB  4.0 MB/s  10s left"},
		{20e6, 100e6, 20e6, time.Second, "  20.0 MB  0.0 MB/s"},
		{5e6, 5e6, 0, time.Second, "  5.0 MB  5.0 MB/s"},
	} {
		if got := rate(c.done, c.all, c.first, c.spent); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
