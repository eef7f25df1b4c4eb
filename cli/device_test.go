package cli

import (
	"strings"
	"testing"
)

// TestUnknownDevice: whoever asks for a device gets it or nothing.
func TestUnknownDevice(t *testing.T) {
	for _, command := range []string{"all", "run", "plan", "latency", "check", "scale dgs --sweep length=10", "tune --model dgs --dataset shop-sim --task nc"} {
		args := append(strings.Fields(command), "--device", "tpu")
		code, stdout, stderr := bench(args...)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, `--device tpu: "tpu" is no device, expected cpu, cuda or cuda:N`) {
			t.Errorf("%v: exit code %d\n%s%s", args, code, stdout, stderr)
		}
	}
}
