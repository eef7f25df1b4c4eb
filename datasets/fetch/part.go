package fetch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"dgsbench/internal/atomicfile"
	"dgsbench/internal/regular"
)

// part is a partly downloaded file.
type part struct {
	version
	path    string
	url     string
	f       *os.File
	size    int64
	checked bool // its checksum is known, so that wrong resuming would be found
}

// version identifies the file on the server when the download began.
type version struct {
	URL          string `json:"url"`
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"last_modified,omitempty"`
	Total        int64  `json:"total"` // bytes; -1 if unknown
}

// note returns the path of the file with the part's version.
func (p *part) note() string { return p.path + ".json" }

// maxNote limits the bytes of a note.
const maxNote = 1 << 16

// partPath returns the path of a file until it is whole.
func partPath(path string) string { return path + ".part" }

// openPart opens the part of a file. It discards a part of another address.
func openPart(path, url string, checked bool) (*part, error) {
	p := &part{path: partPath(path), url: url, checked: checked}
	f, err := openOwn(p.path)
	if err != nil {
		return nil, err
	}
	p.f = f
	text, err := regular.Read(p.note(), maxNote)
	if err == nil {
		err = json.Unmarshal(text, &p.version)
	}
	if err != nil || p.URL != url {
		return p, p.reset()
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	p.size = info.Size()
	if p.Total >= 0 && p.size > p.Total {
		return p, p.reset()
	}
	return p, nil
}

// openOwn opens or creates a file. It must be a regular file with one name:
// nothing is written through a link.
func openOwn(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666) // which follows no link
	if !errors.Is(err, fs.ErrExist) {
		return f, err
	}
	errOther := fmt.Errorf("%s is not a regular file of its own, expected what an earlier download left; remove it", path)
	before, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() || links(before) > 1 {
		return nil, errOther
	}
	if f, err = os.OpenFile(path, os.O_RDWR, 0); err != nil {
		return nil, err
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(before, now) {
		return nil, errors.Join(errOther, f.Close())
	}
	return f, nil
}

// links returns the number of names of a file, 1 on systems that do not say.
func links(info fs.FileInfo) uint64 {
	stat := reflect.Indirect(reflect.ValueOf(info.Sys()))
	if stat.Kind() == reflect.Struct {
		count := reflect.TypeFor[uint64]()
		if n := stat.FieldByName("Nlink"); n.IsValid() && n.CanConvert(count) {
			return n.Convert(count).Uint()
		}
	}
	return 1
}

// validator returns what identifies the version to the server: a strong ETag, or
// else the date.
func (v version) validator() string {
	if v.ETag != "" && !strings.HasPrefix(v.ETag, "W/") {
		return v.ETag
	}
	return v.LastModified
}

// setRange requests the rest of the file if its version is still the same, or
// else all of it.
func (p *part) setRange(req *http.Request) {
	req.Header.Set("Accept-Encoding", "identity")
	if p.size == 0 || p.validator() == "" && !p.checked {
		return
	}
	req.Header.Set("Range", fmt.Sprintf("bytes=%d-", p.size))
	if v := p.validator(); v != "" {
		req.Header.Set("If-Range", v)
	}
}

// versionOf returns the version in a response for a file of total bytes.
func (p *part) versionOf(resp *http.Response, total int64) version {
	return version{URL: p.url, ETag: resp.Header.Get("ETag"), LastModified: resp.Header.Get("Last-Modified"), Total: total}
}

// resume checks that a response continues the part.
func (p *part) resume(resp *http.Response) error {
	first, total, ok := parseContentRange(resp.Header.Get("Content-Range"))
	if !ok || first != p.size {
		return fmt.Errorf("%s: the server sent the range %q, expected one from byte %d on", p.url, resp.Header.Get("Content-Range"), p.size)
	}
	v := p.versionOf(resp, total)
	if v.validator() != p.validator() || p.Total >= 0 && total >= 0 && total != p.Total {
		return fmt.Errorf("%s: the file has changed since the download began", p.url)
	}
	if p.Total < 0 {
		p.Total = total
	}
	return nil
}

// parseContentRange parses "bytes FIRST-LAST/TOTAL"; total is -1 for "*".
func parseContentRange(text string) (first, total int64, ok bool) {
	var last int64
	if n, err := fmt.Sscanf(text, "bytes %d-%d/%d", &first, &last, &total); err == nil && n == 3 {
		return first, total, 0 <= first && first <= last && last < total
	}
	if n, err := fmt.Sscanf(text, "bytes %d-%d/*", &first, &last); err == nil && n == 2 {
		return first, -1, 0 <= first && first <= last && strings.HasSuffix(text, "/*")
	}
	return 0, 0, false
}

// start empties the part and writes the note of the response's version.
func (p *part) start(resp *http.Response) error {
	if err := p.reset(); err != nil {
		return err
	}
	p.version = p.versionOf(resp, resp.ContentLength)
	text, err := json.Marshal(p.version)
	if err != nil {
		return err
	}
	return atomicfile.Root(filepath.Dir(p.path)).Write(p.note(), append(text, '\n'))
}

// append appends data.
func (p *part) append(data []byte) error {
	n, err := p.f.WriteAt(data, p.size)
	p.size += int64(n)
	return err
}

// reset empties the part and removes its note.
func (p *part) reset() error {
	p.version, p.size = version{Total: -1}, 0
	return errors.Join(p.f.Truncate(0), p.removeNote())
}

func (p *part) removeNote() error {
	if err := os.Remove(p.note()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// rename gives the whole file its name.
func (p *part) rename(path string) error {
	return errors.Join(os.Rename(p.path, path), p.removeNote())
}

// close removes an empty part and its note.
func (p *part) close() {
	p.f.Close()
	if p.size == 0 {
		os.Remove(p.path)
		_ = p.removeNote()
	}
}
