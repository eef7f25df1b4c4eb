package specs_test

import (
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/internal/golden"
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
			golden.Compare(t, strings.TrimSuffix(file, ".yaml")+".want", text+"\n")
		})
	}
}
