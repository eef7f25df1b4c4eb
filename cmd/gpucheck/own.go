//go:build gpu

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"dgsbench/kernels/devices"
)

// measured are what this program times by itself, each in a process of its
// own: what one does to the card does not reach the others. A check holds no
// card: it may be one that only one program at a time can have.
var measured = map[string]func(m *measuring) error{
	"card":    nameCard,
	"driver":  measureDriver,
	"epochs":  measureEpochs,
	"ranking": measureRanking,
}

// measuring is a measurement in progress.
type measuring struct {
	tiny bool
	card devices.Target
	emit func(Time) error
}

// measureOwn prints the times of one of them, a line of JSON each.
func measureOwn(what string, tiny bool, more []string) error {
	do := measured[what]
	if do == nil || len(more) > 0 {
		return fmt.Errorf("%w: -measure %s %v, expected card, driver, epochs or ranking", errUsage, what, more)
	}
	card, err := devices.Find(devices.CUDA)
	if err != nil {
		return errors.Join(errNoCard, err)
	}
	lines := json.NewEncoder(os.Stdout)
	return do(&measuring{tiny: tiny, card: card, emit: func(t Time) error { return lines.Encode(t) }})
}

// numRounds are recorded. Each is the median of several repetitions: one alone
// is too short.
const numRounds = 10

// rounds times f, after it has warmed up the card: clocks are low in one that
// idles.
func (m *measuring) rounds(repetitions int, f func() error) ([]float64, error) {
	count, warm := numRounds, 500*time.Millisecond
	if m.tiny {
		count, warm, repetitions = 2, 0, 1
	}
	for start := time.Now(); ; {
		if err := f(); err != nil {
			return nil, err
		}
		if time.Since(start) >= warm {
			break
		}
	}
	var all []float64
	for range count {
		var some []float64
		for range repetitions {
			start := time.Now()
			if err := f(); err != nil {
				return nil, err
			}
			some = append(some, time.Since(start).Seconds())
		}
		all = append(all, median(some))
	}
	return all, nil
}
