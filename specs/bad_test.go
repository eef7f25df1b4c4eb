package specs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dgsbench/specs"
)

// toyLibrary holds the specs of testdata/good beside the embedded ones.
func toyLibrary(t *testing.T) *specs.Library {
	t.Helper()
	lib, err := specs.NewLibrary("testdata/good")
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

// load reads a spec file whole, as `bench run FILE` does.
func load(lib *specs.Library, file string) error {
	e, err := lib.AddFile(file)
	switch {
	case err != nil:
		return err
	case e.Suite:
		_, err = lib.LoadSuite(e.Name)
	default:
		_, err = lib.LoadModel(e.Name)
	}
	return err
}

// Every file in testdata/bad is refused with exactly the lines of its .want.
func TestBadSpecs(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			lib := toyLibrary(t)
			if strings.Contains(file, "broken-model") {
				if _, err := lib.AddFile("testdata/broken/broken.yaml"); err != nil {
					t.Fatal(err)
				}
			}
			err := load(lib, file)
			if err == nil {
				t.Fatal("no error")
			}
			text := strings.ReplaceAll(err.Error(), "testdata/", "")
			compareGolden(t, strings.TrimSuffix(file, ".yaml")+".want", text+"\n")
		})
	}
}

// compareGolden compares with a file, and leaves what differs beside it.
func compareGolden(t *testing.T, file, got string) {
	t.Helper()
	want, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		gotFile := filepath.Join(filepath.Dir(file), ".got-"+filepath.Base(file))
		if err := os.WriteFile(gotFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Errorf("%s (-want +got), got is in %s:\n%s", file, gotFile, diff)
	}
}
