package dgs

import (
	"cmp"
	"fmt"

	"dgsbench/models"
	"dgsbench/models/head"
)

// Options of Deep-Graph-Sprints. The variants of the paper's ablation are
// option sets.
type Options struct {
	Size        int       `yaml:"size"`        // s: length of a node's state
	Blocks      int       `yaml:"blocks"`      // m: blocks of W F, each normalised on its own
	Embedding   Embedding `yaml:"embedding"`   // how E is computed from the features
	Temperature float64   `yaml:"temperature"` // T: W F is divided by it; not for sum and buckets
	SumFloor    float64   `yaml:"sum_floor"`   // least magnitude of a block's sum, for sum; 0 is none
	Buckets     int       `yaml:"buckets"`     // most buckets a feature, for buckets; they replace size and blocks
	Factors     Factors   `yaml:"factors"`     // the shape of alpha and beta
	Range       Range     `yaml:"range"`       // how alpha and beta stay between 0 and 1
	Gradient    Gradient  `yaml:"gradient"`    // how far back the gradient reaches
	Jacobian    Precision `yaml:"jacobian"`    // how the derivatives by W are stored, for forward
	Optimiser   Optimiser `yaml:"optimiser"`   // of alpha, beta and W; not for none

	Head head.Options `yaml:"head"`
}

// Embedding is how E is computed from the features F.
type Embedding string

// The embeddings.
const (
	Softmax   Embedding = "softmax"   // of each block of W F / T (the paper's DGS)
	Sum       Embedding = "sum"       // each block of W F divided by its sum + 1e-6 (DGS-sum)
	Sparsemax Embedding = "sparsemax" // of each block of W F / T: many exact zeros
	Entmax    Embedding = "entmax"    // 1.5-entmax, between softmax and sparsemax
	Buckets   Embedding = "buckets"   // the one-hot encoding of Graph-Sprints, without W (DGS-s, DGS-v)
)

// Factors is the shape of alpha and beta.
type Factors string

// The shapes of alpha and beta.
const (
	Vector Factors = "vector" // one of each for every element of the state
	Scalar Factors = "scalar" // one of each (DGS-s)
	Input  Factors = "input"  // alpha = sigmoid(U F + a), beta likewise: they depend on the event
)

// Range is how alpha and beta stay between 0 and 1.
type Range string

// The ways to stay between 0 and 1.
const (
	Sigmoid Range = "sigmoid" // their logits are learned
	Clamp   Range = "clamp"   // they are learned and clamped after every step
)

// Gradient is how far back the gradient of alpha, beta and W reaches.
type Gradient string

// The reaches of the gradient.
const (
	Forward   Gradient = "forward"   // to the start of the stream
	Truncated Gradient = "truncated" // one step: states from before the batch are constants (DGS-bp)
	None      Gradient = "none"      // alpha, beta and W keep their initial values, the head alone is trained
)

// Precision is how the derivatives by W are stored.
type Precision string

// The precisions: float32, and bfloat16 with half the memory and 8 bits of
// significand.
const (
	Float32  Precision = "float32"
	BFloat16 Precision = "bfloat16"
)

// Optimiser updates alpha, beta and W.
type Optimiser struct {
	Method      Method  `yaml:"method"`       // sgd, adam or rmsprop
	LR          float64 `yaml:"lr"`           // learning rate: eta in the paper
	Momentum    float64 `yaml:"momentum"`     // for sgd
	WeightDecay float64 `yaml:"weight_decay"` // L2 added to the gradient
}

// Method is an optimiser's rule.
type Method string

// The paper uses plain SGD and names others as future work.
const (
	SGD     Method = "sgd"
	Adam    Method = "adam"
	RMSProp Method = "rmsprop"
)

// Defaults returns the settings of the reference runs; docs/models/dgs.md
// lists those that the paper leaves open.
func Defaults() *Options {
	return &Options{
		Size: 100, Blocks: 50, Embedding: Softmax, Temperature: 2, SumFloor: 1e-3, Buckets: 10,
		Factors: Vector, Range: Sigmoid, Gradient: Forward, Jacobian: Float32,
		Optimiser: Optimiser{Method: SGD, LR: 30}, Head: head.Defaults(),
	}
}

// Validate returns an error for the first value that is out of range.
func (o *Options) Validate() error {
	p := o.Optimiser
	return cmp.Or(
		models.OneOf("embedding", o.Embedding, Softmax, Sum, Sparsemax, Entmax, Buckets),
		models.InRange("size", o.Size, 2, 4096),
		models.Expect(o.Blocks >= 1 && o.Size%o.Blocks == 0 && o.Size != o.Blocks, "blocks", o.Blocks, fmt.Sprintf("a divisor of size %d below it", o.Size)),
		models.Expect(o.Temperature > 0 && o.Temperature <= 1000, "temperature", o.Temperature, "0 < temperature <= 1000"),
		models.InRange("sum_floor", o.SumFloor, 0, 1),
		models.InRange("buckets", o.Buckets, 2, 100),
		models.OneOf("factors", o.Factors, Vector, Scalar, Input),
		models.OneOf("range", o.Range, Sigmoid, Clamp),
		models.OneOf("gradient", o.Gradient, Forward, Truncated, None),
		models.OneOf("jacobian", o.Jacobian, Float32, BFloat16),
		models.OneOf("optimiser.method", p.Method, SGD, Adam, RMSProp),
		models.Expect(p.LR > 0 && p.LR <= 1e6, "optimiser.lr", p.LR, "0 < lr <= 1e6"),
		models.Expect(p.Momentum >= 0 && p.Momentum < 1, "optimiser.momentum", p.Momentum, "0 <= momentum < 1"),
		models.Expect(p.Momentum == 0 || p.Method == SGD, "optimiser.momentum", p.Momentum, "0 with method: "+string(p.Method)),
		models.InRange("optimiser.weight_decay", p.WeightDecay, 0, 1),
		models.Expect(o.Factors != Input || o.Range != Clamp, "range", `"clamp"`, "sigmoid with factors: input"),
		models.InOption("head", o.Head.Validate()),
	)
}
