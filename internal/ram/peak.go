package ram

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"
)

// Peak is the most memory that the program has held at once since it started
// or since ForgetPeak, in bytes (Linux: resident pages). Elsewhere it is not
// known.
func Peak() (bytes int64, known bool) {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0, false
	}
	defer f.Close()
	return field(f, "VmHWM:")
}

// ForgetPeak makes Peak start anew from what the program holds now. It
// reports whether the system could do so.
func ForgetPeak() bool { return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil }

// field reads a line such as "MemAvailable: 123 kB".
func field(from io.Reader, name string) (bytes int64, known bool) {
	for lines := bufio.NewScanner(from); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) == 3 && fields[0] == name && fields[2] == "kB" {
			kB, err := strconv.ParseInt(fields[1], 10, 64)
			return kB << 10, err == nil
		}
	}
	return 0, false
}
