package datasets

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// encoded is a cache file.
func encoded(tb failer, key cacheKey, s Stream) []byte {
	tb.Helper()
	var buf bytes.Buffer
	if err := encodeCache(&buf, key, s); err != nil {
		tb.Fatalf("%v", err)
	}
	return buf.Bytes()
}

func decoded(data []byte) (cacheKey, Stream, error) {
	return decodeCache(bytes.NewReader(data), int64(len(data)))
}

// What is kept comes back the same, and any damaged byte, any missing or
// further one is found.
func TestCacheIsWholeOrRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want, _ := drawStream(t, rapid.Bool().Draw(t, "bipartite"))
		key := cacheKey{File: [32]byte{1, 2}, Layout: [32]byte{3}}
		data := encoded(t, key, want)
		gotKey, got, err := decoded(data)
		if err != nil || gotKey != key {
			t.Fatalf("key %x, error %v", gotKey, err)
		}
		if diff := diffStreams(want, got); diff != "" {
			t.Fatal(diff)
		}
		at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
		flip := rapid.ByteRange(1, 255).Draw(t, "flip")
		data[at] ^= flip
		if _, _, err := decoded(data); !errors.Is(err, errNoCache) {
			t.Fatalf("byte %d of %d differs by %x: %v", at, len(data), flip, err)
		}
		data[at] ^= flip
		if _, _, err := decoded(data[:at]); !errors.Is(err, errNoCache) {
			t.Fatalf("%d of %d bytes: %v", at, len(data), err)
		}
		if _, _, err := decoded(append(bytes.Clone(data), flip)); !errors.Is(err, errNoCache) {
			t.Fatalf("a byte more: %v", err)
		}
	})
}

// Every single byte of a small one.
func TestCacheEveryByteCounts(t *testing.T) {
	data := encoded(t, cacheKey{}, tinyStream())
	for at := range data {
		for _, flip := range []byte{1, 0x80, 0xff} {
			data[at] ^= flip
			if _, _, err := decoded(data); !errors.Is(err, errNoCache) {
				t.Fatalf("byte %d of %d differs by %x: %v", at, len(data), flip, err)
			}
			data[at] ^= flip
		}
	}
	if _, _, err := decoded(data); err != nil {
		t.Errorf("restored: %v", err)
	}
}

// resum makes the checksum fit.
func resum(data []byte) {
	end := len(data) - sha256.Size
	sum := sha256.Sum256(data[:end])
	copy(data[end:], sum[:])
}

// Another version is refused though nothing is damaged.
func TestCacheOfAnotherVersion(t *testing.T) {
	data := encoded(t, cacheKey{}, tinyStream())
	binary.NativeEndian.PutUint32(data[len(cacheMagic):], cacheVersion+1)
	resum(data)
	if _, _, err := decoded(data); !errors.Is(err, errNoCache) {
		t.Error(err)
	}
}

// FuzzCache: any bytes, also under a checksum that fits, are a stream of the
// size that they say, or refused.
func FuzzCache(f *testing.F) {
	var buf bytes.Buffer
	if err := encodeCache(&buf, cacheKey{}, tinyStream()); err != nil {
		f.Fatal(err)
	}
	f.Add(buf.Bytes(), true)
	f.Add(buf.Bytes()[:headBytes], false)
	f.Fuzz(func(t *testing.T, data []byte, fits bool) {
		data = bytes.Clone(data)
		if fits && len(data) >= sha256.Size {
			resum(data)
		}
		_, s, err := decoded(data)
		if err != nil {
			return
		}
		n := s.Len()
		if len(s.Dst) != n || len(s.Time) != n || len(s.Label) != n || len(s.Feat) != n*s.NumFeat || s.Users > s.NumNodes {
			t.Errorf("%d sources, %d destinations, %d times, %d labels, %d features", n, len(s.Dst), len(s.Time), len(s.Label), len(s.Feat))
		}
	})
}

