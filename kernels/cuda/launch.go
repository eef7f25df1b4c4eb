//go:build gpu

package cuda

import (
	"fmt"
	"math"
	"slices"

	"dgsbench/kernels/cuda/driver"
)

// mostThreads is the most that kernels are launched with, but for chains.
const mostThreads = 256

// warp is the number of threads that run together.
const warp = 32

// whole is a parameter of type int or long long.
func whole(n int) uint64 { return uint64(n) }

// single is a parameter of type float.
func single(x float64) uint64 { return uint64(math.Float32bits(float32(x))) }

// below is the parameter of rows that n row numbers are below. It panics if
// there are numbers, but no rows that they could be of.
func below(n, rows int) uint64 {
	if n > 0 && rows == 0 {
		panic(fmt.Sprintf("cuda: %d row numbers of no rows", n))
	}
	return whole(rows)
}

// flag is a parameter of type int that is 0 or 1.
func flag(yes bool) uint64 {
	if yes {
		return 1
	}
	return 0
}

// mostParameters is the most that a kernel here has.
const mostParameters = 32

// launching is the launch that is being made: kept with the device, so that
// none takes memory of its own.
type launching struct {
	function   driver.Function
	size       driver.Launch
	parameters [mostParameters]uint64
	n          int
	run        func() error
}

// prepareLaunch is for Open.
func (d *Device) prepareLaunch() {
	l := &d.launching
	l.run = func() error { return d.card.Launch(l.function, l.size, d.stream, l.parameters[:l.n]...) }
}

// launch puts a kernel on the stream.
func (d *Device) launch(name string, size driver.Launch, parameters ...uint64) {
	d.put(name, size, nil, parameters)
}

// put does so, with parameters in two parts.
func (d *Device) put(name string, size driver.Launch, front, parameters []uint64) {
	d.flush()
	d.enqueue(name, size, front, parameters)
}

// enqueue does so at once, before what is pending.
func (d *Device) enqueue(name string, size driver.Launch, front, parameters []uint64) {
	k, ok := d.card.kernels[name]
	if n := len(front) + len(parameters); !ok || k.parameters != n {
		panic(fmt.Sprintf("cuda: kernel %s has %d parameters, not %d", name, k.parameters, n))
	}
	d.work.Launches++
	if d.tape != nil {
		d.tape.launch(k.function, size, slices.Concat(front, parameters))
		return
	}
	l := &d.launching
	l.function, l.size, l.n = k.function, size, k.parameters
	copy(l.parameters[copy(l.parameters[:], front):], parameters)
	d.card.must(l.run)
}

// spread launches a kernel that decides for itself what so many threads do.
func (d *Device) spread(name string, n int, parameters ...uint64) { d.over(name, n, nil, parameters) }

// over is spread with parameters in two parts.
func (d *Device) over(name string, n int, front, parameters []uint64) {
	if n == 0 {
		return
	}
	d.put(name, blocksOf(n), front, parameters)
}

// blocksOf is a launch of n threads or a few more.
func blocksOf(n int) driver.Launch {
	block := min((n+warp-1)/warp*warp, mostThreads)
	return driver.Launch{Blocks: [2]int{(n + block - 1) / block, 1}, Threads: block}
}

// each launches a kernel with a thread for each of n elements; n is its first
// parameter.
func (d *Device) each(name string, n int, parameters ...uint64) {
	d.over(name, n, []uint64{whole(n)}, parameters)
}

// columnTile is how many columns a block sums, with threads side by side for
// some of the rows; mostSums is how many sums of a column a kernel makes, for
// which each warp has room.
const (
	columnTile = 8
	mostSums   = 2
)

// sumColumns launches a kernel whose blocks have a tile of the columns; its
// first parameters are rows and cols.
func (d *Device) sumColumns(name string, rows, cols int, parameters ...uint64) {
	if cols == 0 {
		return
	}
	d.put(name, columnBlocks(cols), []uint64{whole(rows), whole(cols)}, parameters)
}

// columnBlocks are the blocks of so many columns.
func columnBlocks(cols int) driver.Launch {
	return driver.Launch{
		Blocks:  [2]int{(cols + columnTile - 1) / columnTile, 1},
		Threads: mostThreads,
		Shared:  mostThreads / warp * columnTile * mostSums * wordBytes,
	}
}

// eachWarp launches a kernel with a warp for each of n; n is its first
// parameter.
func (d *Device) eachWarp(name string, n int, parameters ...uint64) {
	d.over(name, n*warp, []uint64{whole(n)}, parameters)
}

// eachTile launches a kernel with a warp for every 32 columns of each row.
func (d *Device) eachTile(name string, rows, cols int, parameters ...uint64) {
	if rows == 0 || cols == 0 {
		return
	}
	size := blocksOf(rows * warp)
	size.Blocks[1] = (cols + warp - 1) / warp
	d.put(name, size, nil, parameters)
}

// eachRow launches a kernel with a group of lanes for each row; its first
// parameters are the width of groups, rows and cols.
func (d *Device) eachRow(name string, rows, cols int, parameters ...uint64) {
	d.inGroups(name, rows, cols, warp, parameters)
}

// eachNumber is eachRow with a thread for each number, at most a block for a
// row: for kernels whose lanes ask each other nothing.
func (d *Device) eachNumber(name string, rows, cols int, parameters ...uint64) {
	d.inGroups(name, rows, cols, mostThreads, parameters)
}

func (d *Device) inGroups(name string, rows, cols, most int, parameters []uint64) {
	width := 1
	for width < min(cols, most) {
		width *= 2
	}
	d.over(name, rows*width, []uint64{whole(width), whole(rows), whole(cols)}, parameters)
}
