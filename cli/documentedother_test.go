package cli

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocumentedOthers checks the commands that are none of bench, without
// running them: packages, tests and files are there, scripts can be read.
func TestDocumentedOthers(t *testing.T) {
	root := filepath.Join("..")
	tr := readTreatment(t)
	for _, d := range documents(t, root) {
		for _, c := range d.commands {
			if _, _, ok := listed(tr.Unchecked, c); ok || c.words[0] == "bench" {
				continue
			}
			t.Run(c.where+" "+c.String(), func(t *testing.T) { checkOther(t, root, c.words) })
		}
	}
}

func checkOther(t *testing.T, root string, words []string) {
	program := words[0]
	switch program {
	case "go":
		checkGo(t, root, words[1], words[2:])
		return
	case "python", "python3":
		program = words[1]
	case "tar":
		t.Fatal("nobody knows how to check this: list it in testdata/documented.yaml")
	}
	file := filepath.Join(root, program)
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Ext(file) == ".py" {
		compiles(t, "python3", "-c", "import ast, sys; ast.parse(open(sys.argv[1]).read())", file)
		return
	}
	if info.Mode()&0o111 == 0 {
		t.Errorf("%s cannot be executed", program)
	}
	compiles(t, "bash", "-n", file)
}

// compiles asks an interpreter, where there is one, whether it could run a
// file.
func compiles(t *testing.T, interpreter string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath(interpreter); err != nil {
		return
	}
	if output, err := exec.Command(interpreter, args...).CombinedOutput(); err != nil {
		t.Errorf("%s %s: %v\n%s", interpreter, strings.Join(args, " "), err, output)
	}
}

// checkGo looks for the packages, and for the tests and benchmarks that
// `go test` is to run.
func checkGo(t *testing.T, root, verb string, args []string) {
	var run, bench string
	flags := flag.NewFlagSet(verb, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&run, "run", "", "")
	flags.StringVar(&bench, "bench", "", "")
	for _, name := range []string{"benchtime", "count", "cpuprofile", "o", "outputdir", "tags"} {
		flags.String(name, "", "")
	}
	for _, name := range []string{"artifacts", "overlay", "v"} {
		flags.Bool(name, false, "")
	}
	if !slices.Contains([]string{"build", "install", "run", "test", "vet"}, verb) {
		t.Fatalf("nobody knows how to check go %s: list it in testdata/documented.yaml", verb)
	}
	var packages []string
	for len(args) > 0 {
		if err := flags.Parse(args); err != nil {
			t.Fatal(err)
		}
		if args = flags.Args(); len(args) > 0 {
			packages, args = append(packages, args[0]), args[1:]
		}
		if verb == "run" {
			break // the others are for the program
		}
	}
	var names []string
	for _, pattern := range packages {
		names = append(names, testNames(t, root, pattern)...)
	}
	if bench != "" {
		checkMatch(t, bench, names, "Benchmark")
	} else if run != "" {
		checkMatch(t, run, names, "Test", "Example", "Fuzz")
	}
}

// checkMatch fails where `go test` would find nothing to run. What follows a
// slash is about parts of tests, which only running them tells.
func checkMatch(t *testing.T, pattern string, names []string, kinds ...string) {
	t.Helper()
	first, _, _ := strings.Cut(strings.Trim(pattern, "'"), "/")
	match, err := regexp.Compile(first)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		isKind := func(kind string) bool { return strings.HasPrefix(name, kind) }
		if slices.ContainsFunc(kinds, isKind) && match.MatchString(name) {
			return
		}
	}
	t.Errorf("%s matches no %s", pattern, strings.Join(kinds, ", "))
}

// testNames are the functions in the tests of a package, or, of a pattern
// that ends in "...", of all packages below. Build tags do not matter.
func testNames(t *testing.T, root, pattern string) (names []string) {
	t.Helper()
	folder, below := strings.CutSuffix(pattern, "/...")
	sources := 0
	err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || d.IsDir() {
			return err
		}
		if !below && filepath.Dir(path) != filepath.Join(root, folder) {
			return nil
		}
		sources++
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
				names = append(names, f.Name.Name)
			}
		}
		return nil
	})
	if err != nil || sources == 0 {
		t.Fatalf("package %s: %v, %d source files", pattern, err, sources)
	}
	return names
}

// TestCheckMatch: patterns that nothing has are found.
func TestCheckMatch(t *testing.T) {
	names := testNames(t, filepath.Join(".."), "./cli")
	if !slices.Contains(names, "TestCheckMatch") || slices.Contains(names, "TestImports") {
		t.Errorf("wrong names: %v", names)
	}
	checkMatch(t, "'Check/x'", names, "Test")
	if all := testNames(t, filepath.Join(".."), "./..."); !slices.Contains(all, "TestImports") {
		t.Error("./... has no TestImports of internal/layout")
	}
}
