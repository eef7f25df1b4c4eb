package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"unsafe"
)

// Version of the generator. It is raised whenever the same parameters and
// seed make another stream.
const Version = 1

// Params decide, with a seed, every event of a stream.
type Params struct {
	Users     int // sources; all accounts where Items is 0
	Items     int // destinations of a bipartite stream; 0 lets any account be one
	Events    int
	Positives int // events with label 1; all others have label 0
	Features  int
	Span      float64 // seconds from the first to the last event, on average

	// Terminal: a positive event is its source's last.
	Terminal bool
	Activity Activity
	Links    Links
	Labels   Labels
	// Noise is the deviation of what features show beside the hidden state.
	Noise float64
}

// Activity says who acts next: a newcomer, anyone who has appeared, or the
// source of an earlier event.
type Activity struct {
	// Arrival is the exponent of the growth curve: at a share x of the
	// events, x^Arrival of the users have appeared. 1 is steady.
	Arrival float64
	// Anyone is the chance that it is anyone who has appeared, all alike.
	Anyone float64
	// Session is the chance to go back to the present session, by a number
	// of events that is exponential with mean Lag. Otherwise the number is
	// log-uniform up to the length of the memory.
	Session, Lag float64
	// Forward is the chance that whoever received at that earlier event acts
	// now, instead of its source. Only where accounts are both.
	Forward float64
}

// Links says where an event goes.
type Links struct {
	// Explore and Roam make some sources explore often and most rarely: the
	// chance is Explore x U^Roam with a U of the source's own, uniform in
	// 0 .. 1. An event that does not explore repeats the source's last
	// destination with chance Same, and returns to one of the few before
	// otherwise.
	Explore, Roam, Same float64
	// Topics is the number of kinds of destinations, at most 64. Taste and Mood say how
	// sharply long-term taste and recent features choose between them.
	Topics      int
	Taste, Mood float64
	// Skew is the share of explorations that prefer the popular among a
	// topic's destinations; the others take any. Every Epoch events the order
	// of popularity moves on by one place.
	Skew  float64
	Epoch int
}

// Labels says how the log-odds of a positive label depend on the history.
type Labels struct {
	Fast, Slow float64 // weights of the source's average tone over few and many events
	Other      float64 // weight of the destination's average tone of its visitors
	Count      float64 // weight of minus log(1 + the source's earlier events)
	// Quotas is the number of windows of the stream, equally long, of which
	// each has its own number of positives; 0 stands for 1. It is left out of
	// the checksum where it is 0.
	Quotas int `json:",omitempty"`
}

// checksum stands for a stream where a file's checksum would: it changes
// with all that the stream depends on.
func (p Params) checksum(seed uint64) string {
	facts, err := json.Marshal(map[string]any{"generator": Version, "params": p, "seed": seed})
	if err != nil {
		panic(fmt.Sprintf("sim: %v", err)) // numbers that JSON cannot hold
	}
	sum := sha256.Sum256(facts)
	return hex.EncodeToString(sum[:])
}

func (p Params) bipartite() bool { return p.Items > 0 }

// nodes is the number of all nodes.
func (p Params) nodes() int { return p.Users + p.Items }

// bytes is the memory of a generator, beside the events that it makes.
func (p Params) bytes() int64 {
	events := 1 // places of an event in the memory of the crowd
	if !p.bipartite() {
		events = 2
	}
	return int64(p.Users)*int64(unsafe.Sizeof(actor{})) + int64(p.targets())*int64(unsafe.Sizeof(target{})) + int64(events)*4*memory
}

// targets is the number of nodes that can be a destination.
func (p Params) targets() int {
	if p.bipartite() {
		return p.Items
	}
	return p.Users
}
