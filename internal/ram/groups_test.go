package ram

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// TestGroups: own groups and those above them, as far as they are mounted.
func TestGroups(t *testing.T) {
	const v2 = "41 31 0:38 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw\n"
	const v1 = "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n36 31 0:33 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
	const inDocker = "35 31 0:32 /docker/ab /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
	cases := []struct {
		own, mounts string
		want        []string
	}{
		{"0::/\n", v2, []string{"/sys/fs/cgroup"}},
		{"1:cpu:/x\n0::/slurm/job_7\n", v2, []string{"/sys/fs/cgroup/slurm/job_7", "/sys/fs/cgroup/slurm", "/sys/fs/cgroup"}},
		{"3:cpu,memory:/a/b\n1:cpu:/x\n0::/\n", v1, []string{"/sys/fs/cgroup/memory/a/b", "/sys/fs/cgroup/memory/a", "/sys/fs/cgroup/memory"}},
		{"3:memory:/docker/ab/c\n", inDocker, []string{"/sys/fs/cgroup/memory/c", "/sys/fs/cgroup/memory"}},
		{"3:memory:/elsewhere\n", inDocker, []string{"/sys/fs/cgroup/memory"}},
		{"3:cpu:/a\n", v1, nil},
		{"0::/a\n", "", nil},
	}
	for _, c := range cases {
		if got := groups(c.own, c.mounts); !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, expected %v", c.own, got, c.want)
		}
	}
}

// TestLeft: the lowest limit counts, and files that are cached do not count as
// used.
func TestLeft(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"version 2":     {map[string]string{"memory.max": "1000\n", "memory.current": "700\n", "memory.stat": "anon 300\ninactive_file 250\nactive_file 50\n"}, 600},
		"throttled":     {map[string]string{"memory.max": "1000\n", "memory.high": "800\n", "memory.current": "700\n"}, 100},
		"unlimited":     {map[string]string{"memory.max": "max\n", "memory.high": "max\n", "memory.current": "700\n"}, math.MaxInt64},
		"more than all": {map[string]string{"memory.max": "500\n", "memory.current": "700\n"}, 0},
		"version 1": {map[string]string{
			"memory.limit_in_bytes": "1000\n", "memory.usage_in_bytes": "700\n",
			"memory.stat": "inactive_file 1\nactive_file 2\ntotal_inactive_file 100\ntotal_active_file 200\n",
		}, 600},
		"no group": {nil, math.MaxInt64},
	} {
		folder := t.TempDir()
		for file, text := range c.files {
			if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := left(folder); got != c.want {
			t.Errorf("%s: %d bytes left, expected %d", name, got, c.want)
		}
	}
}

// TestProcess: the limits of addresses and of data, less what is taken.
func TestProcess(t *testing.T) {
	const status = "VmSize:\t 100 kB\nVmData:\t 50 kB\n"
	for line, want := range map[string]int64{
		"Max address space         1102400              unlimited            bytes": 1102400 - 100<<10,
		"Max data size             1051200              unlimited            bytes": 1051200 - 50<<10,
	} {
		if got := process(line, status); got < want || got > want+1<<30 {
			t.Errorf("%q: %d left, expected %d and the free part of the heap", line, got, want)
		}
	}
	const addresses, idle = "Max address space         1102400              unlimited            bytes", 256 << 20
	before := process(addresses, status)
	runtime.KeepAlive(make([]byte, idle))
	runtime.GC()
	if now := process(addresses, status); now < before+idle/2 {
		t.Errorf("%d left, and %d with %d bytes of the heap free", before, now, idle)
	}
	if got := process("Max address space         unlimited            unlimited            bytes", status); got != math.MaxInt64 {
		t.Errorf("%d left without a limit", got)
	}
}
