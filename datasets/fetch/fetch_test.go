package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dgsbench/datasets"
)

// content is the file that servers have.
var content = func() []byte {
	var b bytes.Buffer
	b.WriteString("a,b,t\n")
	for k := range 40_000 {
		fmt.Fprintf(&b, "%d,%d,%d\n", k%97, k%31, k)
	}
	return b.Bytes()
}()

// server answers with the handlers in turn; the last one stays. It notes the
// ranges that were asked for.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	turns  []http.HandlerFunc
	ranges []string
}

func serve(t *testing.T, turns ...http.HandlerFunc) *server {
	t.Helper()
	s := &server{turns: turns}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		answer := s.turns[0]
		if len(s.turns) > 1 {
			s.turns = s.turns[1:]
		}
		s.ranges = append(s.ranges, r.Header.Get("Range"))
		s.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// dataset is the file of the server under a known checksum.
func (s *server) dataset() datasets.Dataset {
	return datasets.Dataset{
		Name: "f", URL: s.URL + "/f.csv", File: "f.csv", SHA256: fmt.Sprintf("%x", sha256.Sum256(content)),
		Layout: datasets.Layout{Src: "a", Dst: "b", Time: "t"}, Want: datasets.Counts{Events: 40_000, Nodes: 97},
	}
}

// whole is a server as it should be: ranges, ETag, If-Range.
func whole(w http.ResponseWriter, r *http.Request) { version1(content)(w, r) }

func version1(data []byte) http.HandlerFunc { return versioned(`"1"`, data) }

func versioned(tag string, data []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", tag)
		http.ServeContent(w, r, "f.csv", time.Time{}, bytes.NewReader(data))
	}
}

// truncated breaks off behind n bytes of what the other one sends.
func truncated(n int, other http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		other(&cutting{ResponseWriter: w, left: n}, r)
	}
}

type cutting struct {
	http.ResponseWriter
	left int
}

func (c *cutting) Write(p []byte) (int, error) {
	n, _ := c.ResponseWriter.Write(p[:min(len(p), c.left)])
	c.left -= n
	if c.left == 0 {
		c.ResponseWriter.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	return n, nil
}

// stalled sends n bytes, and then nothing.
func stalled(n int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		w.Write(content[:n])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
}

// noRanges sends everything, whatever was asked for.
func noRanges(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", fmt.Sprint(len(content)))
	w.Write(content)
}

// noLength does not say how much comes.
func noLength(w http.ResponseWriter, r *http.Request) {
	for part := range slices.Chunk(content, 8192) {
		w.Write(part)
		w.(http.Flusher).Flush()
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// quick does not wait long, but longer than a busy machine may take.
var quick = Fetcher{Stall: 2 * time.Second, Pause: time.Millisecond}

func fetch(s *server, dir string) error {
	return quick.Fetch(context.Background(), s.dataset(), dir)
}

// check looks for the whole file and nothing else.
func check(t *testing.T, dir string) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(dir, "f.csv"))
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes of %d, error %v", len(got), len(content), err)
	}
	if found := files(t, dir); len(found) != 1 {
		t.Errorf("files %v, expected only f.csv", found)
	}
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range found {
		found[i] = filepath.Base(found[i])
	}
	return found
}

// Servers with which one call gets the whole file, and the ranges that it
// asks for on the way.
func TestFetch(t *testing.T) {
	from := func(n int) string { return fmt.Sprintf("bytes=%d-", n) }
	for _, c := range []struct {
		name  string
		turns []http.HandlerFunc
		want  []string
	}{
		{"whole", []http.HandlerFunc{whole}, []string{""}},
		{"no length", []http.HandlerFunc{noLength}, []string{""}},
		{"truncated twice", []http.HandlerFunc{truncated(1000, whole), truncated(5000, whole), whole}, []string{"", from(1000), from(6000)}},
		{"stalls", []http.HandlerFunc{stalled(2000), whole}, []string{"", from(2000)}},
		{"stalls before the head", []http.HandlerFunc{func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, whole}, []string{"", ""}},
		{"refuses ranges", []http.HandlerFunc{truncated(1000, whole), noRanges}, []string{"", from(1000)}},
		{"range not satisfiable", []http.HandlerFunc{truncated(1000, whole), status(416), whole}, []string{"", from(1000), ""}},
		{"another range", []http.HandlerFunc{truncated(1000, whole), shifted, whole}, []string{"", from(1000), ""}},
		{"another version behind If-Range", []http.HandlerFunc{truncated(1000, versioned(`"0"`, reversed())), whole}, []string{"", from(1000)}},
		{"another version, If-Range ignored", []http.HandlerFunc{truncated(1000, versioned(`"0"`, reversed())), ignoringIfRange(whole), whole}, []string{"", from(1000), ""}},
		{"busy", []http.HandlerFunc{status(503), status(429), whole}, []string{"", "", ""}},
		{"redirect", []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/other", http.StatusFound) }, whole}, []string{"", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // some wait
			dir := t.TempDir()
			s := serve(t, c.turns...)
			if err := fetch(s, dir); err != nil {
				t.Fatal(err)
			}
			check(t, dir)
			if fmt.Sprint(s.ranges) != fmt.Sprint(c.want) {
				t.Errorf("asked for %q, want %q", s.ranges, c.want)
			}
		})
	}
}

