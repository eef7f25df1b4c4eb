// Package tune searches the options of models as the paper did: random
// trials, then tree-structured Parzen estimators (package tpe), each trial
// trained with early stopping and judged on the validation part. The test part
// is not there.
//
// A study is one model at one place: a dataset, a task, a setting. Its history
// is a file with a line for each trial, written anew after every one of them,
// so that a killed search goes on where it was. Trials also leave the harness'
// own records.
//
// The result is a spec for each model, with the options of its best trials
// as overrides, and figures of the search.
package tune
