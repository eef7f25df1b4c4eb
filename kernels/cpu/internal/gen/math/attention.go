package main

var attention = []kernel{
	{"edgeGrad", "func(dq, dk, dv, de, q, k, e, out []float32, score, weight float32)", edgeGrad},
}

// edgeGrad is one head of one edge: dq += score*(k + e), dk += score*q,
// dv += weight*out, de = score*q + weight*out.
func edgeGrad(m *machine) {
	dq, dk, dv, de := m.data("dq"), m.data("dk"), m.data("dv"), m.data("de")
	q, k, e, out := m.data("q"), m.data("k"), m.data("e"), m.data("out")
	n, score, weight := m.size("q"), m.scalar("score"), m.scalar("weight")
	m.span(n, func(l lanes) {
		query, gradient := l.load(q), l.load(out)
		l.store(dq, m.fma(score, m.add(l.load(k), l.load(e)), l.load(dq)))
		l.store(dk, m.fma(score, query, l.load(dk)))
		l.store(dv, m.fma(weight, gradient, l.load(dv)))
		l.store(de, m.fma(weight, gradient, m.mul(score, query)))
	})
}