// reversed is another file of the same size.
func reversed() []byte {
	out := bytes.Clone(content)
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// shifted answers with a range that nobody asked for.
func shifted(w http.ResponseWriter, r *http.Request) {
	r.Header.Set("Range", "bytes=5-")
	r.Header.Del("If-Range")
	whole(w, r)
}

func ignoringIfRange(other http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("If-Range")
		other(w, r)
	}
}

// zeros are 64 MB in 64 kB.
var zeros = func() []byte {
	var b bytes.Buffer
	g := gzip.NewWriter(&b)
	for range 64 {
		g.Write(make([]byte, 1<<20))
	}
	g.Close()
	return b.Bytes()
}()

// bomb says that the file is in zeros.
func bomb(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Encoding", "gzip")
	w.Write(zeros)
}

// endless sends more than the file can have.
func endless(w http.ResponseWriter, _ *http.Request) {
	for range 100_000 {
		if _, err := w.Write(content); err != nil {
			return
		}
	}
}

// Servers from which nothing good can be had: a message of one line, and no
// file of that name.
func TestFetchRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		want   string
		kept   bool
	}{
		{"wrong bytes", version1(reversed()), "sent something else: dataset f: ", false},
		{"half a file as a whole one", version1(content[:1000]), "sent something else: dataset f: ", false},
		{"gzip bomb", bomb, "the server sent the file encoded by gzip, which nobody asked for", false},
		{"gzip bomb as the file", version1(zeros), "sent something else: dataset f: ", false},
		{"endless", endless, "the server sends more and more, expected at most", false},
		{"a huge length", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "99999999999") }, "the server sends a file of 99999999999 bytes", false},
		{"redirect to a file", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "file:///etc/hostname")
			w.WriteHeader(http.StatusFound)
		}, "a redirect to file:///etc/hostname, expected a web address", false},
		{"redirects for ever", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path+"x", http.StatusFound) }, "more than 10 redirects", false},
		{"not there", status(404), "the server answered 404 Not Found", false},
		{"always busy", status(503), "the server answered 503 Service Unavailable, 4 times in a row", false},
		{"always stalls", stalledAt(3000), "the server stopped sending for 200ms, 4 times in a row; 3000 bytes are kept in ", true},
		{"always truncates", stuckAt(3000), "unexpected EOF, 4 times in a row; 3000 bytes are kept in ", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			s := serve(t, c.answer)
			f := quick
			if c.name == "always stalls" {
				f.Stall = 200 * time.Millisecond
			}
			err := f.Fetch(context.Background(), s.dataset(), dir)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want one line with %q", err, c.want)
			}
			if kept := len(files(t, dir)) > 0; kept != c.kept {
				t.Errorf("files %v are left", files(t, dir))
			}
			if _, err := os.Stat(filepath.Join(dir, "f.csv")); err == nil {
				t.Error("a file has got its name")
			}
		})
	}
}

// stalledAt never sends anything behind n bytes.
func stalledAt(n int) http.HandlerFunc {
	first := stalled(n)
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Range") == "" {
			first(w, r)
			return
		}
		<-r.Context().Done()
	}
}

// stuckAt breaks off there each time.
func stuckAt(n int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Range") == "" {
			truncated(n, whole)(w, r)
			return
		}
		w.Header().Set("ETag", `"1"`)
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", n, len(content)-1, len(content)))
		w.Header().Set("Content-Length", fmt.Sprint(len(content)-n))
		w.WriteHeader(http.StatusPartialContent)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

// An interrupted call keeps what it has, and the next one goes on from there.
func TestFetchGoesOnAfterAnInterruption(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, stalled(5000), whole)
	ctx, cancel := context.WithCancel(context.Background())
	f := Fetcher{Progress: func(done, all int64) {
		if done == 5000 && all == int64(len(content)) {
			cancel()
		}
	}}
	err := f.Fetch(ctx, s.dataset(), dir)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "5000 bytes are kept in "+filepath.Join(dir, "f.csv.part")) {
		t.Fatal(err)
	}
	if err := fetch(s, dir); err != nil {
		t.Fatal(err)
	}
	check(t, dir)
	if got := s.ranges[1]; got != "bytes=5000-" {
		t.Errorf("asked for %q", got)
	}
}

