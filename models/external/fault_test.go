//go:build unix

package external

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/models/modeltest"
	"dgsbench/protocol"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// misbehave is a process that answers what it must, and in classify has a fault.
func misbehave(fault string) {
	in, out := bufio.NewReaderSize(os.Stdin, maxLine), writer{to: os.Stdout}
	greeting := Greeting{
		Version: Version, Tasks: []protocol.Task{protocol.NodeClassification}, Features: "optional",
		Verbs: []string{verbTrain, verbClassify, verbSnapshot, verbRestore},
	}
	switch fault {
	case "greets late":
		time.Sleep(time.Hour)
	case "prints first":
		fmt.Println("Loading the model ...")
	case "other version":
		greeting.Version = 7
	case "no verbs":
		greeting.Verbs = nil
	case "links alone":
		greeting.Tasks = []protocol.Task{protocol.LinkPrediction}
	case "ends at once":
		fmt.Fprintln(os.Stderr, "no module of that name")
		os.Exit(1)
	case "reads nothing":
		_ = out.write(greeting, nil)
		time.Sleep(time.Hour)
	}
	_ = out.write(greeting, nil)
	var payload bytes.Buffer
	for {
		r := request{build: &build{}}
		if readLine(in, &r) != nil {
			if fault == "stays" {
				time.Sleep(time.Hour)
			}
			return
		}
		_ = readPayload(in, &payload, r.Bytes, 1<<40)
		a := answer{ID: r.ID, OK: true}
		var data bytes.Buffer
		switch zero := 0.0; r.Verb {
		case verbTrain:
			a.Loss = &zero
		case verbClassify:
			columns := []column{{"event", []int32(nil), 0}, {"src", []int32(nil), 0}, {"dst", []int32(nil), 0}, {"t", []float64(nil), 0}, {"features", []float32(nil), 3}}
			n, err := decode(payload.Bytes(), columns)
			if err != nil {
				panic(err)
			}
			haveFault(fault, &a, &data, n)
		case verbSnapshot:
			n := int64(0)
			a.Parameters, a.State = &n, &n
			if fault == "part of a snapshot" {
				a.State = nil
			}
		}
		if a.Bytes == 0 {
			a.Bytes = int64(data.Len())
		}
		_ = out.write(a, data.Bytes())
		if fault == "prints afterwards" && r.Verb == verbClassify {
			fmt.Println("10 events classified")
		}
	}
}

// haveFault makes the answer to classify of n events.
func haveFault(fault string, a *answer, data *bytes.Buffer, n int) {
	scores := make([]float32, n)
	switch fault {
	case "dies":
		fmt.Fprintln(os.Stderr, "Traceback (most recent call last):\n  File \"m.py\"\nValueError: \x1b[31mboom")
		os.Exit(3)
	case "is killed":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "leaves a child":
		child := exec.Command("sleep", "3600")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		_ = child.Start()
		fmt.Fprintln(os.Stderr, "child", child.Process.Pid)
		os.Exit(4)
	case "hangs":
		time.Sleep(time.Hour)
	case "prints":
		fmt.Println("epoch 1: 0.3")
	case "half a line":
		fmt.Print(`{"id": 1, "ok"`)
		os.Exit(0)
	case "an endless line":
		fmt.Print("{" + strings.Repeat(" ", 2*maxLine))
	case "no JSON":
		fmt.Printf("{\"id\": %d, \"ok\": true, \"loss\": NaN}\n", a.ID)
	case "half a payload":
		fmt.Printf("{\"id\": %d, \"ok\": true, \"bytes\": 500}\nabc", a.ID)
		os.Exit(0)
	case "too many bytes":
		a.Bytes = 1 << 40
	case "closes its output":
		os.Stdout.Close()
		time.Sleep(time.Hour)
	case "late":
		a.ID--
	case "no ok":
		a.OK = false
	case "refuses":
		text := "not today"
		a.OK, a.Error = false, &text
	case "negative seconds", "too many seconds":
		s := map[string]float64{"negative seconds": -1, "too many seconds": 1e6}[fault]
		a.Seconds = &s
	case "few":
		scores = scores[1:]
	case "many":
		scores = append(scores, 1)
	case "nan", "infinite":
		scores[1] = float32(map[string]float64{"nan": math.NaN(), "infinite": math.Inf(1)}[fault])
	case "no stream":
		data.WriteString("these are no scores")
		return
	case "doubles":
		_ = encode(data, n, column{"score", make([]float64, n), 0})
		return
	case "nulls":
		b := array.NewFloat32Builder(memory.DefaultAllocator)
		for range n {
			b.AppendNull()
		}
		schema := arrow.NewSchema([]arrow.Field{{Name: "score", Type: arrow.PrimitiveTypes.Float32, Nullable: true}}, nil)
		w := ipc.NewWriter(data, ipc.WithSchema(schema))
		_ = w.Write(array.NewRecordBatch(schema, []arrow.Array{b.NewArray()}, int64(n)))
		_ = w.Close()
		return
	}
	_ = encode(data, len(scores), column{"score", scores, 0})
}

