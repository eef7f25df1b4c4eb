// Package sim makes event streams with a planted, documented signal, for
// where there is no data. A stream is a function of its Params and a seed.
//
// Every event has a source with hidden state (its taste, its mood, its trait)
// that moves from event to event and shows, with noise, in the features. The
// next destination is the one before, a remembered one, or one that fits
// taste and mood. A label follows averages of the source's tones over few and
// over many of its events, and the average tone of those whom the destination
// met. docs/simulators.md holds the equations, the calibration and the
// strength of the signal.
//
// No parameter is tuned to make a model win: they were set by the statistics
// in docs/simulators.md, the zero-parameter rows and the oracle, and then
// frozen. TestFrozen pins what comes out.
package sim
