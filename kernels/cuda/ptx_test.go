package cuda_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// made is the first line of PTX that gen.sh has written.
const made = "// made by gen.sh of sources "

// TestPTXIsOfItsSource fails when a kernel, a header or gen.sh was changed and
// gen.sh was not run. It needs no compiler.
func TestPTXIsOfItsSource(t *testing.T) {
	headers, sources, modules := files(t, "*.h"), files(t, "*.cu"), files(t, "*.ptx")
	if len(sources) == 0 || len(modules) != len(sources) {
		t.Fatalf("%d sources, %d of PTX; run kernels/cuda/gen.sh", len(sources), len(modules))
	}
	for _, source := range sources {
		module := strings.TrimSuffix(source, ".cu") + ".ptx"
		h := sha256.New()
		for _, of := range slices.Concat([]string{"gen.sh"}, headers, []string{source}) {
			h.Write(content(t, of))
		}
		stamp, _, _ := strings.Cut(string(content(t, module)), "\n")
		if stamp != made+hex.EncodeToString(h.Sum(nil)) {
			t.Errorf("%s is not made of the present %s; run kernels/cuda/gen.sh, which needs nvcc", module, source)
		}
		checkEntries(t, source, module)
	}
}

var (
	kernelName = regexp.MustCompile(`(?m)^KERNEL\((\w+)\)`)
	entryName  = regexp.MustCompile(`(?m)^\.visible \.entry (\w+)\(`)
)

// checkEntries: each kernel starts a line of its own in the source, where the
// emulator looks for it.
func checkEntries(t *testing.T, source, module string) {
	t.Helper()
	names := func(pattern *regexp.Regexp, file string) (all []string) {
		for _, match := range pattern.FindAllStringSubmatch(string(content(t, file)), -1) {
			all = append(all, match[1])
		}
		slices.Sort(all)
		return all
	}
	if want, got := names(kernelName, source), names(entryName, module); !slices.Equal(got, want) {
		t.Errorf("%s has the kernels %v, %s %v", source, want, module, got)
	}
}

func files(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func content(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
