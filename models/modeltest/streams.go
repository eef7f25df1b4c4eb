package modeltest

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"dgsbench/datasets"
	"dgsbench/metrics"
	"dgsbench/models"
	"dgsbench/protocol"
)

// Sizes of the random streams.
const (
	users, items = 12, 7
	features     = 3
	batch        = 10
	events       = 16 * batch
	// large is a batch that three threads divide into several blocks each, the
	// last of which is smaller (nn's blocks have at most 32 rows).
	large = 133
)

// Wikipedia is the real stream wikipedia-nofeat, for benchmarks. They are skipped where
// DGSBENCH_DATA does not name the folder of its file.
func Wikipedia(t testing.TB) datasets.Stream {
	t.Helper()
	dir := os.Getenv("DGSBENCH_DATA")
	if dir == "" {
		t.Skip("DGSBENCH_DATA is not set: no real order of events")
	}
	d, err := datasets.Lookup("wikipedia-nofeat")
	if err != nil {
		t.Fatal(err)
	}
	l, err := d.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return l.Stream
}

// Random is a bipartite stream without structure, for checks of mechanics:
// n events, repeated pairs, equal times, some events unlabelled.
func Random(seed uint64, n int) datasets.Stream {
	rng := rand.New(rand.NewPCG(seed, 0))
	s := empty(n, users, items, features)
	s.Truth = truth{}
	now := 0.0
	for k := range n {
		now += float64(rng.IntN(3))
		fill(rng, s, k)
		s.Time[k] = now
	}
	return s
}

// truth is a hidden state for the mechanics of oracles, without relation to
// the events. Asking the truth of a test fails that test.
type truth struct{ of *testing.T }

func (truth) Bytes(bool) int64 { return 0 }

func (h truth) Logit(event int) float64 {
	h.asked("a label")
	return float64(event*7%11) - 5
}

func (h truth) Links(event int, candidates []int32, scores []float32) {
	h.asked("a link")
	for i, v := range candidates {
		scores[i] = float32((event + 5*int(v)) % 9)
	}
}

func (h truth) asked(about string) {
	if h.of != nil {
		h.of.Errorf("the model asks for the truth behind %s", about)
	}
}

func empty(n, users, items, f int) datasets.Stream {
	return datasets.Stream{
		Src: make([]int32, n), Dst: make([]int32, n), Time: make([]float64, n), Label: make([]int8, n),
		Feat: make([]float32, n*f), NumFeat: f, NumNodes: users + items, Users: users,
	}
}

// fill draws everything of event k but its time.
func fill(rng *rand.Rand, s datasets.Stream, k int) {
	s.Src[k] = int32(rng.IntN(s.Users))
	s.Dst[k] = int32(s.Users + rng.IntN(s.NumNodes-s.Users))
	s.Label[k] = int8(rng.IntN(3)) - 1
	for c := range s.NumFeat {
		s.Feat[k*s.NumFeat+c] = float32(rng.NormFloat64())
	}
}

// otherwise copies the stream and redraws all events from lo on but one,
// whose source and time alone are kept if link is set, and all of it if not.
// Many of them get a node of that one, where it is not beyond the end.
func otherwise(s datasets.Stream, lo, but int, link bool) datasets.Stream {
	all := make([]int, s.Len())
	for k := range all {
		all[k] = k
	}
	out := s.Select(all)
	rng := rand.New(rand.NewPCG(99, 1))
	for k := lo; k < s.Len(); k++ {
		if k != but {
			fill(rng, out, k)
			if but < s.Len() && k%3 == 0 {
				out.Src[k] = s.Src[but]
			} else if but < s.Len() && k%3 == 1 {
				out.Dst[k] = s.Dst[but]
			}
		} else if link {
			out.Dst[k] = int32(s.Users + (int(s.Dst[k])-s.Users+1)%(s.NumNodes-s.Users))
			for c := range s.NumFeat {
				out.Feat[k*s.NumFeat+c] = float32(rng.NormFloat64())
			}
		}
	}
	return out
}

// History is a stream whose labels need memory: a user's unlabelled events
// have a bit in feature 0, and the labelled event that follows, whose own
// features are noise, has that bit as its label. The bit is drawn anew each
// time, and the two events of a pair lie in different batches.
func History(seed uint64, n int) datasets.Stream {
	const users, items = 40, 10
	rng := rand.New(rand.NewPCG(seed, 2))
	s := empty(n, users, items, 2)
	bit := make([]int8, users)
	for k := range n {
		round, u := k/users, k%users
		s.Src[k], s.Dst[k] = int32(u), int32(users+rng.IntN(items))
		s.Time[k] = float64(k)
		s.Feat[2*k+1] = float32(rng.NormFloat64())
		if round%2 == 0 {
			bit[u] = int8(rng.IntN(2))
			s.Feat[2*k] = float32(2*int(bit[u])-1) + float32(rng.NormFloat64())*.1
			s.Label[k] = datasets.Unlabelled
		} else {
			s.Feat[2*k] = float32(rng.NormFloat64()) * .1
			s.Label[k] = bit[u]
		}
	}
	return s
}

// HistoryAUC trains the model on the stream whose labels need memory and
// returns its AUC on the unseen second half, with the parameters of the epoch
// that was best on the first: some models do not stay where they were good.
func HistoryAUC(t *testing.T, kind models.Kind, opts models.Options) float64 {
	const epochs = 30
	s := suite{T: t, kind: kind, opts: opts, task: protocol.NodeClassification, batch: batch}
	stream := History(1, 400*batch)
	train, test := stream.Slice(0, stream.Len()/2), stream.Slice(stream.Len()/2, stream.Len())
	m := s.build(stream, 1, 1)
	best, highest := m.Snapshot(models.Parameters), 0.0
	for range epochs {
		m.Reset()
		s.train(m, train)
		m.Reset()
		if a := s.auc(m, train); a > highest {
			best, highest = m.Snapshot(models.Parameters), a
		}
	}
	s.must(m.Restore(best))
	m.Reset()
	s.observe(m, train)
	return s.auc(m, test)
}

// auc returns that of the answers about the stream.
func (s suite) auc(m models.Model, stream datasets.Stream) float64 {
	s.Helper()
	metric, err := metrics.Lookup("auc")
	s.must(err)
	value, err := metric.Value(metrics.Facts{Score: s.evaluate(m, stream), Label: stream.Label})
	s.must(err)
	return value
}

// Differ fails when two option sets of a kind give the same outputs in one of
// the tasks, all of the kind's if none is named: an option that is not wired.
func Differ(t *testing.T, kind models.Kind, a, b models.Options, tasks ...protocol.Task) {
	stream := Random(8, events)
	if len(tasks) == 0 {
		tasks = kind.Tasks
	}
	for _, task := range tasks {
		outputs := func(o models.Options) []float32 {
			s := suite{T: t, kind: kind, opts: o, task: task, batch: batch}
			m := s.build(stream, 1, 1)
			s.train(m, stream)
			m.Reset()
			return s.evaluate(m, stream)
		}
		if slices.Equal(outputs(a), outputs(b)) {
			t.Errorf("%s, %s: %+v and %+v give the same outputs", kind.Name, task, a, b)
		}
	}
}
