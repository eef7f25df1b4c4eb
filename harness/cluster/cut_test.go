package cluster

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// someWork returns random trials of three datasets, of which some take a card, and
// some tests that take a node alone.
func someWork(r *rand.Rand) (all []Work) {
	for i := range 1 + r.IntN(200) {
		w := Work{
			Kind: Trials, Key: fmt.Sprint("trial ", i), Dataset: fmt.Sprint("stream ", r.IntN(3)),
			Seconds: 1 + 1000*r.Float64(), Memory: r.Int64N(1 << 32), Data: 1 << 30, Cards: r.IntN(2),
		}
		switch r.IntN(10) {
		case 0:
			w.Kind = Latency
		case 1:
			w.Kind = Live
		}
		all = append(all, w)
	}
	return all
}

// TestCut: every trial is in one task, tasks are long enough and the longest is first,
// and what takes a node alone is not mixed with anything.
func TestCut(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		work := someWork(r)
		o := DefaultOptions()
		o.MinMinutes, o.Cores = float64(r.IntN(10)), 1+r.IntN(4)
		tasks := Cut(work, o)
		of := map[string]Work{}
		for _, w := range work {
			of[w.Key] = w
		}
		short := map[int]int{} // tasks by cards that are shorter than they should be
		for i, task := range tasks {
			if task.Number != i+1 || i > 0 && task.Seconds > tasks[i-1].Seconds {
				t.Fatalf("task %d of %g s is after %+v", task.Number, task.Seconds, tasks[max(0, i-1)])
			}
			sum, longest, memory := 0.0, 0.0, int64(0)
			for _, key := range task.Trials {
				w, found := of[key]
				if !found || w.Kind != task.Kind || w.Cards != task.Need.Cards {
					t.Fatalf("%s of %+v is in task %+v, or in two of them", key, w, task)
				}
				delete(of, key)
				sum, longest, memory = sum+w.Seconds, max(longest, w.Seconds), max(memory, w.Memory)
				if task.Need.Exclusive && w.Dataset != work[slices.IndexFunc(work, func(o Work) bool { return o.Key == task.Trials[0] })].Dataset {
					t.Fatalf("a task of a node alone has two datasets: %+v", task)
				}
			}
			switch {
			case task.Need.Exclusive != (task.Kind != Trials):
				t.Fatalf("%+v", task)
			case task.Need.Exclusive && (task.Need.Memory != 0 || task.Seconds != sum):
				t.Fatalf("%+v of %g s", task, sum)
			case task.Kind == Trials && (task.Need.Memory < memory || task.Seconds != max(longest, sum/float64(o.Cores))):
				t.Fatalf("%+v of %g s and %d bytes", task, sum, memory)
			case task.Kind == Trials && sum < o.MinMinutes*60*float64(o.Cores):
				short[task.Need.Cards]++
			}
		}
		if len(of) > 0 || short[0] > 1 || short[1] > 1 {
			t.Fatalf("not in a task: %v; too short: %v", of, short)
		}
		for slots := 1; slots < 5; slots++ {
			sum := 0.0
			for _, task := range tasks {
				sum += task.Seconds
			}
			all, longest := Makespan(tasks, slots)
			if longest != tasks[0].Seconds || all < max(longest, sum/float64(slots))*.999999 || all > sum/float64(slots)+longest {
				t.Fatalf("%d slots take %g s for %g s of work, the longest %g", slots, all, sum, longest)
			}
		}
	}
}

// TestCutUnknown: a trial whose time nobody knows ends its task.
func TestCutUnknown(t *testing.T) {
	tasks := Cut([]Work{{Kind: Trials, Key: "a"}, {Kind: Trials, Key: "b"}}, DefaultOptions())
	if len(tasks) != 2 {
		t.Errorf("%+v, expected a task for each", tasks)
	}
	if tasks := Cut(nil, DefaultOptions()); len(tasks) != 0 {
		t.Errorf("%+v, expected none", tasks)
	}
}

// TestGigabytes: memory is a power of two of gigabytes, or what the options say.
func TestGigabytes(t *testing.T) {
	o := DefaultOptions()
	for bytes, want := range map[int64]int64{0: 1, 1: 1, 1 << 30: 1, 1<<30 + 1: 2, 3 << 30: 4, 4 << 30: 4, 5 << 30: 8} {
		if got := gigabytes(o, bytes); got != want<<30 {
			t.Errorf("%d bytes are %d GB, expected %d", bytes, got>>30, want)
		}
	}
	if o.MemoryGB = 1.5; gigabytes(o, 5<<30) != 3<<29 {
		t.Error("memory_gb of the options does not count")
	}
}
