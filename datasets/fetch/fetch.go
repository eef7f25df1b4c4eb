// Package fetch downloads the files of datasets. A download that was cut off is
// resumed, and a file gets its name only when its content is known to be right.
//
// Until then it is called NAME.part. Beside it, NAME.part.json holds the version
// of the file on the server. Another version is downloaded from the beginning.
package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"dgsbench/datasets"
	"dgsbench/internal/atomicfile"
	"dgsbench/internal/lock"
)

// Fetcher downloads files. The zero value is ready to use.
type Fetcher struct {
	// Progress is called with the bytes so far and in all, which is -1 if unknown.
	// It may be nil.
	Progress func(done, all int64)
	// Wait is called with the path of the file before Fetch waits for another
	// process that is downloading it. It may be nil.
	Wait func(path string)

	// Tests set these; withDefaults replaces 0.
	stall    time.Duration // in which a server may send nothing, from the request on, before the next attempt
	window   time.Duration // in which it must send, in any number of attempts, minSpeed bytes a second
	minSpeed int64         // bytes per second
	pause    time.Duration // before the second attempt, doubled after each
}

// attempts is how often in a row a server may send too little.
const attempts = 4

// ErrComplete says that the file exists already and is complete.
var ErrComplete = errors.New("exists already and is complete")

// Fetch downloads the dataset's file to the data folder dir. Errors are one
// message that says what to do. What was downloaded before an error is kept
// for the next call, unless it is known to be wrong.
func (f Fetcher) Fetch(ctx context.Context, d datasets.Dataset, dir string) error {
	if err := Fetchable(d); err != nil {
		return err
	}
	path := filepath.Join(dir, d.File)
	if err := existing(d, dir, path); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	held, err := lock.Wait(ctx, lock.In(dir, filepath.Join("downloads", d.File)), func() {
		if f.Wait != nil {
			f.Wait(path)
		}
	})
	if err != nil {
		return err
	}
	defer held.Release()
	if err := existing(d, dir, path); err != nil {
		return err
	}
	ctx, stop := held.During(ctx)
	defer stop()
	p, err := openPart(path, d.URL, d.SHA256 != "")
	if err != nil {
		return err
	}
	defer p.close()
	w := &download{Fetcher: f.withDefaults(), client: newClient(), part: p, maxBytes: maxBytes(d), began: time.Now()}
	return w.verified(ctx, d, path)
}

// existing returns ErrComplete or what is wrong with the file, if there is one.
func existing(d datasets.Dataset, dir, path string) error {
	if _, err := os.Lstat(path); err != nil {
		return nil
	}
	if err := d.Verify(dir); err != nil {
		return err
	}
	return fmt.Errorf("%s %w", path, ErrComplete)
}

func (f Fetcher) withDefaults() Fetcher {
	f.stall, f.window = cmp.Or(f.stall, 10*time.Second), cmp.Or(f.window, 30*time.Second)
	f.minSpeed, f.pause = cmp.Or(f.minSpeed, 1000), cmp.Or(f.pause, time.Second)
	return f
}

// Begun returns the number of bytes that an earlier Fetch left. The next one
// resumes after them if the server still has the same file.
func Begun(d datasets.Dataset, dir string) int64 {
	info, err := os.Stat(partPath(filepath.Join(dir, d.File)))
	if err != nil {
		return 0
	}
	return info.Size()
}

// Fetchable returns an error if no server has the file as it is needed.
func Fetchable(d datasets.Dataset) error {
	switch {
	case d.Damaged != nil:
		return d.Damaged
	case d.Served():
		return nil
	case d.File == "":
		return fmt.Errorf("dataset %s is made when it is used: there is nothing to fetch", d.Name)
	case d.Imported:
		return fmt.Errorf("dataset %s was imported: there is nothing to fetch", d.Name)
	}
	return fmt.Errorf("dataset %s is not served as it is needed; make %s from %s: %s", d.Name, d.File, d.URL, d.Obtain)
}

// maxBytes limits the size of a file by its known counts: no field of the public
// files has more than 24 characters.
func maxBytes(d datasets.Dataset) int64 {
	const field, line = 32, 4
	return 1<<16 + int64(d.Want.Events)*field*int64(line+d.Want.Features)
}

// verified downloads the file, checks it and gives it its name. If the content of
// a resumed download is wrong, the whole file is fetched once more.
func (w *download) verified(ctx context.Context, d datasets.Dataset, path string) error {
	for {
		resumed := w.part.size > 0
		if err := w.run(ctx); err != nil {
			return w.explain(err, path)
		}
		if err := w.part.f.Sync(); err != nil {
			return err
		}
		err := d.VerifyFile(w.part.path)
		if err == nil {
			break
		}
		if err := w.part.reset(); err != nil {
			return err
		}
		if !resumed {
			return fmt.Errorf("%s sent something else: %w", w.part.url, err)
		}
	}
	return errors.Join(w.part.rename(path), atomicfile.SyncDir(filepath.Dir(path)))
}

// explain adds to an error what was kept, and what to do.
func (w *download) explain(err error, path string) error {
	kept := ""
	if w.part.size > 0 {
		kept = fmt.Sprintf("; %d bytes are kept in %s, and the same command resumes", w.part.size, w.part.path)
	}
	switch {
	case errors.Is(err, lock.ErrLost):
		return err
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("interrupted%s: %w", kept, err)
	case errors.As(err, new(unreachableError)):
		return fmt.Errorf("%w; is this machine offline? The file can also be fetched elsewhere from %s and put at %s%s", err, w.part.url, path, kept)
	}
	return fmt.Errorf("%w, after %v in all%s", err, time.Since(w.began).Round(time.Second/10), kept)
}

// newClient returns a client that follows redirects to web servers only, and
// requests no compression: sizes and offsets are those of the file.
func newClient() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableCompression = true
	return &http.Client{Transport: t, CheckRedirect: func(to *http.Request, via []*http.Request) error {
		from := via[len(via)-1].URL
		switch {
		case len(via) > 10:
			return finalf("more than 10 redirects")
		case to.URL.Scheme != "https" && to.URL.Scheme != "http":
			return finalf("a redirect to %s, expected a web address", to.URL)
		case from.Scheme == "https" && to.URL.Scheme != "https":
			return finalf("a redirect from https to %s", to.URL)
		}
		return nil
	}}
}
