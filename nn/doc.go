// Package nn holds the trainable parts of models: layers as gorgonia graphs,
// their parameters, the optimiser and the random streams that feed them.
// Models see buffers and numbers; what runs the graphs is this package's
// business.
package nn
