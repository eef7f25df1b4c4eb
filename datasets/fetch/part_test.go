package fetch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An interrupted call keeps what it has, and the next one continues from there.
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
		var v version
		if err := json.Unmarshal(text, &v); err == nil && strings.HasPrefix(v.validator(), "W/") {
			if v.ETag == v.validator() {
				t.Errorf("a weak ETag: %+v", v)
			}
		}
	})
}

type fileInfo struct {
	fs.FileInfo
	sys any
}

func (f fileInfo) Sys() any { return f.sys }

// TestLinks: systems count the names of a file in types of their own.
func TestLinks(t *testing.T) {
	for i, c := range []struct {
		sys  any
		want uint64
	}{
		{&struct{ Nlink uint64 }{2}, 2},
		{&struct{ Nlink uint16 }{2}, 2},
		{&struct{ Nlink int16 }{3}, 3},
		{struct{ Nlink uint32 }{1}, 1},
		{&struct{ Nlink string }{"2"}, 1},
		{&struct{ Size int64 }{2}, 1},
		{nil, 1},
	} {
		if got := links(fileInfo{sys: c.sys}); got != c.want {
			t.Errorf("case %d, %T: %d, expected %d", i, c.sys, got, c.want)
		}
	}
}
