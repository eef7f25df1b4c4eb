//go:build gpu

package cuda

import (
	"fmt"
	"math"
	"slices"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
)

const (
	warp          = 32  // threads that run together
	maxThreads    = 256 // of a block, but for chains
	maxParameters = 32  // of a kernel
)

// intParam is a parameter of type int or long long.
func intParam(n int) uint64 { return uint64(n) }

// single is a parameter of type float.
func single(x float64) uint64 { return uint64(math.Float32bits(float32(x))) }

// flag is a parameter of type int that is 0 or 1.
func flag(yes bool) uint64 {
	if yes {
		return 1
	}
	return 0
}

// below is the parameter of rows that n row numbers are below.
func below(n, rows int) uint64 {
	if n > 0 && rows == 0 {
		panic(fmt.Sprintf("cuda: %d row numbers of no rows", n))
	}
	return intParam(rows)
}

// launch puts a kernel on the stream after all that waits for others. One without
// blocks is left out. Some parameters may be in front of the others.
func (d *Device) launch(name string, size driver.Launch, front []uint64, parameters ...uint64) {
	if size.Blocks[0]*size.Blocks[1] > 0 {
		d.flush()
		d.enqueue(name, size, front, parameters)
	}
}

// enqueue puts a kernel on the stream at once.
func (d *Device) enqueue(name string, size driver.Launch, front, parameters []uint64) {
	k, ok := d.card.kernels[name]
	if n := len(front) + len(parameters); !ok || k.parameters != n {
		panic(fmt.Sprintf("cuda: kernel %s has %d parameters, not %d", name, k.parameters, n))
	}
	d.work.Launches++
	if d.tape != nil {
		recorded := slices.Concat(front, parameters)
		d.tape.add(func() error { return d.card.Launch(k.function, size, d.stream, recorded...) })
		return
	}
	all := append(append(d.parameters[:0], front...), parameters...)
	d.card.must(func() error { return d.card.Launch(k.function, size, d.stream, all...) })
}

// threadsFor is a launch of n threads or a few more.
func threadsFor(n int) driver.Launch {
	if n == 0 {
		return driver.Launch{}
	}
	block := min((n+warp-1)/warp*warp, maxThreads)
	return driver.Launch{Blocks: [2]int{(n + block - 1) / block, 1}, Threads: block}
}

// each launches a kernel, whose first parameter is n, with n threads.
func (d *Device) each(name string, n int, parameters ...uint64) {
	d.launch(name, threadsFor(n), []uint64{intParam(n)}, parameters...)
}

// eachWarp launches a kernel, whose first parameter is n, with n warps.
func (d *Device) eachWarp(name string, n int, parameters ...uint64) {
	d.launch(name, threadsFor(n*warp), []uint64{intParam(n)}, parameters...)
}

// eachTile launches a kernel with a warp for every 32 columns of each row.
func (d *Device) eachTile(name string, rows, cols int, parameters ...uint64) {
	size := threadsFor(rows * warp)
	size.Blocks[1] = (cols + warp - 1) / warp
	d.launch(name, size, nil, parameters...)
}

// eachRow launches a kernel with a group of lanes for each row; its first
// parameters are the width of groups, rows and cols.
func (d *Device) eachRow(name string, rows, cols int, parameters ...uint64) {
	d.inGroups(name, rows, cols, warp, parameters)
}

// eachNumber is eachRow with a thread for each number, at most a block for a
// row: for kernels whose lanes exchange nothing.
func (d *Device) eachNumber(name string, rows, cols int, parameters ...uint64) {
	d.inGroups(name, rows, cols, maxThreads, parameters)
}

func (d *Device) inGroups(name string, rows, cols, widest int, parameters []uint64) {
	width := 1
	for width < min(cols, widest) {
		width *= 2
	}
	d.launch(name, threadsFor(rows*width), []uint64{intParam(width), intParam(rows), intParam(cols)}, parameters...)
}

// columnTile is the number of columns that a block sums; maxSums is the limit of
// sums of a column that a kernel makes, for which each warp has memory.
const (
	columnTile = 8
	maxSums    = 2
)

// sumColumns launches a kernel, whose first parameters are rows and cols, with a
// block for each tile of columns.
func (d *Device) sumColumns(name string, rows, cols int, parameters ...uint64) {
	d.launch(name, columnBlocks(cols), []uint64{intParam(rows), intParam(cols)}, parameters...)
}

func columnBlocks(cols int) driver.Launch {
	return driver.Launch{
		Blocks:  [2]int{(cols + columnTile - 1) / columnTile, 1},
		Threads: maxThreads,
		Shared:  maxThreads / warp * columnTile * maxSums * wordBytes,
	}
}

// group is a list of buffers, with a table as in tables.h.
type group struct {
	buffers []buffer
	table   words
	parts   int // blocks of threads, one for each maxThreads numbers of a buffer
}

func (g *group) Buffers() int { return len(g.buffers) }

func (d *Device) NewGroup(buffers ...kernels.Buffer) kernels.Group {
	g, entries, parts := &group{}, []uint64{}, []uint64{}
	for i, b := range buffers {
		g.buffers = append(g.buffers, b.(buffer))
		entries = append(entries, at(b, b.Len()), uint64(b.Len()))
		for first := 0; first < b.Len(); first += maxThreads {
			parts = append(parts, uint64(first)<<32|uint64(i))
		}
	}
	table := slices.Concat(entries, parts)
	const addressWords = 2
	g.parts, g.table = len(parts), d.zeros(addressWords*len(table))
	d.upload(g.table, bytesOf(table))
	return g
}

// tableOf is the address of a group's table.
func tableOf(g kernels.Group) uint64 { return uint64(g.(*group).table.at) }

// tableOfEach is the same of a group whose buffers have n numbers each.
func tableOfEach(g kernels.Group, n int) uint64 {
	for _, b := range g.(*group).buffers {
		b.first(n)
	}
	return tableOf(g)
}

// eachMember launches a kernel with a thread for each number of a group; its
// first parameters are the number of buffers and the group's table.
func (d *Device) eachMember(name string, g kernels.Group, parameters ...uint64) {
	size := driver.Launch{Blocks: [2]int{g.(*group).parts, 1}, Threads: maxThreads}
	d.launch(name, size, []uint64{intParam(g.Buffers()), tableOf(g)}, parameters...)
}