// aFile is a data folder with a dataset whose checksum is not known.
func aFile(t *testing.T, text string) (dir string, d Dataset) {
	t.Helper()
	dir = t.TempDir()
	putFile(t, dir, text)
	return dir, Dataset{
		Name: "f", URL: "https://example.org", File: "f.csv", Split: ByRow(.5, .7), HeldOut: SampleHeldOut(1),
		Layout: Layout{Src: "a", Dst: "b", Time: "t", Features: []string{"x"}},
	}
}

func putFile(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "f.csv"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

const fileText = "a,b,t,x\nu,v,1,0.1\nv,u,2,1e-40\nw,u,2,3\n"

// load loads the dataset, and compares it with the file.
func load(t *testing.T, dir string, d Dataset) {
	t.Helper()
	l, err := d.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	want, err := ReadFile(filepath.Join(dir, d.File), d.Layout)
	if err != nil {
		t.Fatal(err)
	}
	if diff := diffStreams(want, l.Stream); diff != "" {
		t.Errorf("the file (-) and what was loaded (+):\n%s", diff)
	}
}

func cacheFile(t *testing.T, dir string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, cacheDir, "*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("caches %v, error %v", found, err)
	}
	return found[0]
}

// keptOf says whether a whole cache of the present file is there.
func keptOf(t *testing.T, dir string, d Dataset) bool {
	t.Helper()
	sum, err := checksum(filepath.Join(dir, d.File))
	if err != nil {
		t.Fatal(err)
	}
	c := newCache(filepath.Join(dir, d.File), d.Layout)
	if c.path != cacheFile(t, dir) {
		t.Fatalf("the cache is %s, expected %s", cacheFile(t, dir), c.path)
	}
	key, _, err := c.open()
	return err == nil && key == cacheKey{sum, c.id}
}

// A cache is used, and whatever happens to it or to the file, what is loaded
// is what is in the file.
func TestCacheIsNeverTrusted(t *testing.T) {
	dir, d := aFile(t, fileText)
	load(t, dir, d)
	if !keptOf(t, dir, d) {
		t.Fatal("nothing was kept")
	}
	load(t, dir, d)
	path := cacheFile(t, dir)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put := func(data []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	damaged := bytes.Clone(whole)
	damaged[len(damaged)/2] ^= 1
	stale := bytes.Clone(whole)
	copy(stale[48:], "another file") // its key
	resum(stale)
	for name, data := range map[string][]byte{"damaged": damaged, "truncated": whole[:len(whole)-1], "empty": nil, "of another file": stale} {
		put(data)
		load(t, dir, d)
		if !keptOf(t, dir, d) {
			t.Errorf("%s: not made again", name)
		}
	}
	info, err := os.Stat(filepath.Join(dir, d.File))
	if err != nil {
		t.Fatal(err)
	}
	putFile(t, dir, "a,b,t,x\nu,v,1,0.1\nv,u,2,2e-40\nw,u,2,3\n") // of the same size and time
	if err := os.Chtimes(filepath.Join(dir, d.File), time.Time{}, info.ModTime()); err != nil {
		t.Fatal(err)
	}
	load(t, dir, d)
	d.Layout.Features = nil // a cache of its own
	load(t, dir, d)
	load(t, dir, d)
}

// A cache of one layout under the name of another one's is not used.
func TestCacheOfAnotherLayout(t *testing.T) {
	dir, d := aFile(t, fileText)
	load(t, dir, d)
	path := cacheFile(t, dir)
	d.Layout.Features = nil
	other := newCache(filepath.Join(dir, d.File), d.Layout)
	if err := os.Rename(path, other.path); err != nil {
		t.Fatal(err)
	}
	load(t, dir, d)
}

// What was loaded earlier stays what it was when the cache is made again.
func TestCacheIsReplacedNotOverwritten(t *testing.T) {
	dir, d := aFile(t, fileText)
	load(t, dir, d)
	first, err := d.Load(dir) // from the cache
	if err != nil {
		t.Fatal(err)
	}
	putFile(t, dir, "a,b,t,x\nz,z,5,7\nz,y,6,8\n")
	load(t, dir, d)
	load(t, dir, d)
	if got := first.Stream.Feat[2]; got != 3 || first.Stream.Len() != 3 {
		t.Errorf("%d events, feature %v, expected the ones of before", first.Stream.Len(), got)
	}
}

// What was loaded stays what it was when another program writes into the
// cache, or cuts it: cp and rsync --inplace do.
func TestCacheChangesUnderTheStream(t *testing.T) {
	for name, change := range map[string]func(path string, size int64) error{
		"overwritten": func(path string, size int64) error { return os.WriteFile(path, make([]byte, size), 0o644) },
		"cut":         func(path string, _ int64) error { return os.Truncate(path, 0) },
	} {
		dir, d := aFile(t, fileText)
		load(t, dir, d)
		first, err := d.Load(dir) // from the cache
		if err != nil {
			t.Fatal(err)
		}
		want := first.Stream.Feat[2]
		path := cacheFile(t, dir)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := change(path, info.Size()); err != nil {
			t.Fatal(err)
		}
		fault := debug.SetPanicOnFault(true) // so that this test fails, not all
		func() {
			defer debug.SetPanicOnFault(fault)
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("%s: %v", name, r)
				}
			}()
			if got := first.Stream.Feat[2]; got != want || want == 0 {
				t.Errorf("%s: feature %v, expected %v", name, got, want)
			}
		}()
	}
}

