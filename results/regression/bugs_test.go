package regression_test

// bug is a mistake to be planted: text of a source file, which must be there
// exactly once, and what takes its place.
type bug struct {
	name, what string
	file       string
	old, new   string
}

// bugs are the ones that a check worth its name must see.
var bugs = []bug{
	{
		"gradient-sgd", "flipped gradient sign: the recurrent part of DGS goes uphill",
		"nn/optimisers.go", `s.velocity, s.LR,`, `s.velocity, -s.LR,`,
	},
	{
		"gradient-adam", "flipped gradient sign: heads, TGN and Jodie go uphill",
		"nn/optimisers.go", `Size:  a.LR / (`, `Size:  -a.LR / (`,
	},
	{
		"window-short", "off-by-one batch window: batches of 199",
		"harness/evaluate.go", `for k := range numWindows(part, size) {`, `size--
		for k := range numWindows(part, size) {`,
	},
	{
		"window-end", "off-by-one batch window: the last event of each is lost",
		"harness/evaluate.go", `min((k+1)*size, part.Len())`, `min((k+1)*size-1, part.Len())`,
	},
	{
		"leak", "leak of the current batch: ranked from the state after it",
		"harness/evaluate.go", `		asked, excluded := r.asked(b, lo, without)
`, `		if err := r.model.Observe(b); err != nil {
			return err
		}
		asked, excluded := r.asked(b, lo, without)
`,
	},
	{
		"reset-epoch", "forgotten state reset: at the start of an epoch",
		"harness/run.go", `		start := time.Now()
		r.model.Reset()
`, `		start := time.Now()
`,
	},
	{
		"state-test", "the test starts from an empty state",
		"harness/run.go", `return r.model.Restore(snapshot)`, `defer r.model.Reset()
	return r.model.Restore(snapshot)`,
	},
	{
		"reset-model", "forgotten state reset: Graph-Sprints keeps its table",
		"models/graphsprints/states.go", `	t.device.Zero(t.nodes*t.cols, t.table)
`, ``,
	},
	{
		"seed-trials", "shared seed: every trial is called seed 0",
		"specs/trial.go", `t.Seed = first + uint64(i)`, `t.Seed = first + 0*uint64(i)`,
	},
	{
		"seed-streams", "shared seed: every random stream starts at seed 0",
		"nn/network.go", `rand.NewPCG(seed, `, `rand.NewPCG(0*seed, `,
	},
	{
		"ties", "ranking with optimistic ties",
		"metrics/ranking.go", `1 + float64(greater) + float64(equal)/2`, `1 + float64(greater) + 0*float64(equal)`,
	},
}
