package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dgsbench/datasets"
)

// quick does not wait long, but longer than a busy machine may take.
var quick = Fetcher{stall: 2 * time.Second, pause: time.Millisecond}

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
		{"another size and no version", []http.HandlerFunc{truncated(1000, versioned("", content)), versioned("", append(bytes.Clone(content), "x\n"...)), whole}, []string{"", from(1000), ""}},
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
		{"gzip bomb", bomb, "the server sent Content-Encoding gzip, which was not requested", false},
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
		{"a head and nothing else", func(w http.ResponseWriter, _ *http.Request) {
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, "unexpected EOF, 4 times in a row", false},
		{"always stalls", stalledAt(3000), "the server stopped sending for 200ms, 4 times in a row, after ", true},
		{"always truncates", stuckAt(3000), "s in all; 3000 bytes are kept in ", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			s := serve(t, c.answer)
			f := quick
			if c.name == "always stalls" {
				f.stall = 200 * time.Millisecond
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

// Redirects lead to any web address, but from an encrypted one to no other.
func TestFetchRedirects(t *testing.T) {
	plain := serve(t, whole)
	safe := httptest.NewTLSServer(http.HandlerFunc(whole))
	defer safe.Close()
	trusted := safe.Client().Transport.(*http.Transport).TLSClientConfig
	for _, c := range []struct{ from, to, want string }{
		{"http", safe.URL, ""},
		{"http", plain.URL, ""},
		{"https", safe.URL, ""},
		{"https", plain.URL, "a redirect from https to http://"},
	} {
		begin := httptest.NewServer
		if c.from == "https" {
			begin = httptest.NewTLSServer
		}
		s := begin(http.RedirectHandler(c.to+"/f.csv", http.StatusFound))
		defer s.Close()
		client := newClient()
		client.Transport.(*http.Transport).TLSClientConfig = trusted
		resp, err := client.Get(s.URL)
		if err == nil {
			resp.Body.Close()
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("from %s to %s: %v, expected %q", c.from, c.to, err, c.want)
		}
	}
}

// A server that is busy is asked again after pauses of twice the length each.
func TestFetchPauses(t *testing.T) {
	var asked []time.Time
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		asked = append(asked, time.Now())
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	const pause = 20 * time.Millisecond
	if err := (Fetcher{pause: pause}).Fetch(context.Background(), s.dataset(), t.TempDir()); err == nil || len(asked) != 4 {
		t.Fatalf("asked %d times, %v", len(asked), err)
	}
	for i := range asked[1:] {
		if got := asked[i+1].Sub(asked[i]); got < pause<<i {
			t.Errorf("pause %d is %v, expected at least %v", i+1, got, pause<<i)
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

// Nor does a proxy that cannot be reached say anything else.
func TestFetchOfflineBehindAProxy(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	proxy := &url.URL{Scheme: "http", Host: closed.Addr().String()}
	closed.Close()
	w := download{Fetcher: quick.withDefaults(), client: &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy)}}, part: &part{url: "http://example.org/f.csv"}, began: time.Now()}
	err = w.explain(w.run(context.Background()), "f.csv")
	if want := "cannot reach http://example.org/f.csv"; !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "is this machine offline?") {
		t.Errorf("error %v, want %q", err, want)
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
	if err := fetch(s, dir); !errors.Is(err, ErrComplete) {
		t.Error(err)
	}
	if err := os.WriteFile(path, content[1:], 0o644); err != nil {
		t.Fatal(err)
	}
	if err := fetch(s, dir); err == nil || !strings.Contains(err.Error(), "remove "+path+" and `bench data fetch f --data "+dir+"` downloads it") {
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
		"was imported":         {Name: "s", File: "s/events.csv", Imported: true},
	} {
		if err := Fetchable(d); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
	}
}

// maxBytes leaves room for the largest of the public files, of 19 bytes a
// feature.
func TestMostBytes(t *testing.T) {
	d, err := datasets.Lookup("wikipedia")
	if err != nil {
		t.Fatal(err)
	}
	if got := maxBytes(d); got < 600e6 || got > 2e9 {
		t.Errorf("at most %d bytes of wikipedia.csv", got)
	}
}
