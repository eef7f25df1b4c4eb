package cluster

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"dgsbench/internal/atomicfile"
	"dgsbench/internal/lists"
	"dgsbench/internal/regular"
)

//go:embed driver.py
var rayDriver []byte

// rayEngine runs tasks by a driver, which is a job of Ray.
type rayEngine struct {
	options  RayOptions
	address  string
	token    string
	client   *http.Client
	pause    time.Duration // before the second try; it doubles
	patience time.Duration // for all tries of a request
	checked  bool          // whether the address has answered as Ray's dashboard does
}

func newRay(o Options) (Engine, error) {
	u, err := url.Parse(o.Ray.Address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return nil, errors.New("ray.address is not the address of a dashboard, expected one such as http://127.0.0.1:8265")
	}
	e := &rayEngine{
		options: o.Ray, address: strings.TrimRight(o.Ray.Address, "/"), pause: 500 * time.Millisecond, patience: time.Minute,
		client: &http.Client{
			Timeout:       10 * time.Second,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	if o.Ray.TokenVariable != "" {
		e.token = strings.TrimSpace(os.Getenv(o.Ray.TokenVariable))
	}
	if e.token != "" && u.Scheme == "http" && u.Hostname() != "localhost" && !net.ParseIP(u.Hostname()).IsLoopback() {
		return nil, fmt.Errorf("%s is set, and %s would get the token unencrypted, expected https or an address of this machine",
			o.Ray.TokenVariable, e.address)
	}
	return e, nil
}

// rayTask is a task as the driver reads it.
type rayTask struct {
	Number    int      `json:"number"`
	Arguments []string `json:"arguments"`
	Cores     int      `json:"cores"`
	Memory    int64    `json:"memory"`
	Cards     int      `json:"cards"`
	Exclusive bool     `json:"exclusive"`
	Log       string   `json:"log"`
	Dir       string   `json:"dir"`
	Last      bool     `json:"last"`
}

// tasks returns what the driver reads: the tasks, longest first.
func (e *rayEngine) tasks(j *Job, tasks []Task) any {
	sorted := slices.Clone(tasks)
	slices.SortStableFunc(sorted, func(a, b Task) int { return b.Compare(a) })
	all := []rayTask{}
	for _, t := range sorted {
		all = append(all, rayTask{t.Number, j.Arguments(t.Number), t.Need.Cores, t.Need.Memory, t.Need.Cards, t.Need.Exclusive,
			j.Log(t.Number), j.Dir, t.Last})
	}
	return map[string]any{"retries": j.Options.Retries, "tasks": all}
}

// body returns the request that starts the driver.
func (e *rayEngine) body(j *Job, id, file string) any {
	words := lists.Map([]string{e.options.Python, e.driver(j), file}, shellWord)
	return map[string]any{
		"entrypoint": strings.Join(words, " "), "entrypoint_num_cpus": 0, "submission_id": id,
		"metadata": map[string]string{"dgsbench": j.Name},
	}
}

func (e *rayEngine) driver(j *Job) string { return filepath.Join(j.Folder, "ray", "driver.py") }

// file returns the file of tasks of a submission, or that of their states.
func (e *rayEngine) file(j *Job, id, suffix string) string {
	return filepath.Join(j.Folder, "ray", id[strings.LastIndex(id, "-")+1:]+suffix)
}

// Submit starts a driver that runs the tasks.
func (e *rayEngine) Submit(ctx context.Context, j *Job, tasks []Task) ([]string, error) {
	if err := e.check(ctx); err != nil {
		return nil, err
	}
	folder := filepath.Join(j.Folder, "ray")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	n := len(j.Submissions) + 1
	for ; ; n++ {
		if _, err := os.Lstat(filepath.Join(folder, strconv.Itoa(n)+".json")); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return nil, err
		}
	}
	id := fmt.Sprintf("dgsbench-%s-%d", strings.ToLower(rand.Text()[:12]), n)
	file := e.file(j, id, ".json")
	err := atomicfile.Write(e.driver(j), rayDriver)
	if err == nil {
		err = writeJSON(file, e.tasks(j, tasks))
	}
	if err != nil {
		return nil, err
	}
	if _, err := e.call(ctx, http.MethodPost, "/api/jobs/", e.body(j, id, file)); err != nil {
		return nil, err
	}
	return []string{id}, nil
}

// States asks Ray about the drivers, and reads what they say of their tasks.
func (e *rayEngine) States(ctx context.Context, j *Job) (map[int]State, error) {
	if err := e.check(ctx); err != nil {
		return nil, err
	}
	states := map[int]State{}
	for _, s := range j.Submissions {
		for _, id := range s.IDs {
			alive, message, err := e.status(ctx, id)
			if err != nil {
				return nil, err
			}
			said := map[int]State{}
			data, err := regular.Read(e.file(j, id, ".state.json"), mostBytes)
			if err == nil {
				err = json.Unmarshal(data, &said)
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("%s: %w", e.file(j, id, ".state.json"), err)
			}
			for _, number := range s.Tasks {
				state, ok := said[number]
				switch over := state.Phase == Done || state.Phase == Failed; {
				case !ok && alive:
					state = State{Phase: Waiting, Reason: "the driver starts"}
				case !over && !alive:
					state = State{Phase: Failed, Reason: message}
				}
				states[number] = state
			}
		}
	}
	return states, nil
}

// status returns whether a driver has not ended, and if it has, what Ray says.
func (e *rayEngine) status(ctx context.Context, id string) (alive bool, message string, err error) {
	data, err := e.call(ctx, http.MethodGet, "/api/jobs/"+id, nil)
	var answer *rayError
	if errors.As(err, &answer) && answer.code == http.StatusNotFound {
		return false, "Ray does not know " + id + " any more: its head has started anew", nil
	} else if err != nil {
		return false, "", err
	}
	var job struct{ Status, Message string }
	if err := json.Unmarshal(data, &job); err != nil || job.Status == "" {
		return false, "", fmt.Errorf("%s says nothing of the status of %s", e.address, id)
	}
	return job.Status == "PENDING" || job.Status == "RUNNING", job.Status + ": " + e.clean(job.Message), nil
}

// Cancel stops the drivers, and with them their tasks.
func (e *rayEngine) Cancel(ctx context.Context, j *Job) error {
	if err := e.check(ctx); err != nil {
		return err
	}
	var all []error
	for _, s := range j.Submissions {
		for _, id := range s.IDs {
			_, err := e.call(ctx, http.MethodPost, "/api/jobs/"+id+"/stop", nil)
			if answer := (*rayError)(nil); errors.As(err, &answer) && answer.code == http.StatusNotFound {
				continue
			}
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

// Script returns the driver, its tasks and the request that starts it.
func (e *rayEngine) Script(j *Job, tasks []Task) (string, error) {
	id := fmt.Sprintf("dgsbench-ID-%d", len(j.Submissions)+1)
	file := e.file(j, id, ".json")
	list, err := json.MarshalIndent(e.tasks(j, tasks), "", "  ")
	if err != nil {
		return "", err
	}
	request, err := json.MarshalIndent(e.body(j, id, file), "", "  ")
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("# %s\n%s\n# %s\n%s\n\n# POST %s/api/jobs/\n%s\n", e.driver(j), rayDriver, file, list, e.address, request), nil
}

// rayError is an answer of Ray that is an error.
type rayError struct {
	code int
	text string
}

func (e *rayError) Error() string { return e.text }

// check asks once whether the address is a dashboard of Ray.
func (e *rayEngine) check(ctx context.Context) error {
	if e.checked {
		return nil
	}
	data, err := e.call(ctx, http.MethodGet, "/api/version", nil)
	var answer *rayError
	if err != nil && !(errors.As(err, &answer) && answer.code == http.StatusNotFound) {
		return err
	}
	var version struct {
		Ray string `json:"ray_version"`
	}
	if err != nil || json.Unmarshal(data, &version) != nil || version.Ray == "" {
		return fmt.Errorf("%s is no dashboard of Ray: /api/version says nothing of a ray_version", e.address)
	}
	e.checked = true
	return nil
}

// call sends a request, again if there is hope, and returns the answer's body.
func (e *rayEngine) call(ctx context.Context, method, path string, body any) ([]byte, error) {
	var payload []byte
	if body != nil {
		var err error
		if payload, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	end := time.Now().Add(e.patience)
	for pause := e.pause; ; pause *= 2 {
		data, err := e.once(ctx, method, path, payload)
		var answer *rayError
		if err == nil || ctx.Err() != nil || errors.As(err, &answer) && answer.code < 500 {
			return data, err
		}
		if time.Now().Add(pause).After(end) {
			return nil, fmt.Errorf("no answer of Ray at %s: %w", e.address, err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

func (e *rayEngine) once(ctx context.Context, method, path string, payload []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, e.address+path, bytes.NewReader(payload))
	if err != nil {
		return nil, err
	}
	if payload != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if e.token != "" {
		r.Header.Set("Authorization", "Bearer "+e.token)
	}
	answer, err := e.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(io.LimitReader(answer.Body, 16<<20))
	text := e.clean(string(data))
	switch code := answer.StatusCode; {
	case err != nil:
		return nil, err
	case code < 300, method == http.MethodPost && strings.Contains(text, "already exists"): // an earlier try came through
		return data, nil
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return nil, &rayError{code, fmt.Sprintf("%s wants a token (%s), expected it in the environment variable %s",
			e.address, answer.Status, e.options.TokenVariable)}
	default:
		return nil, &rayError{code, fmt.Sprintf("%s %s: %s: %s", method, path, answer.Status, text)}
	}
}

// clean returns the end of a text of Ray's, without the token.
func (e *rayEngine) clean(text string) string {
	if e.token != "" {
		text = strings.ReplaceAll(text, e.token, "TOKEN")
	}
	text = strings.TrimSpace(text)
	return text[max(0, len(text)-500):]
}
