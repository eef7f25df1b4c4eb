package fetch

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
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
