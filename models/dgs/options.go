package dgs

import (
	"fmt"

	"dgsbench/models"
	"dgsbench/models/head"
	"dgsbench/protocol"
)

// Options of Deep-Graph-Sprints. The variants of the paper's ablation are
// sets of them.
type Options struct {
	Size        int       `yaml:"size"`        // s: numbers of a state
	Blocks      int       `yaml:"blocks"`      // m: blocks of W F that are normalised by themselves
	Embedding   Embedding `yaml:"embedding"`   // how E is made of the features
	Temperature float64   `yaml:"temperature"` // T: W F is divided by it; not for sum and buckets
	SumFloor    float64   `yaml:"sum_floor"`   // least size of a block's sum, for sum; 0 is none
	Buckets     int       `yaml:"buckets"`     // most buckets a feature, for buckets; they replace size and blocks
	Factors     Factors   `yaml:"factors"`     // what alpha and beta are
	Range       Range     `yaml:"range"`       // how they are kept between 0 and 1
	Gradient    Gradient  `yaml:"gradient"`    // how far back it reaches, if there is one
	Jacobian    Precision `yaml:"jacobian"`    // how the derivatives by W are kept, for forward
	Optimiser   Optimiser `yaml:"optimiser"`   // of alpha, beta and W; not for none

	Head head.Options `yaml:"head"`
}

// Embedding is how E is made of the features F.
type Embedding string

const (
	// Softmax of each block of W F / T, as the paper has it.
	Softmax Embedding = "softmax"
	// Sum divides each block of W F by its sum + 1e-6 (DGS-sum).
	Sum Embedding = "sum"
	// Sparsemax of each block of W F / T: many exact zeros.
	Sparsemax Embedding = "sparsemax"
	// Entmax is between the two: 1.5-entmax.
	Entmax Embedding = "entmax"
	// Buckets is the one-hot encoding of Graph-Sprints, without W (DGS-s
	// and DGS-v).
	Buckets Embedding = "buckets"
)

// Factors is what alpha and beta are.
type Factors string

const (
	// Vector has one of each for every number of the state.
	Vector Factors = "vector"
	// Scalar has one of each (DGS-s).
	Scalar Factors = "scalar"
	// Input has alpha = sigmoid(U F + a), beta likewise: they depend on the
	// event.
	Input Factors = "input"
)

// Range is how alpha and beta are kept between 0 and 1.
type Range string

const (
	// Sigmoid learns their logits.
	Sigmoid Range = "sigmoid"
	// Clamp learns alpha and beta and cuts them off after every step.
	Clamp Range = "clamp"
)

// Gradient is how far back the gradient of alpha, beta and W reaches.
type Gradient string

const (
	// Forward reaches the start of the stream.
	Forward Gradient = "forward"
	// Truncated is backpropagation through one step (DGS-bp): the states
	// before the batch count as constants.
	Truncated Gradient = "truncated"
	// None has alpha, beta and W keep their initial values: the head alone is
	// trained.
	None Gradient = "none"
)

// Precision is how the derivatives by W are kept.
type Precision string

const (
	// Float32 is exact.
	Float32 Precision = "float32"
	// BFloat16 takes half the memory and rounds to 8 bits.
	BFloat16 Precision = "bfloat16"
)

// Optimiser moves alpha, beta and W.
type Optimiser struct {
	Method      Method  `yaml:"method"`       // sgd or adam
	LR          float64 `yaml:"lr"`           // learning rate: eta in the paper
	Momentum    float64 `yaml:"momentum"`     // for sgd
	WeightDecay float64 `yaml:"weight_decay"` // L2 added to the gradient
}

// Method is an optimiser's rule.
type Method string

// The paper uses plain SGD and names others as future work.
const (
	SGD  Method = "sgd"
	Adam Method = "adam"
)