// begun is a download that was killed: a part, and what the server said.
func begun(t *testing.T, dir string, s *server, part []byte, note string) {
	t.Helper()
	for name, text := range map[string]string{"f.csv.part": string(part), "f.csv.part.json": strings.ReplaceAll(note, "URL", s.URL+"/f.csv")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// What killed calls may have left: it is used if it is right, and never more.
func TestFetchWithAPart(t *testing.T) {
	note := fmt.Sprintf(`{"url": "URL", "etag": "\"1\"", "total": %d}`, len(content))
	for _, c := range []struct {
		name string
		part []byte
		note string
		want []string
	}{
		{"right", content[:7000], note, []string{"bytes=7000-"}},
		{"whole", content, note, nil},
		{"wrong bytes", make([]byte, 7000), note, []string{"bytes=7000-", ""}},
		{"whole and wrong", reversed(), note, []string{""}},
		{"too long", append(bytes.Clone(content), 1), note, []string{""}},
		{"of another address", content[:7000], strings.Replace(note, "URL", "http://example.org", 1), []string{""}},
		{"no ETag: the checksum decides", content[:7000], `{"url": "URL", "total": -1}`, []string{"bytes=7000-", ""}},
		{"damaged note", content[:7000], `{"url`, []string{""}},
		{"empty", nil, note, []string{""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			s := serve(t, whole)
			begun(t, dir, s, c.part, c.note)
			if err := fetch(s, dir); err != nil {
				t.Fatal(err)
			}
			check(t, dir)
			if fmt.Sprint(s.ranges) != fmt.Sprint(c.want) {
				t.Errorf("asked for %q, want %q", s.ranges, c.want)
			}
		})
	}
}

// Without a known checksum, a part is only used if the server can tell its
// version, and the file is read before it gets its name.
func TestFetchWithoutAChecksum(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, whole)
	d := s.dataset()
	d.SHA256 = ""
	begun(t, dir, s, content[:7000], `{"url": "URL", "total": -1}`)
	if err := quick.Fetch(context.Background(), d, dir); err != nil {
		t.Fatal(err)
	}
	check(t, dir)
	if s.ranges[0] != "" {
		t.Errorf("asked for %q", s.ranges)
	}
	for name, data := range map[string][]byte{"another count": content[:1001], "damage": append(bytes.Clone(content), "x\n"...)} {
		dir := t.TempDir()
		s := serve(t, version1(data))
		d.URL = s.URL + "/f.csv"
		if err := quick.Fetch(context.Background(), d, dir); err == nil || len(files(t, dir)) > 0 {
			t.Errorf("%s: error %v, files %v", name, err, files(t, dir))
		}
	}
}

// A machine without network gets a message that says what to do.
func TestFetchOffline(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := closed.Addr().String()
	closed.Close()
	dir := t.TempDir()
	d := (&server{Server: &httptest.Server{URL: "http://" + address}}).dataset()
	start := time.Now()
	err = Fetcher{}.Fetch(context.Background(), d, dir)
	for _, want := range []string{"cannot reach " + d.URL, "is this machine offline?", "put at " + filepath.Join(dir, "f.csv")} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if time.Since(start) > 500*time.Millisecond || len(files(t, dir)) > 0 {
		t.Errorf("after %v, files %v", time.Since(start), files(t, dir))
	}
}

// Files that are there are never replaced.
func TestFetchKeepsWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, status(404))
	path := filepath.Join(dir, "f.csv")
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := fetch(s, dir); !errors.Is(err, ErrThere) {
		t.Error(err)
	}
	if err := os.WriteFile(path, content[1:], 0o644); err != nil {
		t.Fatal(err)
	}
	if err := fetch(s, dir); err == nil || !strings.Contains(err.Error(), "remove the file to fetch it again") {
		t.Error(err)
	}
}

func TestFetchable(t *testing.T) {
	for name, want := range map[string]string{
		"amlsim-20k":       "make amlsim-20k.csv from https://github.com/IBM/AMLSim: the sample",
		"wikipedia-nofeat": "is not served as it is needed",
	} {
		d, err := datasets.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := (Fetcher{}).Fetch(context.Background(), d, dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, d := range map[string]datasets.Dataset{
		"made when it is used": {Name: "s", Open: func(string) (datasets.Stream, string, error) { return datasets.Stream{}, "", nil }},
		"was imported":         {Name: "s", File: "s/events.csv", Open: func(string) (datasets.Stream, string, error) { return datasets.Stream{}, "", nil }},
	} {
		if err := fetchable(d); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
	}
}

// mostBytes leaves room for the largest of the public files, of 19 bytes a
// feature.
func TestMostBytes(t *testing.T) {
	d, err := datasets.Lookup("wikipedia")
	if err != nil {
		t.Fatal(err)
	}
	if got := mostBytes(d); got < 600e6 || got > 2e9 {
		t.Errorf("at most %d bytes of wikipedia.csv", got)
	}
}

// FuzzContentRange: what is read is what was said.
func FuzzContentRange(f *testing.F) {
	f.Add("bytes 0-9/10")
	f.Add("bytes 5-9/*")
	f.Add("bytes */10")
	f.Fuzz(func(t *testing.T, text string) {
		first, total, ok := parseContentRange(text)
		if ok && (first < 0 || total == 0 || total > 0 && total <= first) {
			t.Errorf("%q: from %d of %d", text, first, total)
		}
	})
}

// FuzzVersion: any note is a version or an error.
func FuzzVersion(f *testing.F) {
	f.Add([]byte(`{"url": "http://example.org", "etag": "W/\"1\"", "last_modified": "x", "total": 5}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := parseVersion(text)
		if err == nil && strings.HasPrefix(v.validator(), "W/") {
			if v.ETag == v.validator() {
				t.Errorf("a weak ETag: %+v", v)
			}
		}
	})
}
