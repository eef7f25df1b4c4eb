package cluster

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// submitter is an engine that takes all tasks.
type submitter struct {
	Engine
	cancelled bool
}

func (s *submitter) Submit(context.Context, *Job, []Task) ([]string, error) {
	return []string{"7"}, nil
}

func (s *submitter) Cancel(_ context.Context, j *Job) error {
	s.cancelled = slices.Contains(j.Submissions[0].IDs, "7")
	return nil
}

// TestSubmitUnwritten: that tasks were submitted is written as soon as that is
// possible; if it never is, they are cancelled.
func TestSubmitUnwritten(t *testing.T) {
	for _, later := range []bool{true, false} {
		folder := filepath.Join(t.TempDir(), "job")
		if err := os.WriteFile(folder, nil, 0o666); err != nil { // no folder: nothing can be written to it
			t.Fatal(err)
		}
		j := &Job{Folder: folder, Options: Options{PollSeconds: .001}}
		e := &submitter{}
		if later {
			j.Options.PollSeconds = .02
			time.AfterFunc(30*time.Millisecond, func() {
				_ = os.Remove(folder)
				_ = os.Mkdir(folder, 0o777)
			})
		}
		err := j.submit(context.Background(), e, []Task{{Number: 1}})
		if (err == nil) != later || e.cancelled == later {
			t.Errorf("%t: %v, cancelled: %t", later, err, e.cancelled)
		}
		if later {
			if read, err := Read(folder); err != nil || len(read.Submissions) != 1 {
				t.Errorf("%v, %v, expected a submission", read, err)
			}
		}
	}
}
