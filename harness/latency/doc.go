// Package latency times how fast models answer a stream: the paper's test of
// 200 batches x 200 events, how times are distributed over batches, single
// events, and a sweep of batch sizes.
//
// A model is warmed up with everything before the measured events. Then, for
// every batch size, all models take turns in random order: a model's state is
// put back, a few batches lead in, and the clock runs from the first measured
// batch to the last. What is timed is Classify alone: gathering states,
// embedding, updating, writing back and the head; reading the stream is not.
// The mode is streaming: a batch is handed over when the one before it has
// been answered. In the other mode, for models that are models.Ahead, all
// events are known in advance and one call answers them; the answers are held
// against those of streaming. A dataset's tests are of one mode.
//
// On a device that is a kernels.Recorder, the headline is also measured as one
// graph: all batches are recorded, and a replay submits them at once. These
// times are no streaming, and stand apart.
//
// What could make a time dishonest is watched and becomes a warning beside the
// number (allocations and collections in the timed part, answers that are slow
// at first, a clock that misses a part) or fails the model (answers that
// differ from those of an untimed run).
//
// Times of different runs are never compared. Two builds are, by Compare,
// which lets them alternate.
package latency
