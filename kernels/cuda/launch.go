//go:build gpu

package cuda

import (
	"fmt"
	"math"

	"dgsbench/kernels/cuda/driver"
)

// mostThreads is the most that the kernels here are compiled for.
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

// launch puts a kernel on the stream.
func (d *Device) launch(name string, size driver.Launch, parameters ...uint64) {
	k, ok := d.card.kernels[name]
	if !ok || k.parameters != len(parameters) {
		panic(fmt.Sprintf("cuda: kernel %s has %d parameters, not %d", name, k.parameters, len(parameters)))
	}
	d.card.must(func() error { return d.card.Launch(k.function, size, d.stream, parameters...) })
}

// spread launches a kernel that decides for itself what so many threads do.
func (d *Device) spread(name string, n int, parameters ...uint64) {
	if n == 0 {
		return
	}
	block := min((n+warp-1)/warp*warp, mostThreads)
	d.launch(name, driver.Launch{Blocks: [2]int{(n + block - 1) / block, 1}, Threads: block}, parameters...)
}

// each launches a kernel with a thread for each of n elements; n is its first
// parameter.
func (d *Device) each(name string, n int, parameters ...uint64) {
	d.spread(name, n, append([]uint64{whole(n)}, parameters...)...)
}

// eachColumn launches a kernel with a thread for each column; its first
// parameters are rows and cols.
func (d *Device) eachColumn(name string, rows, cols int, parameters ...uint64) {
	d.spread(name, cols, append([]uint64{whole(rows), whole(cols)}, parameters...)...)
}

// eachWarp launches a kernel with a warp for each of n; n is its first
// parameter.
func (d *Device) eachWarp(name string, n int, parameters ...uint64) {
	d.spread(name, n*warp, append([]uint64{whole(n)}, parameters...)...)
}

// eachRow launches a kernel with a group of lanes for each row; its first
// parameters are the width of groups, rows and cols.
func (d *Device) eachRow(name string, rows, cols int, parameters ...uint64) {
	width := 1
	for width < min(cols, warp) {
		width *= 2
	}
	d.spread(name, rows*width, append([]uint64{whole(width), whole(rows), whole(cols)}, parameters...)...)
}
