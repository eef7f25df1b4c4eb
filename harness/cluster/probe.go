package cluster

// probeTask asks one node what it has.
var probeTask = Task{Kind: Probe, Need: Need{Cores: 1, Memory: 512 << 20}, Seconds: 1}
