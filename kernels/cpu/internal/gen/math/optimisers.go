package main

var optimisers = []kernel{
	{"adam", "func(p, g, mean, square []float32, decay, beta1, rest1, beta2, rest2, size, root, eps float32)", adam},
	{"momentum", "func(p, g, velocity []float32, decay, momentum, rate float32)", momentum},
}

func adam(m *machine) {
	p, g, mean, square, n := m.data("p"), m.data("g"), m.data("mean"), m.data("square"), m.size("p")
	decay, size, root, eps := m.scalar("decay"), m.scalar("size"), m.scalar("root"), m.scalar("eps")
	beta1, rest1, beta2, rest2 := m.scalar("beta1"), m.scalar("rest1"), m.scalar("beta2"), m.scalar("rest2")
	m.span(n, func(l lanes) {
		parameter := l.load(p)
		gradient := m.fma(decay, parameter, l.load(g))
		first := m.fma(rest1, gradient, m.mul(beta1, l.load(mean)))
		l.store(mean, first)
		second := m.fma(m.mul(rest2, gradient), gradient, m.mul(beta2, l.load(square)))
		l.store(square, second)
		d := m.fma(m.sqrt(second), root, eps)
		l.store(p, m.sub(parameter, m.div(m.mul(size, first), d)))
	})
}

func momentum(m *machine) {
	p, g, velocity, n := m.data("p"), m.data("g"), m.data("velocity"), m.size("p")
	decay, keep, rate := m.scalar("decay"), m.scalar("momentum"), m.scalar("rate")
	m.span(n, func(l lanes) {
		parameter := l.load(p)
		gradient := m.fma(decay, parameter, l.load(g))
		speed := m.fma(keep, l.load(velocity), gradient)
		l.store(velocity, speed)
		m.subMul(parameter, rate, speed)
		l.store(p, parameter)
	})
}
