package sim

import "dgsbench/datasets"

// Simulator is a named parameter set.
type Simulator struct {
	Name      string
	Title     string
	Params    Params // at scale 1
	Split     datasets.SplitRule
	TestShare float64 // of the events, by Split
	SizesOf   string  // at scale 1; see datasets.Dataset
}

const (
	day   = 86_400.0
	month = 30 * day
)

// Simulators are the registered ones.
var Simulators = []Simulator{
	{
		Name:  "wikipedia-sim",
		Title: "Simulated after Wikipedia: users edit pages; label: the user is banned after this edit",
		Params: Params{
			Users: 8_227, Items: 1_000, Events: 157_474, Positives: 217, Features: 172, Span: 2_678_373,
			Terminal: true, Noise: 1,
			Activity: Activity{Arrival: 0.7, Session: 0.48, Lag: 40},
			Links:    Links{Explore: 0.34, Roam: 4.5, Same: 0.86, Topics: 16, Taste: 1.5, Mood: 1, Skew: 1, Epoch: 40_000},
			Labels:   Labels{Fast: 1, Slow: 1, Other: 1, Count: 1.5},
		},
		Split: datasets.ByTime(0.70, 0.85), TestShare: 0.15, SizesOf: "Wikipedia",
	},
	{
		Name:  "reddit-sim",
		Title: "Simulated after Reddit: users post to subreddits; label: the user is banned after this post",
		Params: Params{
			Users: 10_000, Items: 984, Events: 672_447, Positives: 366, Features: 172, Span: 2_678_390,
			Terminal: true, Noise: 1,
			Activity: Activity{Arrival: 0.7, Anyone: 0.15, Session: 0.5, Lag: 100},
			Links:    Links{Explore: 1, Roam: 5.5, Same: 0.65, Topics: 16, Taste: 2, Mood: 1, Skew: 0.8, Epoch: 17_000},
			Labels:   Labels{Fast: 1, Slow: 1, Other: 1, Count: 0},
		},
		Split: datasets.ByTime(0.70, 0.85), TestShare: 0.15, SizesOf: "Reddit",
	},
	{
		Name:  "mooc-sim",
		Title: "Simulated after MOOC: students act on course items; label: the student drops out after this action",
		Params: Params{
			Users: 7_047, Items: 97, Events: 411_749, Positives: 4_066, Features: 7, Span: 29 * day,
			Terminal: true, Noise: 1,
			Activity: Activity{Arrival: 0.7, Anyone: 0.3, Session: 0.8, Lag: 60},
			Links:    Links{Explore: 1, Roam: 1, Same: 0.4, Topics: 16, Taste: 1, Mood: 2, Skew: 0.5, Epoch: 4_000},
			Labels:   Labels{Fast: 1, Slow: 1, Other: 1, Count: 0},
		},
		Split: datasets.ByRow(0.60, 0.80), TestShare: 0.20, SizesOf: "Mooc",
	},
	{
		Name:  "fi-a-sim",
		Title: "Simulated after FI-A: transfers between bank accounts; label: the transfer belongs to a suspicious activity",
		Params: Params{
			Users: 400_000, Events: 500_000, Positives: 17_500, Features: 16, Span: 300 * day, Noise: 1,
			Activity: Activity{Arrival: 1, Anyone: 0.1, Session: 0.8, Lag: 15_000, Forward: 0.3},
			Links:    Links{Explore: 1, Roam: 0.1, Same: 0.5, Topics: 32, Taste: 1.5, Mood: 1, Skew: 0.3, Epoch: 1_000},
			Labels:   Labels{Fast: 1, Slow: 1, Other: 1, Count: 0},
		},
		Split: datasets.ByRow(0.60, 0.70), TestShare: 0.30,
	},
	{
		Name:  "fi-b-sim",
		Title: "Simulated after FI-B: transfers between bank accounts; label: the transfer is escalated",
		Params: Params{
			Users: 10_000, Events: 2_000_000, Positives: 600_000, Features: 16, Span: 600 * day, Noise: 1,
			Activity: Activity{Arrival: 0.3, Anyone: 0.5, Session: 0.8, Lag: 15_000, Forward: 0.3},
			Links:    Links{Explore: 1, Roam: 0.35, Same: 0.4, Topics: 32, Taste: 1.5, Mood: 1, Skew: 0.3, Epoch: 50_000},
			Labels:   Labels{Fast: 1, Slow: 1, Other: 1, Count: 0},
		},
		Split: datasets.ByRow(0.60, 0.70), TestShare: 0.30,
	},
	{
		Name:  "shop-sim",
		Title: "Simulated shop: customers buy products; label: the purchase is disputed",
		Params: Params{
			Users: 600, Items: 240, Events: 30_000, Positives: 3_000, Features: 16, Span: month, Noise: 1,
			Activity: Activity{Arrival: 0.7, Anyone: 0.4, Session: 0.7, Lag: 30},
			Links:    Links{Explore: 1, Roam: 0.5, Same: 0.55, Topics: 48, Taste: 2.5, Mood: 2, Skew: 0.7, Epoch: 10_000},
			Labels:   Labels{Fast: 1, Slow: 1, Other: 1, Count: 0},
		},
		Split: datasets.ByTime(0.70, 0.85), TestShare: 0.15,
	},
	{
		Name:  "transfers-sim",
		Title: "Simulated transfers between accounts; label: the transfer is suspicious",
		Params: Params{
			Users: 3_000, Events: 30_000, Positives: 2_400, Features: 16, Span: 3 * month, Noise: 1,
			Activity: Activity{Arrival: 0.5, Anyone: 0.3, Session: 0.6, Lag: 3_000, Forward: 0.3},
			Links:    Links{Explore: 1, Roam: 0.4, Same: 0.5, Topics: 32, Taste: 1.5, Mood: 1, Skew: 0.3, Epoch: 1_000},
			Labels:   Labels{Fast: 1, Slow: 1, Other: 1, Count: 0},
		},
		Split: datasets.ByRow(0.60, 0.70), TestShare: 0.30,
	},
}
