package pairclock

import (
	"cmp"
	"fmt"
	"slices"

	"dgsbench/models"
	"dgsbench/models/head"
	"dgsbench/nn"
	"dgsbench/protocol"
)

// Options of pair clocks.
type Options struct {
	// HalfLives are the ages in seconds at which an event counts half in a
	// destination's popularity, one number each.
	HalfLives []float64 `yaml:"half_lives"`
	// PairHalfLife is the same of the events of a pair.
	PairHalfLife float64 `yaml:"pair_half_life"`
	Noise        Noise   `yaml:"noise"`
	// Head scores a pair; its pos_weight has no meaning here and is 1.
	Head head.Options `yaml:"head"`
}

// Noise says which destinations an event's true one is told from in training.
type Noise struct {
	Own     int `yaml:"own"`     // the source's latest destinations, all of them
	Recent  int `yaml:"recent"`  // drawn from the destinations of the last events
	Window  int `yaml:"window"`  // how many events these are
	Uniform int `yaml:"uniform"` // drawn from all destinations of the training part
	Any     int `yaml:"any"`     // drawn from all nodes
}

// most is how many rows an event has in training, at most.
func (n Noise) most() int { return 1 + n.Own + n.Recent + n.Uniform + n.Any }

// Defaults returns the settings that docs/models/pairclock.md has results of.
func Defaults() *Options {
	return &Options{
		HalfLives: []float64{3600, 86_400, 7 * 86_400}, PairHalfLife: 86_400,
		Noise: Noise{Own: 10, Recent: 8, Window: 500, Uniform: 12, Any: 1},
		Head:  head.Options{Hidden: []int{64, 32}, Norm: nn.NoNorm, LR: 1e-3, PosWeight: 1},
	}
}

// Validate returns an error for the first value that is out of range.
func (o *Options) Validate() error {
	const shortest, longest = 1e-3, 1e12
	lives := len(o.HalfLives) >= 1 && len(o.HalfLives) <= 8 && slices.Min(o.HalfLives) >= shortest && slices.Max(o.HalfLives) <= longest
	return cmp.Or(
		models.Expect(lives, "half_lives", o.HalfLives, fmt.Sprintf("1 to 8 numbers of seconds from %g to %g", shortest, longest)),
		models.InRange("pair_half_life", o.PairHalfLife, shortest, longest),
		models.InOption("noise", o.Noise.validate()),
		models.InOption("head", cmp.Or(o.Head.Validate(), models.InRange("pos_weight", o.Head.PosWeight, 1, 1))),
	)
}

func (n Noise) validate() error {
	return cmp.Or(
		models.InRange("own", n.Own, 0, 1000),
		models.InRange("recent", n.Recent, 0, 1000),
		models.InRange("window", n.Window, 1, 1_000_000),
		models.InRange("uniform", n.Uniform, 1, 1000), // without them nothing is known of rare destinations
		models.InRange("any", n.Any, 0, 1000),
	)
}

// bytes returns the memory of a model: what is kept of a node, of every event a pair
// and a successor in lists that are half full, if none comes twice, and the rows of a
// batch in training, with what the layers make of them.
func (o *Options) bytes(s models.Setup) int64 {
	node := 24 + 8 + 64 + 8*len(o.HalfLives) + 4 + 4 + 4
	row := 23 + len(o.HalfLives)
	for _, units := range o.Head.Hidden {
		row += 2 * units // and their gradients: all of it on the host and the device
	}
	return int64(node)*int64(s.NumNodes) + 2*(32+8)*int64(s.Events) + 3*4*int64(row)*int64(s.MaxBatch*o.Noise.most())
}

func init() {
	models.Register(models.Kind{
		Name: "pairclock", Class: protocol.Learned, Memory: true,
		Tasks:   []protocol.Task{protocol.LinkPrediction},
		Options: func() models.Options { return Defaults() },
		Bytes:   func(s models.Setup, o models.Options) int64 { return o.(*Options).bytes(s) },
		New:     func(s models.Setup, o models.Options) (models.Model, error) { return New(s, o.(*Options)) },
	})
}
