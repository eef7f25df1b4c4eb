package ram

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// groups returns the folders of the control groups, of both versions, whose
// memory limits hold for the process: its own and those above them, as far as
// they are mounted. own is the content of /proc/self/cgroup, mounts that of
// /proc/self/mountinfo.
func groups(own, mounts string) (folders []string) {
	for line := range strings.Lines(mounts) {
		// ID, parent, device, root, mount point, options ... - type, source, options
		place, kind, found := strings.Cut(strings.TrimSpace(line), " - ")
		at, of := strings.Fields(place), strings.Fields(kind)
		if !found || len(at) < 5 || len(of) < 3 {
			continue
		}
		controller := "" // of version 2
		switch {
		case of[0] == "cgroup" && slices.Contains(strings.Split(of[2], ","), "memory"):
			controller = "memory"
		case of[0] != "cgroup2":
			continue
		}
		if path, found := pathOf(own, controller); found {
			folders = append(folders, above(at[4], within(path, at[3]))...)
		}
	}
	return folders
}

// pathOf returns the group of the process under a controller, from the line
// "4:memory:/a/b" or, in version 2, "0::/a/b".
func pathOf(own, controller string) (path string, found bool) {
	for line := range strings.Lines(own) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) == 3 && slices.Contains(strings.Split(fields[1], ","), controller) {
			return fields[2], true
		}
	}
	return "", false
}

// within returns the path below the mounted group: in a container, that is the
// container's own.
func within(path, root string) string {
	rel, err := filepath.Rel(root, path)
	if err != nil || strings.HasPrefix(rel, "..") {
		return "."
	}
	return rel
}

// above returns a folder below a mount point and all folders between them.
func above(mount, rel string) (folders []string) {
	for ; rel != "."; rel = filepath.Dir(rel) {
		folders = append(folders, filepath.Join(mount, rel))
	}
	return append(folders, mount)
}

// left returns what a group may still take: the lowest of its limits, less what
// it uses, except for cached files.
func left(folder string) int64 {
	limit := int64(math.MaxInt64)
	for _, name := range []string{"memory.max", "memory.high", "memory.limit_in_bytes"} {
		if n, limited := number(filepath.Join(folder, name)); limited {
			limit = min(limit, n)
		}
	}
	used, known := number(filepath.Join(folder, "memory.current"))
	if !known {
		used, known = number(filepath.Join(folder, "memory.usage_in_bytes"))
	}
	if limit == math.MaxInt64 || !known {
		return math.MaxInt64
	}
	return max(0, limit-used+cached(text(filepath.Join(folder, "memory.stat"))))
}

// cached returns the bytes of cached files in memory.stat, from lines such as
// "inactive_file 123"; in version 1, with those of the groups below.
func cached(stat string) int64 {
	counts := map[string]int64{}
	for line := range strings.Lines(stat) {
		if name, count, found := strings.Cut(strings.TrimSpace(line), " "); found {
			counts[name], _ = strconv.ParseInt(count, 10, 64) // 0 if it is none
		}
	}
	prefix := ""
	if _, hierarchical := counts["total_inactive_file"]; hierarchical {
		prefix = "total_"
	}
	return counts[prefix+"inactive_file"] + counts[prefix+"active_file"]
}
