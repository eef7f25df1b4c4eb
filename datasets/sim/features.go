package sim

// Places of the hidden state in what features are made of.
const (
	atTone    = 0
	atImpulse = atTone + 1 // what moves the mood
	atTaste   = atImpulse + dims
	atFactor  = atTaste + dims // of the destination
	numHidden = atFactor + dims
)

// column is a feature: the one hidden number plus half the other, and noise.
type column struct{ one, other int }

// newColumns goes through the hidden numbers: the tone, then one of each
// group in turn. The second number of a column lies nine further, and one
// more in each round, so that 16 columns already show all of them.
func newColumns(n int) []column {
	order := []int{atTone}
	for i := range dims {
		order = append(order, atImpulse+i, atTaste+i, atFactor+i)
	}
	out := make([]column, n)
	for c := range out {
		out[c] = column{order[c%len(order)], order[(c+9+c/len(order)%8)%len(order)]}
	}
	return out
}

func (c column) value(h *[numHidden]float32) float32 { return h[c.one] + h[c.other]/2 }