// Defaults are the settings of the reference runs; those that the paper
// leaves open are listed in docs/models/dgs.md.
func Defaults() *Options {
	return &Options{
		Size: 100, Blocks: 50, Embedding: Softmax, Temperature: 2, SumFloor: 1e-3, Buckets: 10,
		Factors: Vector, Range: Sigmoid, Gradient: Forward, Jacobian: Float32,
		Optimiser: Optimiser{Method: SGD, LR: 30}, Head: head.Defaults(),
	}
}

// MixesBatch is that of the head.
func (o *Options) MixesBatch() bool { return o.Head.MixesBatch() }

// Validate names the first value that is out of range.
func (o *Options) Validate() error {
	if err := o.validateState(); err != nil {
		return err
	}
	for _, err := range []error{
		oneOf("factors", o.Factors, Vector, Scalar, Input),
		oneOf("range", o.Range, Sigmoid, Clamp),
		oneOf("gradient", o.Gradient, Forward, Truncated, None),
		oneOf("jacobian", o.Jacobian, Float32, BFloat16),
		o.Optimiser.validate(),
	} {
		if err != nil {
			return err
		}
	}
	if o.Factors == Input && o.Range == Clamp {
		return fmt.Errorf("range is %q, expected %s with factors: %s", o.Range, Sigmoid, Input)
	}
	return o.Head.Validate()
}

func (o *Options) validateState() error {
	if err := oneOf("embedding", o.Embedding, Softmax, Sum, Sparsemax, Entmax, Buckets); err != nil {
		return err
	}
	if o.Size < 2 || o.Size > 4096 {
		return fmt.Errorf("size is %d, expected 2 to 4096", o.Size)
	}
	if o.Blocks < 1 || o.Size%o.Blocks != 0 || o.Size == o.Blocks {
		return fmt.Errorf("blocks is %d, expected a divisor of size %d below it", o.Blocks, o.Size)
	}
	if !(o.Temperature > 0 && o.Temperature <= 1000) {
		return fmt.Errorf("temperature is %v, expected 0 < temperature <= 1000", o.Temperature)
	}
	if !(o.SumFloor >= 0 && o.SumFloor <= 1) {
		return fmt.Errorf("sum_floor is %v, expected 0 to 1", o.SumFloor)
	}
	if o.Buckets < 2 || o.Buckets > 100 {
		return fmt.Errorf("buckets is %d, expected 2 to 100", o.Buckets)
	}
	return nil
}

func (o Optimiser) validate() error {
	if err := oneOf("optimiser.method", o.Method, SGD, Adam); err != nil {
		return err
	}
	if !(o.LR > 0 && o.LR <= 1e6) {
		return fmt.Errorf("optimiser.lr is %v, expected 0 < lr <= 1e6", o.LR)
	}
	if !(o.Momentum >= 0 && o.Momentum < 1) {
		return fmt.Errorf("optimiser.momentum is %v, expected 0 <= momentum < 1", o.Momentum)
	}
	if o.Momentum > 0 && o.Method != SGD {
		return fmt.Errorf("optimiser.momentum is %v, expected 0 with method: %s", o.Momentum, o.Method)
	}
	if !(o.WeightDecay >= 0 && o.WeightDecay <= 1) {
		return fmt.Errorf("optimiser.weight_decay is %v, expected 0 to 1", o.WeightDecay)
	}
	return nil
}

// oneOf reports a word that is not in the list.
func oneOf[T ~string](name string, word T, known ...T) error {
	for _, k := range known {
		if word == k {
			return nil
		}
	}
	return fmt.Errorf("%s is %q, expected one of %v", name, word, known)
}

// kindName is that of all variants.
const kindName = "dgs"

func init() {
	models.Register(models.Kind{
		Name: kindName, Class: protocol.Learned, Memory: true, Features: models.FeaturesRequired,
		Tasks:   []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction},
		Options: func() models.Options { return Defaults() },
		Bytes:   func(s models.Setup, o models.Options) int64 { return Bytes(o.(*Options), s) },
		New:     func(s models.Setup, o models.Options) (models.Model, error) { return New(s, o.(*Options)) },
	})
}