// faulty are the options of a process with the fault.
func faulty(t *testing.T, fault string) *Options {
	o := Defaults()
	o.Command, o.Limit, o.Tasks = command(t, faultEnv, fault), .5, []protocol.Task{protocol.NodeClassification}
	return o
}

// setup is for the stream of tests.
func setup(t *testing.T) (models.Setup, datasets.Stream) {
	s := modeltest.Random(1, 100)
	return models.Setup{
		Task: protocol.NodeClassification, NumNodes: s.NumNodes, Users: s.Users, NumFeat: s.NumFeat, MaxBatch: 10,
		Train: s.Slice(0, 50).WithoutLabels(), Threads: 1, Log: filepath.Join(t.TempDir(), "records", "seed-0.log"),
	}, s.WithoutLabels()
}

// TestFaults: each names command, verb, first event, and the last lines of standard
// error; no process is left, and what is asked afterwards has the same error.
func TestFaults(t *testing.T) {
	for fault, want := range map[string]string{
		"dies":              "ended with exit status 3; its standard error ends with:\nTraceback (most recent call last):\n  File \"m.py\"\nValueError: ␛[31mboom",
		"is killed":         "ended with signal: killed",
		"leaves a child":    "ended with exit status 4; its standard error ends with:\nchild ",
		"hangs":             "no answer within",
		"prints":            `expected a line of JSON, found "epoch 1: 0.3"`,
		"half a line":       "ended with exit status 0",
		"an endless line":   "a line of more than 1048576 bytes",
		"no JSON":           `\"loss\": NaN}`,
		"half a payload":    "ended with exit status 0",
		"too many bytes":    "a payload of 1099511627776 bytes, expected 0 to",
		"closes its output": "closed its standard input or output",
		"late":              "an answer to request 1, expected one to request 2",
		"no ok":             "without ok or error",
		"negative seconds":  "seconds are -1",
		"too many seconds":  "it says that the call took 1e+06 s",
		"few":               "9 rows of score, expected 10",
		"many":              "11 rows of score, expected 10",
		"nan":               "score of event 61 is NaN",
		"infinite":          "score of event 61 is +Inf",
		"no stream":         "no Arrow stream",
		"doubles":           `a payload of the columns ["score float64"], expected ["score float32"]`,
		"nulls":             "column score has nulls",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			s, stream := setup(t)
			o := faulty(t, fault)
			m, err := kindOf(t).New(s, o)
			if err != nil {
				t.Fatal(err)
			}
			defer models.Close(m)
			err = m.Classify(stream.Slice(60, 70), make([]float32, 10))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Fatalf("error %v\nexpected %q", err, want)
			}
			prefix := strings.Join(o.Command, " ") + ": classify of 10 events from number 60 on: "
			if !strings.HasPrefix(err.Error(), prefix) {
				t.Errorf("error %q, expected the prefix %q", err, prefix)
			}
			if again := m.Observe(stream.Slice(70, 80)); !errors.Is(again, err) {
				t.Errorf("then: %v, expected the same error", again)
			}
			p := m.(*Model).process
			if !dies(-p.cmd.Process.Pid) {
				t.Error("a process is left")
			}
			if text, _ := os.ReadFile(s.Log); fault == "dies" && !strings.Contains(string(text), "ValueError") {
				t.Errorf("the log has %q", text)
			}
		})
	}
}

// alive reports whether there is a process, or with a minus a group of them.
func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

// dies waits some seconds for the last process of a group to be gone.
func dies(pid int) bool {
	for range 100 {
		if !alive(pid) {
			return true
		}
		time.Sleep(50 * time.Millisecond)
	}
	return false
}

