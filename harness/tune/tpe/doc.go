// Package tpe chooses what to try next: random search, then tree-structured
// Parzen estimators (Bergstra et al. 2011, "Algorithms for Hyper-Parameter
// Optimization"), each parameter by itself, with the choices of Optuna's
// TPESampler where the article leaves them open.
//
// A point is drawn from the seed, the trial's number and the trials told so
// far, and from nothing else.
package tpe
