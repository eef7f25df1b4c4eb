// Package models defines what a model is to the harness, and the registry
// through which the harness finds them. Every family lives in a folder of
// its own and registers itself; package standard imports them all.
package models