// TestRefusal: a process that answers with an error goes on.
func TestRefusal(t *testing.T) {
	s, stream := setup(t)
	m, err := kindOf(t).New(s, faulty(t, "refuses"))
	if err != nil {
		t.Fatal(err)
	}
	defer models.Close(m)
	err = m.Classify(stream.Slice(0, 10), make([]float32, 10))
	if err == nil || !strings.HasSuffix(err.Error(), "classify of 10 events from number 0 on: not today") {
		t.Errorf("error %v", err)
	}
	if err := m.Observe(stream.Slice(10, 20)); err != nil {
		t.Errorf("then: %v", err)
	}
}

// TestFaultsBetween: what is wrong between calls is an error of the next one.
func TestFaultsBetween(t *testing.T) {
	s, stream := setup(t)
	m, err := kindOf(t).New(s, faulty(t, "prints afterwards"))
	if err != nil {
		t.Fatal(err)
	}
	defer models.Close(m)
	if err := m.Classify(stream.Slice(0, 10), make([]float32, 10)); err != nil {
		t.Fatal(err)
	}
	err = m.Observe(stream.Slice(10, 20))
	if err == nil || !strings.Contains(err.Error(), `found "10 events classified"`) {
		t.Errorf("error %v", err)
	}
	for name, do := range map[string]func(){"Reset": m.Reset, "Snapshot": func() { m.Snapshot(models.Everything) }} {
		func() {
			defer func() {
				if f, ok := recover().(models.Fault); !ok || !errors.Is(f.Err, err) {
					t.Errorf("%s: %v, expected the same error", name, f)
				}
			}()
			do()
		}()
	}
}

// TestRefusedSetups: what a process cannot do is refused before anything is trained, by name.
func TestRefusedSetups(t *testing.T) {
	for fault, want := range map[string]string{
		"prints first":  `start: expected its greeting: no message: expected a line of JSON, found "Loading the model ..."`,
		"other version": "start: its greeting has the version 7 of the protocol as dgsbench, expected 1",
		"no verbs":      "its greeting does not offer classify (node classification asks for scores), restore (a test), snapshot (a test), train (a model of class learned is trained)",
		"ends at once":  "start: ended with exit status 1; its standard error ends with:\nno module of that name",
		"links alone":   "its greeting says tasks [lp], and the spec [nc]: options: {tasks: [lp]}",
	} {
		s, _ := setup(t)
		s.Snapshots = "a test"
		start := time.Now()
		if m, err := kindOf(t).New(s, faulty(t, fault)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, expected %q", fault, m, err, want)
		}
		if d := time.Since(start); d > greetingTime/4 {
			t.Errorf("%s: noticed after %v", fault, d)
		}
		both := func(yield func(models.Setup, models.Options) bool) {
			_ = yield(s, faulty(t, "dies")) && yield(s, faulty(t, fault))
		}
		if err := kindOf(t).Probe(both); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Probe of %s: %v, expected %q", fault, err, want)
		}
	}
	s, _ := setup(t)
	o := Defaults()
	o.Command = []string{"/nowhere/model", "x"}
	if _, err := kindOf(t).New(s, o); err == nil || !strings.HasPrefix(err.Error(), "/nowhere/model x: cannot be started: ") {
		t.Errorf("error %v", err)
	}
	kind, o := served(t, "raw")
	s.NumFeat, s.Train = 0, s.Train.WithFeatures(nil, 0)
	if _, err := kind.New(s, o); err == nil || !strings.Contains(err.Error(), "it requires features, and the events have none") {
		t.Errorf("error %v", err)
	}
}

// TestHangs: a process that does not read, or does not end with its input, is killed.
func TestHangs(t *testing.T) {
	s, stream := setup(t)
	if _, err := kindOf(t).New(s, faulty(t, "reads nothing")); err == nil || !strings.Contains(err.Error(), "build: no answer within 1s") {
		t.Errorf("error %v", err)
	}
	m, err := kindOf(t).New(s, faulty(t, "stays"))
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Observe(stream.Slice(0, 10)); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	models.Close(m)
	models.Close(m)
	if took := time.Since(begun); took < parting || took > 2*parting || alive(m.(*Model).process.cmd.Process.Pid) {
		t.Errorf("closed after %v", took)
	}
	if err := m.Observe(stream.Slice(0, 10)); err == nil {
		t.Error("a closed model answers")
	}
}
