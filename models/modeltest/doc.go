// Package modeltest is the conformance suite that every registered model
// must pass. A check runs where it applies: what a model declares in its
// Kind decides.
package modeltest
