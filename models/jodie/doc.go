// Package jodie is Jodie as the Deep-Graph-Sprints paper and the TGN
// repository have it: TGN's memory, and a projection of it by the time since
// its last update. The original's recurrent cell is an option.
package jodie
