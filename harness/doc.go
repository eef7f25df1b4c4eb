// Package harness is the protocol: how batches are cut, how models are
// trained and stopped, how they are ranked and classified, and how trials
// share the machine. It knows models only through the models.Model
// interface, and reports through hooks.
package harness
