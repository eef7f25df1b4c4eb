package main

import "slices"

// bug is a change of a file below kernels/cuda.
type bug struct{ name, file, right, wrong string }

// unseenByTests are bugs that only a sanitizer can see, with the reason.
var unseenByTests = map[string]string{
	"Jacobians: blocks share their copies": "blocks run one after another",
	"ranking: counts without atomics":      "threads take turns at barriers only",
	"attention: scores before the softmax": "the shuffles before it make lanes wait, too",
}

const (
	warpBarrier  = "  __syncwarp();\n"
	blockBarrier = "    __syncthreads();\n"
)

// bugs are all, those of the newest code first.
var bugs = slices.Concat(fused, recorded, plain)

// plain are bugs of single kernels and of the driver code around them.
var plain = []bug{
	// barriers that are missing
	{"product: before the slices are read", "gemm.cu", blockBarrier + "    for (int p", "    for (int p"},
	{"product: segments go where slices are read", "gemm.cu", blockBarrier + "    of_threads", "    of_threads"},
	{"product: before segments are added", "gemm.cu", blockBarrier + "    if (group", "    if (group"},
	{"product: one slice instead of two", "gemm.cu", "half = 1 - half", "half = 0"},
	{"ranking: before the slices are read", "score_tiles.h", "  " + blockBarrier + "      for (int j", "      for (int j"},
	{"ranking: one slice instead of two", "score_tiles.h", "half = 1 - half", "half = 0"},
	{"ranking: before rows are looked up", "score_tiles.h", "    }\n" + blockBarrier + "  }", "    }\n  }"},
	{"ranking: before counts are added up", "score_tiles.h", blockBarrier + "    for (int i", "    for (int i"},
	{"cross-entropy: in the tree", "elementary.cu", blockBarrier, ""},
	{"attention: scores before the softmax", "attention.cu", "  top = largest(g, top);\n" + warpBarrier, "  top = largest(g, top);\n"},
	{"attention: weights before the sum", "attention.cu", "/= total;\n" + warpBarrier, "/= total;\n"},
	{"attention: gradients of scores", "attention.cu", "* root;\n  }\n" + warpBarrier, "* root;\n  }\n"},
	{"histogram: the row before its hits", "histogram.cu", "  __syncthreads();\n", ""},

	// barriers and shuffles that not all threads come to
	{"barrier in a branch", "gemm.cu", blockBarrier + "    for (int p", "    if (first_row + me.down < m) __syncthreads();\n    for (int p"},
	{"rows beyond the last return before a sum", "norms.h", "  float total = 0.f, squares = 0.f;\n", "  float total = 0.f, squares = 0.f;\n  if (!on) return;\n"},
	{"tree of a sum starts too low", "groups.h", "int step = g.width / 2; step > 0; step /= 2) v +=", "int step = g.width / 4; step > 0; step /= 2) v +="},
	{"tree of a maximum stops too early", "groups.h", "int step = g.width / 2; step > 0; step /= 2) v = fmaxf", "int step = g.width / 2; step > 1; step /= 2) v = fmaxf"},

	// one too far, one too few
	{"elements: one too many", "elementary.cu", "if (i < n) dst[i] = a[i] + b[i]", "if (i <= n) dst[i] = a[i] + b[i]"},
	{"rows: one number too many", "rows.cu", "j < cols; j += g.width) dst[j]", "j <= cols; j += g.width) dst[j]"},
	{"rows: one row too many", "rows.cu", "if (g.row < rows) copy_row(g, cols, dst + g.row * cols", "if (g.row <= rows) copy_row(g, cols, dst + g.row * cols"},
	{"product: the last k is left out", "gemm.cu", "k0 + at + i * step < end", "k0 + at + i * step < end - 1"},
	{"product: shared memory too small", "device_elementary.go", "4 * p.groups * p.depth", "3 * p.groups * p.depth"},
	{"ranking: events beyond the last", "score_tiles.h", "i < events && first_event + i < q.events", "i < events"},
	{"ranking: candidates beyond the last", "score_tiles.h", "if (first + column(k) >= q.candidates) continue;", ""},
	{"ranking: dimensions beyond the last", "score_tiles.h", "j < dim ? from[i * down][j] : 0.f", "from[i * down][j]"},
	{"ranking: scores of candidates beyond the last", "score_tiles.h", "e < q.events && c < q.candidates", "e < q.events"},
	{"product: the last segment", "gemm.cu", "g < groups; g++", "g < groups - 1; g++"},
	{"product: columns beyond the last", "gemm.cu", "row >= m || col >= n", "row >= m"},
	{"product: the last row stands for no other", "gemm.cu", "min(first + row + i * row_step, last)", "first + row + i * row_step"},
	{"places in a list: beyond its end", "occurrences.h", "i < end && list[i] == x", "list[i] == x"},
	{"places in a list: one too far", "occurrences.h", "__ffs(found) - 1", "__ffs(found)"},
	{"loads: what is beyond the end is used", "loads.h", "      if (i + k * step < end) use", "      use"},
	{"loads: beyond the end", "loads.h", "min(i + k * step, end - 1)", "i + k * step"},
	{"sums of columns: room for one of two", "launch.go", "mostSums   = 2", "mostSums   = 1"},
	{"sums of columns: threads beyond the last column write", "columns.h", "j < cols && first == 0", "first == 0"},
	{"places in a list: the last one stands for those that are not", "occurrences.h", "if (g.lane == k) own", "if (g.lane >= k) own"},
	{"groups: parts begin at their buffer's first number", "tables.h", "p.first + static_cast<int>(threadIdx.x)", "static_cast<int>(threadIdx.x)"},
	{"groups: one number too many", "tables.h", "at < table[p.buffer].n", "at <= table[p.buffer].n"},
	{"Jacobians: features that are left begin at the first", "jacobian.cu", "fours * features_a_thread + group - fours", "group - fours"},
	{"Jacobians: bfloat16 is cut off", "jacobian.cu", "(bits + 0x7fff + (bits >> 16 & 1)) >> 16", "bits >> 16"},
	{"Jacobians: lanes are added where they are subtracted", "jacobian.cu", "-of_feature[~lane]", "of_feature[~lane]"},
	{"Jacobians: writes are put off for ever", "jacobian_plan.go", "	if !last {\n", "	if p.step != nil {\n"},
	{"checks: what was bad counts for later ones", "answer.cu", "if (i == note_bad) notes[i] = 0;", ""},
	{"checks: an answer without its first number", "answer.cu", "i < note_count + n", "i < n"},
	{"checks: the same place for all", "seen.go", "return mostSeen - place, place", "return mostSeen, place"},
	{"repeats: what is looked at again is not counted", "repeat.go", "	d.seen += r.sees\n", ""},
	{"tables: a row is kept in spite of bad numbers", "forward.cu", " || *bad) return;", ") return;"},
	{"tables: the first of several rows is kept", "forward.cu", "if (next(g, index, g.row + 1, rows, to) < rows) return;", "if (next(g, index, 0, g.row, to) < g.row) return;"},
	{"tables: all rows go to the first", "forward.cu", "tables[blockIdx.y].numbers", "tables[0].numbers"},
	{"tangents: of the row itself", "forward.cu", "p.alpha * other", "p.alpha * self"},
	{"derivatives of blocks: numbers beyond the last one", "forward.cu", "const bool in = g.row < numbers;", "const bool in = true;"},
	{"derivatives of blocks: y of the row's number", "forward.cu", "within(index[row], y_rows, fault)", "(row % y_rows)"},
	{"Jacobians: new ones in spite of bad numbers", "jacobian.cu", "Copy* spill, const int* bad) {\n  DYNAMIC_SHARED(Copy, shared);\n  if (*bad) return;\n", "Copy* spill, const int* bad) {\n  DYNAMIC_SHARED(Copy, shared);\n"},
	{"ranking: counts without atomics", "score_tiles.h", "atomicAdd(counts + row(i), found)", "counts[row(i)] += found"},
	{"launch: rounded down", "launch.go", "(n + block - 1) / block", "max(n/block, 1)"},

	// order
	{"scatter: the first write wins", "rows.cu", "if (next(g, index, g.row + 1, rows, to) < rows) return;\n  const auto number", "if (next(g, index, 0, g.row, to) < g.row) return;\n  const auto number"},
	{"scatter: any write wins", "rows.cu", "  if (next(g, index, g.row + 1, rows, to) < rows) return;\n  const auto number", "  const auto number"},
	{"sum of rows: every row adds all", "rows.cu", "  if (next(g, index, 0, g.row, to) < g.row) return;\n", ""},
	{"attention: every edge adds to its node", "attention.cu", "  if (next(g, index, 0, g.row, own) < g.row) return;\n", ""},
	{"places in a list: the last window is left out", "occurrences.h", "at < end; at += loads", "at + loads * lanes <= end; at += loads"},
	{"sums of columns: before warps are added", "columns.h", "  __syncthreads();\n", ""},
	{"optimisers: a step in spite of bad gradients", "optimiser.cu", "!at.is || none) return;\n  float &to = number(params, at), &of_mean", "!at.is) return;\n  float &to = number(params, at), &of_mean"},
	{"checks: the last bad buffer counts", "elementary.cu", "atomicMax(noted, own - at.buffer)", "atomicMax(noted, own + at.buffer)"},
	{"sparsemax: equal numbers are visited once", "simplex.h", "(x[j] == last && j > position)", "false"},

	{"rows: a row number that is out of range", "rows.cu", "(long long)within(index[g.row], src_rows, fault)", "(long long)index[g.row]"},

	// Jacobians
	{"Jacobians: the first copy is not kept", "jacobian.cu", "if (r[i].place) copies", "if (r[i].place > 1) copies"},
	{"Jacobians: zeros are not written", "jacobian.cu", "    copies[0] = {};\n", ""},
	{"Jacobians: a place is given back too soon", "jacobian_plan.go", "p.left[state]++", "p.left[state] = 1"},
	{"Jacobians: new ones are read", "jacobian.cu", "if (r[i].place) copies[r[i].place * blockDim.x] = v[i];", ""},
	{"Jacobians: self stands for other", "jacobian.cu", "copies[w[i].other * blockDim.x]", "copies[w[i].self * blockDim.x]"},
	{"Jacobians: blocks share their copies", "jacobian.cu", "spill + (long long)blockIdx.x * kept * blockDim.x", "spill"},

	// numbers that are not finite
	{"ReLU takes NaN away", "scalars.h", "return x < 0.f ? 0.f : x;", "return fmaxf(x, 0.f);"},
	{"ranking: a maximum takes NaN away", "scores.h", "return x != x ? __uint_as_float(0x7f800000) : fmaxf(", "return fmaxf("},
	{"infinity is finite", "scalars.h", "return x - x == 0.f;", "return x == x;"},

	// waiting
	{"reading does not wait", "staging.go", "	if err := d.card.Sync(d.stream); err != nil {\n		return 0, err\n	}\n", ""},
	{"memory is filled while it is read", "staging.go", "if err := d.card.Wait(s.passed[s.half]); err != nil {", "if err := error(nil); err != nil {"},
	{"memory goes back while it is used", "heap.go", "	if err := h.card.Sync(h.stream); err != nil {\n		return err\n	}\n", ""},
	{"new memory is not cleared", "buffer.go", "	d.fill(m.at, n*wordBytes)\n", ""},
}