// A file that says to be of another size than it is is not read: it may be
// larger than the memory.
func TestCacheOfAnotherSize(t *testing.T) {
	dir, d := aFile(t, fileText)
	load(t, dir, d)
	path := cacheFile(t, dir)
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Skip(err) // the file system has no such files
	}
	if _, _, err := newCache(filepath.Join(dir, d.File), d.Layout).open(); !errors.Is(err, errNoCache) {
		t.Error(err)
	}
	load(t, dir, d)
}

// Where nothing can be kept, loading continues without it.
func TestCacheCannotBeWritten(t *testing.T) {
	dir, d := aFile(t, fileText)
	if err := os.WriteFile(filepath.Join(dir, cacheDir), nil, 0o644); err != nil { // in the folder's place
		t.Fatal(err)
	}
	load(t, dir, d)
	dir, d = aFile(t, fileText)
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755) // it is removed after the test
	load(t, dir, d)
	if _, err := os.Stat(filepath.Join(dir, cacheDir)); err == nil {
		t.Error("a cache was made in a folder to read")
	}
}

// A checksum that is wrong stops before anything is kept.
func TestNothingIsKeptOfAWrongFile(t *testing.T) {
	dir, d := aFile(t, fileText)
	d.SHA256 = "00"
	if _, err := d.Load(dir); err == nil {
		t.Error("no error")
	}
	if _, err := os.Stat(filepath.Join(dir, cacheDir)); err == nil {
		t.Error("a cache was made")
	}
}

// BenchmarkLoad compares parsing with what is kept, in bytes of the CSV file.
func BenchmarkLoad(b *testing.B) {
	dir := b.TempDir()
	d := Dataset{Name: "f", File: "f.csv", Layout: JODIE, Split: ByRow(.5, .7), HeldOut: SampleHeldOut(1)}
	path := filepath.Join(dir, d.File)
	writeJODIE(b, path, 20_000, 172)
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	for name, prepare := range map[string]func() error{
		"parsed": func() error { return os.RemoveAll(filepath.Join(dir, cacheDir)) },
		"kept":   func() error { _, err := d.Load(dir); return err },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(info.Size())
			for b.Loop() {
				b.StopTimer()
				if err := prepare(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				if _, err := d.Load(dir); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("checksum", func(b *testing.B) {
		b.SetBytes(info.Size())
		for b.Loop() {
			if _, err := checksum(path); err != nil {
				b.Fatal(err)
			}
		}
	})
}
