// Package raw is the paper's memoryless baseline: an MLP on the features of
// the event alone (section on node classification; no link prediction, as
// the features are unknown before the edge).
//
// Matches the paper: inputs, task, loss. Unknown there: layer sizes and
// learning rate, which are options.
package raw
