package portable

// Sum is the sum of x in sixteen lanes: lane i adds x[i], x[i+16], ... in
// order; then lane i and i+8 are added, then i and i+4, i+2 and i+1.
func Sum[T Float](x []T) T {
	var lanes [16]T
	for i, v := range x {
		lanes[i%16] += v
	}
	return tree(&lanes)
}

// Dot is the sum of a*b in the same order, each lane by fused multiply-add.
func Dot[T Float](a, b []T) T {
	var lanes [16]T
	for i, v := range a {
		lanes[i%16] = fma(v, b[i], lanes[i%16])
	}
	return tree(&lanes)
}

// DotSum is the dot product of a and u + v.
func DotSum[T Float](a, u, v []T) T {
	var lanes [16]T
	for i, x := range a {
		lanes[i%16] = fma(x, u[i]+v[i], lanes[i%16])
	}
	return tree(&lanes)
}

func tree[T Float](lanes *[16]T) T {
	for step := 8; step > 0; step /= 2 {
		for i := range step {
			lanes[i] += lanes[i+step]
		}
	}
	return lanes[0]
}

// SumInOrder is the sum of x from the first to the last, in float64.
func SumInOrder[T Float](x []T) float64 {
	var s float64
	for _, v := range x {
		s += float64(v)
	}
	return s
}
