package sim

// frozen pins the registered simulators: the checksum of parameters and seed,
// and the SHA-256 of the first 20,000 events.
var frozen = map[string]struct{ params, events string }{}
