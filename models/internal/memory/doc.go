// Package memory is what TGN and Jodie share, with the semantics of PyTorch
// Geometric's TGNMemory: a memory and a time of last update for every node,
// the messages that are still to be applied to it, a GRU that applies them,
// and a decoder for pairs, or a classifier. The models differ by their
// Embedding.
//
// # Training and evaluation
//
// In training a batch's messages wait until their nodes are read again: the
// read applies them, with a gradient one GRU application deep, and the
// batch's own nodes keep the result. So the memory of a node lags behind by
// the node's last batch, and a partner's memory within a message is whatever
// is kept when the message is applied.
//
// The first call that evaluates after training, or after Reset, flushes:
// messages are applied to all nodes, and those without one pass the GRU with
// zeros. From then on every batch is applied at once. A model that trains on
// after an evaluation, without Reset, applies the messages of its last
// evaluated batches a second time, as PyTorch Geometric does. A flush stays, even
// if the batch behind it is refused.
//
// # Classification
//
// An event is classified after it is folded in, by a memory of its own that
// is made of those from before its batch; no message waits (PerEvent). The
// ways of PyTorch Geometric's module are options (Classification).
package memory
