package tpnet

import "math"

// logOf is log(1+x), 0 for negative x.
func logOf(x float64) float32 {
	if !(x > 0) {
		return 0
	}
	return float32(math.Log(1 + x))
}

// features are the columns of a pair: log(1+relu(.)) of the products of the source
// with the destination, of the source with itself, and of the destination with
// itself, as they are now.
type features struct {
	*products
	decays []float64 // of now
	source []float32 // the source's own columns
}

// begin prepares rows of the present state.
func (f *features) begin() { f.decays = f.walks.decays() }

func (f *features) width() int { k := f.orders + 1; return k*k + k*(k+1) }

// across writes the first columns: product a, b of i is at[a stride + b].
func (f *features) across(at []float32, stride int, x []float32) {
	k := f.orders + 1
	for a := range k {
		for b := range k {
			x[a*k+b] = logOf(float64(at[a*stride+b]) * f.decays[a+b])
		}
	}
}

// ownColumns writes those of a node with itself.
func (f *features) ownColumns(node int32, x []float32) {
	own, i := f.ownOf(node), 0
	for a := range f.orders + 1 {
		for b := a; b <= f.orders; b++ {
			x[i] = logOf(float64(own[i]) * f.decays[a+b])
			i++
		}
	}
}

// rows writes a row for each of the nodes, with the same source.
func (f *features) rows(source int32, nodes []int32, x []float32) {
	k, width := f.orders+1, f.width()
	own := k * (k + 1) / 2
	f.ownColumns(source, f.source)
	for i, v := range nodes {
		row := x[i*width:][:width]
		copy(row[k*k:], f.source)
		f.ownColumns(v, row[k*k+own:])
	}
	at := f.of(source, nodes)
	for i := range nodes {
		f.across(at[k*i:], k*len(nodes), x[i*width:])
	}
}
