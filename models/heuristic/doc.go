// Package heuristic holds the zero-parameter rows that stand in every table:
// rules that look a pair, a destination or a user up. On Wikipedia they beat
// most published numbers, and a table without them misleads.
//
// Every rule reads its tables as they were before the batch. EdgeBank is
// Poursafaei et al. 2022 (unlimited memory, or a time window as in TGB).
package heuristic
