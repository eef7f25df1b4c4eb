// jacobian.cu: a step of the Jacobians of many states. A Jacobian is a row of
// lanes for each feature. A thread has one lane of four features, of all
// Jacobians that are touched: it reads each of them once and writes each new
// one once, in rounds that the host has planned. Memory bounds it, so all loads of a
// round are issued before the first is used.
#include "scalars.h"
#include "tiles.h"

// Read is a touched Jacobian: its address, the place of its copy, 0 if nothing
// is made of it, and where its row of the weights begins.
struct alignas(16) Read {
  long long address;
  int place, weights;
};

// Write is a new Jacobian: its address, the places of those that it is made
// of, and where its factors, its row of the drive and its inputs begin.
struct alignas(16) Write {
  long long address;
  int self, other, factors, drive, x;
};

// Place 0 has zeros.
constexpr int features_a_thread = 4, reads_a_round = 8, writes_at_once = 4;
using Copy = Numbers<features_a_thread>;

__device__ __forceinline__ float widen(float x) { return x; }
__device__ __forceinline__ float widen(unsigned short x) { return __uint_as_float(static_cast<unsigned>(x) << 16); }

__device__ __forceinline__ void store(float* to, float x) { *to = x; }
// The nearest bfloat16, the even one of two; NaN stays NaN.
__device__ __forceinline__ void store(unsigned short* to, float x) {
  const unsigned bits = __float_as_uint(x);
  *to = x != x ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

// Plan is what the host has planned: round r reads reads_a_round Jacobians,
// the last one what is left, and writes up to number ends[r].
struct Plan {
  int rounds;
  const int* ends;
  int reads_count;
  const Read* reads;
  const Write* writes;
};

// Inputs are the numbers that Jacobians are summed with and made of.
struct Inputs {
  int lanes, features;
  const int* state;
  const float* weights;
  float* sums;
  const float *keep, *mix, *drive, *x;
};

// Column is a thread's part of all Jacobians: one lane of some features.
template <class T, int wide>
struct Column {
  long long at;  // of the first feature in a Jacobian
  int lanes;
  // From where on weights, factors, drive and inputs lie for the thread.
  const float *weights, *keep, *mix, *drive, *x;
  Copy* copies;
  float sums[wide] = {};

  __device__ __forceinline__ Column(const Inputs& in, int lane, int feature, Copy* copies)
      : at((long long)feature * in.lanes + lane), lanes(in.lanes), copies(copies) {
    const int number = in.state[lane];
    weights = in.weights ? in.weights + number : nullptr;
    keep = in.keep + number;
    mix = in.mix + number;
    drive = in.drive + lane;
    x = in.x + feature;
    copies[0] = {};
  }

  // read takes n Jacobians: all loads come first.
  template <int n>
  __device__ __forceinline__ void read(const Read* reads) {
    Read r[n];
    Copy v[n];
    float weight[n];
    for (int i = 0; i < n; i++) r[i] = reads[i];
    for (int i = 0; i < n; i++) {
      const T* from = reinterpret_cast<const T*>(r[i].address) + at;
      for (int f = 0; f < wide; f++) v[i].v[f] = widen(from[f * lanes]);
      weight[i] = weights ? weights[r[i].weights] : 0.f;
    }
    for (int i = 0; i < n; i++) {
      for (int f = 0; f < wide; f++) sums[f] = fmaf(weight[i], v[i].v[f], sums[f]);
      if (r[i].place) copies[r[i].place * blockDim.x] = v[i];
    }
  }

  // write makes n new ones.
  template <int n>
  __device__ __forceinline__ void write(const Write* writes) {
    Write w[n];
    float kept[n], mixed[n], driven[n], inputs[n][wide];
    for (int i = 0; i < n; i++) w[i] = writes[i];
    for (int i = 0; i < n; i++) {
      kept[i] = keep[w[i].factors];
      mixed[i] = mix[w[i].factors];
      driven[i] = drive[w[i].drive];
      for (int f = 0; f < wide; f++) inputs[i][f] = x[w[i].x + f];
    }
    for (int i = 0; i < n; i++) {
      const Copy self = copies[w[i].self * blockDim.x], other = copies[w[i].other * blockDim.x];
      T* to = reinterpret_cast<T*>(w[i].address) + at;
      for (int f = 0; f < wide; f++)
        store(to + f * lanes, fmaf(kept[i], self.v[f], fmaf(mixed[i], other.v[f], driven[i] * inputs[i][f])));
    }
  }

  __device__ __forceinline__ void run(const Plan& plan) {
    for (int round = 0, r = 0, w = 0; round < plan.rounds; round++) {
      if (r + reads_a_round <= plan.reads_count) {
        read<reads_a_round>(plan.reads + r);
        r += reads_a_round;
      } else {
        for (; r < plan.reads_count; r++) read<1>(plan.reads + r);
      }
      const int end = plan.ends[round];
      for (; w + writes_at_once <= end; w += writes_at_once) write<writes_at_once>(plan.writes + w);
      for (; w < end; w++) write<1>(plan.writes + w);
    }
  }

  __device__ __forceinline__ void add_up(float* of_all) const {
    for (int f = 0; f < wide; f++) of_all[at + f * lanes] = sums[f];
  }
};

// run does a column's part.
template <class T, int wide>
__device__ __forceinline__ void run(const Plan& plan, const Inputs& in, int lane, int feature, Copy* copies) {
  Column<T, wide> column(in, lane, feature, copies);
  column.run(plan);
  if (in.weights) column.add_up(in.sums);
}

// Features are taken four by four, and what is left one by one. Copies are in
// shared memory where they fit, else in the block's own part of spill.
template <class T>
__device__ __forceinline__ void step(const Plan& plan, const Inputs& in, int kept, Copy* spill, Copy* shared) {
  const int fours = in.features / features_a_thread, rest = in.features % features_a_thread;
  Copy* copies = (spill ? spill + (long long)blockIdx.x * kept * blockDim.x : shared) + threadIdx.x;
  const long long columns = (long long)in.lanes * (fours + rest);
  for (long long i = element(); i < columns; i += (long long)gridDim.x * blockDim.x) {
    const int lane = i % in.lanes, group = i / in.lanes;
    if (group < fours)
      run<T, features_a_thread>(plan, in, lane, group * features_a_thread, copies);
    else
      run<T, 1>(plan, in, lane, fours * features_a_thread + group - fours, copies);
  }
}

KERNEL(jacobian_step)(int rounds, const int* ends, int reads_count, const Read* reads, const Write* writes,
    int lanes, int features, const int* state, const float* weights, float* sums, const float* keep,
    const float* mix, const float* drive, const float* x, int kept, Copy* spill, const int* bad) {
  DYNAMIC_SHARED(Copy, shared);
  if (*bad) return;
  step<float>({rounds, ends, reads_count, reads, writes},
      {lanes, features, state, weights, sums, keep, mix, drive, x}, kept, spill, shared);
}

KERNEL(jacobian_step_half)(int rounds, const int* ends, int reads_count, const Read* reads,
    const Write* writes, int lanes, int features, const int* state, const float* weights, float* sums,
    const float* keep, const float* mix, const float* drive, const float* x, int kept, Copy* spill,
    const int* bad) {
  DYNAMIC_SHARED(Copy, shared);
  if (*bad) return;
  step<unsigned short>({rounds, ends, reads_count, reads, writes},
      {lanes, features, state, weights, sums, keep, mix, drive, x}, kept, spill, shared);
}

// A thread has a number of the gradient, and takes the lanes of its column in
// order: those from starts[column] on. Lane l is added, ~l is subtracted.
KERNEL(jacobian_gradient)(int lanes, int features, int columns, const int* starts, const int* lists,
    const float* sums, float* grad) {
  const long long at = element();
  if (at >= (long long)features * columns) return;
  const float* of_feature = sums + at / columns * lanes;
  const int column = at % columns;
  float total = 0.f;
  for (int i = starts[column]; i < starts[column + 1]; i++) {
    const int lane = lists[i];
    total += lane < 0 ? -of_feature[~lane] : of_feature[lane];
  }
  grad[at] = total;
}
