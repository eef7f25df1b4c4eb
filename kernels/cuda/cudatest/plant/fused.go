package main

// fused are bugs of calls that are made in one launch.
var fused = []bug{
	// threads that do not wait for each other
	{"chain: calls are read before they are there", "chain.cu", "(shared + r.calls);\n  __syncthreads();\n", "(shared + r.calls);\n"},
	{"chain: between calls", "chain.cu", "    if (c.meet) __syncthreads();\n", ""},
	{"chain: before partial sums are added", "chain.cu", "  __syncthreads();\n  each(count", "  each(count"},
	{"chain: before the answer is copied", "chain.cu", "  __syncthreads();\n  const long long first", "  const long long first"},
	{"chain: what was written is read at once", "chain_order.go", "meet = meet || slices.ContainsFunc(m.written, o.shares)", "_ = o"},
	{"chain: what was read is written at once", "chain_order.go", "slices.ContainsFunc(m.read, o.shares) || ", ""},
	{"chain: columns that overlap are written at once", "chain_order.go", "other.offset+other.width <= o.offset)", "true)"},
	{"chain: two products share partial sums", "chain_order.go", "meet = sums && m.sums", "meet = false"},
	{"chain: a product of what the one before it wrote joins it", "chain_order.go", " && !out.shares(nextIn)", " && (true || out.shares(nextIn))"},
	{"chain: the joined product reads the first rows", "chain.cu", ": other_x + (long long)min(r - most, rows - 1) * inner", ": x + (long long)min(r - most, rows - 1) * inner"},
	{"chain: rows for joined products", "chain_plan.go", "most /= 2", "most /= 1"},
	{"chain: room for joined products", "chain_plan.go", "sums *= 2", "sums *= 1"},

	// one too far, one too few
	{"chain: rows of the last block", "chain.cu", "min(r.most, c.rows - first)", "r.most"},
	{"chain: rows of the last block's answer", "chain.cu", "min(r.most, rows - block * r.most) * cols", "r.most * cols"},
	{"chain: products of rows beyond the last are written", "chain.cu", "        else if (rows.has(r))\n", "        else\n"},
	{"chain: slices are rounded down", "chain.cu", "(c.inner / X + c.slices - 1) / c.slices * X", "c.inner / X / c.slices * X"},
	{"chain: the last slice goes on", "chain.cu", "min(from + deep, c.inner)", "from + deep"},
	{"chain: the last term after eights", "chain.cu", "cols, p, end - p, sums", "cols, p, end - p - 1, sums"},
	{"chain: the last groups of lanes", "chain.cu", "first < n; first += groups", "first + groups <= n; first += groups"},
	{"chain: rows that are not put anywhere", "chain.cu", "    if (to >= 0) dst", "    dst"},
	{"chain: room for partial sums", "chain_plan.go", "(s.own+s.partial)*wordBytes", "s.own*wordBytes"},

	// places
	{"chain: every block gathers the first one's rows", "chain.cu", "const int* index = p.numbers<int>(2, 1);\n  float* dst = p.numbers", "const int* index = reinterpret_cast<const int*>(p.whole(2));\n  float* dst = p.numbers"},
	{"chain: vectors lie where rows do", "chain_plan.go", "marked(size.vectors+o.own.at+o.offset, ownMark)", "marked(o.own.at+o.offset, ownMark)"},
	{"chain: windows of columns begin like those of rows", "chain_calls.go", "dstStride != cols, srcStride != cols", "false, false"},
	{"chain: what is staged, four bytes too far", "chain_plan.go", "+o.place-1, stagedMark", "+o.place+3, stagedMark"},
	{"chain: what is staged is not padded", "chain_memory.go", "over > 0 {", "over > lineBytes {"},
	{"chain: numbers of the host with the mark of own ones", "chain_plan.go", "	stagedMark = 2\n", "	stagedMark = 1\n"},

	// order, and what the host is told
	{"chain: the answer has its first line, too", "chain_answer.go", "copy(bytesOf(dst), pinned[lineBytes:])", "copy(bytesOf(dst), pinned)"},
	{"chain: a wrong row number is not told", "chain_answer.go", "	d.check(pinned[0] != 0)\n", ""},
	{"chain: is overtaken by an upload", "uploads.go", "if d.pending.touches(piece{dst.at, len(src)}) {", "if false {"},
	{"chain: what it writes is overtaken", "chain_pending.go", "slices.ContainsFunc(call.operands[:], func", "slices.ContainsFunc(call.operands[call.results:], func"},
	{"chain: beside one that reads what it writes", "chain_pending.go", "c.writesFor(other) || ", ""},
	{"chain: beside one that writes what it reads", "chain_pending.go", " || other.writesFor(c)", ""},
	{"chain: the second one's blocks", "chain.cu", "is_other ? blockIdx.x - blocks : blockIdx.x", "blockIdx.x"},
	{"chain: memory of the larger one", "chain_pending.go", "max(first.shared, other.shared)", "first.shared"},
	{"chain: is never launched", "chain_pending.go", "		d.launchChains(0, 0, 0, 0)\n", ""},
}
