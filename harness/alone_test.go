package harness

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/internal/lock"
)

// TestAloneNoMore: whoever has lost the machine to another process ends, and
// what it says is not that it was interrupted.
func TestAloneNoMore(t *testing.T) {
	t.Setenv("DGSBENCH_LOCKS", "leases")
	file := filepath.Join(t.TempDir(), "timing")
	t.Setenv(TimingLockVariable, file)
	for name, end := range map[string]func(context.Context) error{
		"at once":    context.Context.Err,
		"at the end": func(context.Context) error { return nil },
	} {
		err := ExclusiveTiming(context.Background(), nil, func(ctx context.Context) error {
			text, err := os.ReadFile(file + ".lease")
			if err != nil {
				return err
			}
			other := strings.Repeat("A", len(text)-1) + "\n"
			if err := os.WriteFile(file+".lease", []byte(other), 0o600); err != nil {
				return err
			}
			<-ctx.Done()
			return end(ctx)
		})
		if !errors.Is(err, lock.ErrLost) || Interrupted(err) {
			t.Errorf("%s: error %v, expected %v", name, err, lock.ErrLost)
		}
		if err := os.Remove(file + ".lease"); err != nil {
			t.Fatal(err)
		}
	}
}
