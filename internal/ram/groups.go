package ram

import (
	"bufio"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// groups are the process's own control group (version 2) and those above it,
// from the line "0::/a/b".
func groups(own string) []string {
	for line := range strings.Lines(own) {
		path, found := strings.CutPrefix(strings.TrimSpace(line), "0::")
		if !found {
			continue
		}
		out := []string{path}
		for path != "/" && path != "." {
			path = filepath.Dir(path)
			out = append(out, path)
		}
		return out
	}
	return nil
}

// left is what a group may still take: its limit, less what it uses and
// cannot give back. Cached files can be.
func left(folder string) int64 {
	limit, limited := number(filepath.Join(folder, "memory.max"))
	used, known := number(filepath.Join(folder, "memory.current"))
	if !limited || !known {
		return math.MaxInt64
	}
	if f, err := os.Open(filepath.Join(folder, "memory.stat")); err == nil {
		defer f.Close()
		used -= cached(f)
	}
	return max(0, limit-used)
}

// cached reads the line "inactive_file 123".
func cached(stat io.Reader) int64 {
	for lines := bufio.NewScanner(stat); lines.Scan(); {
		if count, found := strings.CutPrefix(lines.Text(), "inactive_file "); found {
			n, _ := strconv.ParseInt(count, 10, 64) // 0 if it is none
			return n
		}
	}
	return 0
}
