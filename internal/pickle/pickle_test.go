package pickle_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/internal/pickle"
)

// lines returns the entries as testdata/write.py writes them.
func lines(data []byte) (string, error) {
	var out strings.Builder
	err := pickle.Dict(data, func(key, values []int64) error {
		fmt.Fprintln(&out, key, values)
		return nil
	})
	return out.String(), err
}

// checkFolder compares all pickles of a folder with the texts beside them.
func checkFolder(t *testing.T, folder string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.pkl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files in %s, %v", len(files), folder, err)
	}
	for _, file := range files {
		got, err := lines(read(t, file))
		want := string(read(t, file[:strings.LastIndexByte(file, '-')]+".txt"))
		if err != nil || got != want {
			t.Errorf("%s: %v, got\n%s, want\n%s", file, err, got, want)
		}
	}
}

func read(t testing.TB, path ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestFiles: what NumPy 1.26 and 2.1 have written.
func TestFiles(t *testing.T) {
	checkFolder(t, filepath.Join("testdata", "numpy1"))
	checkFolder(t, filepath.Join("testdata", "numpy2"))
}

// TestWrittenByNumPy: what the NumPy at hand writes, in every protocol and type.
func TestWrittenByNumPy(t *testing.T) {
	if exec.Command("python3", "-c", "import numpy").Run() != nil {
		t.Skip("needs Python with NumPy")
	}
	dir := t.TempDir()
	out, err := exec.Command("python3", filepath.Join("testdata", "write.py"), dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	checkFolder(t, dir)
}

// Parts of pickles.
const (
	number  = "cnumpy\ndtype\n\x8c\x02i8\x89\x88\x87R(K\x03\x8c\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
	builder = "cnumpy.core.numeric\n_frombuffer\n"
)

// of returns a dictionary with one entry, from (1,) to the array of these arguments.
func of(args string) string { return "\x80\x05}(K\x01\x85" + builder + "(" + args + "tRu." }

func TestRefused(t *testing.T) {
	if got, err := lines([]byte(of("C\x08abcdefgh" + number + "K\x01\x85\x8c\x01C"))); err != nil || got != "[1] [7523094288207667809]\n" {
		t.Fatalf("the array that the others are made from: %q, %v", got, err)
	}
	for name, c := range map[string]struct{ file, want string }{
		"nothing":              {"", "ends too early"},
		"another command":      {"\x80\x05cos\nsystem\n\x8c\x02id\x85R.", `"os.system", which no dictionary of arrays needs`},
		"a name on the stack":  {"\x80\x05\x8c\x08builtins\x8c\x04eval\x93\x8c\x011\x85R.", `"builtins.eval"`},
		"an object":            {"\x80\x05)\x81.", "opcode 0x81"},
		"an extension":         {"\x80\x05\x82\x01.", "opcode 0x82"},
		"a persistent object":  {"\x80\x05K\x01Q.", "opcode 0x51"},
		"a buffer elsewhere":   {"\x80\x05\x97.", "opcode 0x97"},
		"a list":               {"\x80\x05].", "opcode 0x5d"},
		"protocol 0":           {"\x80\x00}.", "protocol 0, expected 2 to 5"},
		"a number":             {"\x80\x05K\x01.", "something else than one dictionary"},
		"two dictionaries":     {"\x80\x05}}.", "a second dictionary"},
		"a value that is none": {"\x80\x05}K\x01\x85K\x02s.", "no tuple of whole numbers with an array"},
		"a key of text":        {strings.Replace(of("C\x08abcdefgh"+number+"K\x01\x85\x8c\x01C"), "K\x01\x85", "\x8c\x01a\x85", 1), "no number"},
		"half a number as key": {strings.Replace(of("C\x08abcdefgh"+number+"K\x01\x85\x8c\x01C"), "K\x01\x85", "G\x3f\xe0\x00\x00\x00\x00\x00\x00\x85", 1), "0.5, expected a whole one"},
		"too short":            {of("C\x07abcdefg" + number + "K\x01\x85\x8c\x01C"), "1 values in 7 bytes"},
		"a shape beyond all":   {of("C\x08abcdefgh" + number + "\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x20\x85\x8c\x01C"), "in 8 bytes"},
		"a negative shape":     {of("C\x08abcdefgh" + number + "J\xff\xff\xff\xff\x85\x8c\x01C"), "-1 values"},
		"two dimensions":       {of("C\x08abcdefgh" + number + "K\x01K\x01\x86\x8c\x01C"), "2 dimensions"},
		"objects":              {of("C\x08abcdefgh" + strings.Replace(number, "i8", "O8", 1) + "K\x01\x85\x8c\x01C"), `"O8"`},
		"big-endian":           {of("C\x08abcdefgh" + strings.Replace(number, "<", ">", 1) + "K\x01\x85\x8c\x01C"), "not little-endian"},
		"bytes without end":    {"\x80\x05\x8e\xff\xff\xff\xff\xff\xff\xff\xff", "ends too early"},
		"a name without end":   {"\x80\x05c" + strings.Repeat("a", 200), "does not end"},
		"no mark":              {"\x80\x05}u.", "without its mark"},
		"no values":            {"\x80\x05\x86.", "without its values"},
		"nothing kept":         {"\x80\x05h\x07.", "number 7"},
		"a number of 9 bytes":  {"\x80\x05\x8a\x09123456789.", "9 bytes"},
		"a called number":      {"\x80\x05K\x01)R.", "has no name"},
		"values without end":   {"\x80\x05" + strings.Repeat("N", 1<<20+1), "more values"},
	} {
		got, err := lines([]byte(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "pickle, byte ") {
			t.Errorf("%s: %q, error %v, expected %q", name, got, err, c.want)
		}
	}
}

// TestCut: no beginning of a file is a file.
func TestCut(t *testing.T) {
	whole := read(t, "testdata", "numpy2", "scalars-5.pkl")
	for n := range whole {
		if got, err := lines(whole[:n:n]); err == nil {
			t.Fatalf("the first %d of %d bytes: %q", n, len(whole), got)
		}
	}
}

// TestOwnError: an error of the caller comes back as it is.
func TestOwnError(t *testing.T) {
	own := errors.New("enough")
	if err := pickle.Dict(read(t, "testdata", "numpy1", "scalars-4.pkl"), func(_, _ []int64) error { return own }); err != own {
		t.Errorf("got %v", err)
	}
}

// FuzzDict: whatever the file, it is read or refused, and values are not more than its
// bytes for each entry.
func FuzzDict(f *testing.F) {
	for _, folder := range []string{"numpy1", "numpy2"} {
		for protocol := 2; protocol <= 5; protocol++ {
			f.Add(read(f, "testdata", folder, fmt.Sprintf("scalars-%d.pkl", protocol)))
		}
		f.Add(read(f, "testdata", folder, "float32-5.pkl"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		entries := 0
		err := pickle.Dict(data, func(key, values []int64) error {
			if entries++; len(key)+len(values) > len(data) {
				t.Fatalf("%d numbers in %d bytes", len(key)+len(values), len(data))
			}
			return nil
		})
		if entries > len(data) {
			t.Fatalf("%d entries in %d bytes, %v", entries, len(data), err)
		}
	})
}
