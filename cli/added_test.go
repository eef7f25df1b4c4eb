package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// TestAddedSpecs: specs that a program adds are found by name, replace
// built-in ones, and are replaced by those of --specs.
func TestAddedSpecs(t *testing.T) {
	added := fstest.MapFS{
		"deep/mine.yaml": {Data: []byte("id: mine\nmodel: raw\ntitle: Mine\n")},
		"raw.yaml":       {Data: []byte("id: raw\nmodel: raw\ntitle: Other Raw\n")},
		"notes.txt":      {Data: []byte("no spec: [")},
	}
	models := func(added fstest.MapFS, args ...string) (code int, stdout, stderr string) {
		var out, errs bytes.Buffer
		code = run(t.Context(), append([]string{"models"}, args...), &out, &errs, added)
		return code, out.String(), errs.String()
	}
	code, stdout, stderr := models(added)
	if code != exitDone || !strings.Contains(stdout, "Mine") || !strings.Contains(stdout, "Other Raw") {
		t.Errorf("exit code %d, %s\n%s", code, stderr, stdout)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "raw.yaml"), "id: raw\nmodel: raw\ntitle: Last Raw\n")
	if _, stdout, _ = models(added, "--specs", dir); !strings.Contains(stdout, "Last Raw") || strings.Contains(stdout, "Other Raw") {
		t.Errorf("with --specs:\n%s", stdout)
	}
	wrong := fstest.MapFS{"deep/wrong.yaml": {Data: []byte("id: wrong\nmodel: raw\n")}}
	if code, _, stderr = models(wrong); code != exitUsage || !strings.Contains(stderr, filepath.Join("deep", "wrong.yaml")+`:1: key "title" is missing`) {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

// TestVersions: the program, CITATION.cff and CHANGELOG.md have one version.
func TestVersions(t *testing.T) {
	for file, want := range map[string]string{"CITATION.cff": "\nversion: " + Version + "\n", "CHANGELOG.md": "\n## " + Version} {
		if text := read(t, "..", file); !strings.Contains(text, want) {
			t.Errorf("%s has no %q", file, want)
		}
	}
	if text := read(t, "..", "CHANGELOG.md"); strings.Index(text, "\n## ") != strings.Index(text, "\n## "+Version) {
		t.Error("the first version of CHANGELOG.md is another one")
	}
	if code, stdout, _ := bench("version"); code != exitDone || !strings.HasPrefix(stdout, "version   "+Version+"\n") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
}
