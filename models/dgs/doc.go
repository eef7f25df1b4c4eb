// Package dgs is Deep-Graph-Sprints: per node a state S, and for an event (u,
// v, F) and each endpoint n with other endpoint o, all right-hand sides from
// before the batch,
//
//	S_n <- beta S_n + (1-beta) [ (1-alpha) E(F) + alpha S_o ]
//
// elementwise, E(F) being softmaxes of blocks of W F (equation 2 of the
// paper). An MLP, the head, classifies S_u after the event, or scores [S_u ||
// S_v] before it.
//
// # Training
//
// The head learns by backpropagation and alpha, beta and W forward in time
// (real-time recurrent learning, section 3.2 of the paper). Every node keeps
// the derivatives of its state: A by alpha, B by beta, J by W. A batch then
// is two things:
//
//   - The graph of one step, from the states before the batch to the loss.
//     Its gradient for alpha, beta and W is that of backpropagation one step
//     deep, and it has gradients for the states that went in.
//   - These meet the stored derivatives: the loss changes with W also
//     through every earlier state, by dL/dS J (contract). The derivatives
//     of the states that the batch wrote are carried forward (prepare, and
//     the Jacobians in the same pass), with the parameters of before the
//     step.
//
// Without the second thing this is backpropagation truncated to one step:
// DGS-bp. The other variants of the paper's ablation differ in what E is
// (sums or buckets instead of softmaxes) and in whether alpha and beta are
// vectors or numbers.
//
// Evaluation keeps no derivatives. A node whose state was written by Observe
// or Classify counts as a constant from there on.
package dgs
