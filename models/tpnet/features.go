package tpnet

// features are the columns of a pair: log(1+relu(.)) of the products of the source
// with the destination, of the source with itself, and of the destination with
// itself, as they are now.
type features struct {
	*products
	decays []float32 // of now
	source []float32 // the source's own columns
}

// begin prepares rows of the present state.
func (f *features) begin() {
	f.decays = f.decays[:0]
	for _, x := range f.walks.decays() {
		f.decays = append(f.decays, float32(x))
	}
}

func (f *features) width() int { k := f.orders + 1; return k*k + k*(k+1) }

// rows writes a row for each of the nodes, with the same source. The source's own
// columns come last.
func (f *features) rows(source int32, nodes []int32, x []float32) {
	k, width := f.orders+1, f.width()
	across, n := k*k, k*len(nodes)
	f.ownColumns(source, f.source)
	logOnePlus(f.source)
	at := f.of(source, nodes)
	for i, v := range nodes {
		row := x[i*width:][:width]
		for a := range k {
			for b, product := range at[a*n+k*i:][:k] {
				row[a*k+b] = product * f.decays[a+b]
			}
		}
		f.ownColumns(v, row[across:])
		pair := row[:width-len(f.source)]
		logOnePlus(pair)
		copy(row[len(pair):], f.source)
	}
}

// ownColumns writes the products of a node with itself, as they are now.
func (f *features) ownColumns(node int32, x []float32) {
	own, i := f.ownOf(node), 0
	for a := range f.orders + 1 {
		for b := a; b <= f.orders; b++ {
			x[i] = own[i] * f.decays[a+b]
			i++
		}
	}
}
