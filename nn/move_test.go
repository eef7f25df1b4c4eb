package nn

import (
	"slices"
	"testing"

	"dgsbench/kernels"
)

// TestMove: rows come from where the lists say, the others stay, and there may
// be none.
func TestMove(t *testing.T) {
	const cols = 3
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		numbers := func(rows, from int) []float32 {
			out := make([]float32, rows*cols)
			for i := range out {
				out[i] = float32(from + i)
			}
			return out
		}
		src, host := numbers(4, 100), numbers(5, 0)
		from, to := upload(d, src), upload(d, host)
		m := NewMove(d, 3, cols)
		for _, lists := range [][2][]int32{{{4, 0, 2}, {3, 3, 0}}, {{}, {}}, {{1}, {2}}} {
			m.Run(to, lists[0], from, lists[1])
			for i, row := range lists[0] {
				copy(host[row*cols:][:cols], src[lists[1][i]*cols:][:cols])
			}
			if got := download(d, to, len(host)); !slices.Equal(got, host) {
				t.Errorf("rows %v to %v: %v, expected %v", lists[1], lists[0], got, host)
			}
		}
		NewMove(d, 3, 0).Run(to, []int32{1}, from, []int32{2}) // rows without numbers
	})
}
