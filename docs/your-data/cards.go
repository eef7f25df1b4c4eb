//go:build ignore

// Cards writes a made-up stream of card payments as CSV, for trying the
// benchmark on data of a known kind:
//
//	go run docs/your-data/cards.go -events 200000 -seed 1 > cards.csv
//
// Cards pay in shops for 60 days. About one payment in a hundred is fraud: a card
// is stolen, and for a day or two the thief pays with it beside its owner, somewhat
// more at a time than the owner would, and half of the time in one of a few shops that
// many thieves prefer. The amount tells a little, the past of a card in the graph
// a little, and what has been reported of the card tells most.
package main

import (
	"bufio"
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"time"
)

const (
	days           = 60
	eventsPerCard  = 40
	eventsPerShop  = 250
	fraudShare     = 0.01
	paymentsStolen = 6        // with a stolen card, on average
	hoursBetween   = 5        // payments of a thief, on average
	thiefSpends    = 0.8      // more than the owner, in the logarithm of the amount
	thievesShops   = 1.0 / 20 // of all
	missingAge     = 0.03     // of the cards' ages
)

type payment struct {
	time       float64 // hours since the start
	card, shop int
	amount     float64
	channel    string
	age        float64 // of the card, days
	ageMissing bool
	fraudulent int
}

func main() {
	events := flag.Int("events", 200_000, "number of payments")
	seed := flag.Uint64("seed", 1, "of everything that is random")
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	fmt.Fprintln(out, "id,paid_at,card,shop,amount,channel,card_age,fraud")
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for i, p := range payments(rand.New(rand.NewPCG(*seed, 0)), *events) {
		age := fmt.Sprintf("%.0f", p.age)
		if p.ageMissing {
			age = ""
		}
		at := start.Add(time.Duration(p.time * float64(time.Hour))).Format("2006-01-02T15:04:05.000Z")
		fmt.Fprintf(out, "%d,%s,card-%05d,shop-%04d,%.2f,%s,%s,%d\n", i+1, at, p.card, p.shop, p.amount, p.channel, age, p.fraudulent)
	}
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// payments returns n payments in order of time.
func payments(rng *rand.Rand, n int) []payment {
	cards, shops := max(n/eventsPerCard, 2), max(n/eventsPerShop, 20)
	level := make([]float64, cards)  // mean of the logarithm of an owner's amounts
	busy := make([]float64, cards)   // sums of the cards' shares of the payments
	usual := make([][]int, cards)    // shops of an owner
	issued := make([]float64, cards) // days before the start
	sum := 0.0
	for c := range cards {
		level[c] = 3 + 0.5*rng.NormFloat64()
		sum += rng.ExpFloat64()
		busy[c] = sum
		issued[c] = 1000 * rng.Float64()
		for range 8 {
			usual[c] = append(usual[c], int(float64(shops)*math.Pow(rng.Float64(), 2)))
		}
	}
	channels := []string{"chip", "contactless", "online"}
	var out []payment
	add := func(card, shop int, at, amount float64, channel string, fraudulent int) {
		out = append(out, payment{at, card, shop, amount, channel, issued[card] + at/24, rng.Float64() < missingAge, fraudulent})
	}
	stolen := int(fraudShare * float64(n))
	for range n - stolen {
		card, _ := slices.BinarySearch(busy, sum*rng.Float64())
		shop := usual[card][rng.IntN(len(usual[card]))]
		add(card, shop, 24*days*rng.Float64(), math.Exp(level[card]+0.7*rng.NormFloat64()), channels[rng.IntN(3)], 0)
	}
	for stolen > 0 {
		card, at := rng.IntN(cards), 24*days*rng.Float64()
		for length := 1 + int(rng.ExpFloat64()*(paymentsStolen-1)+0.5); length > 0 && stolen > 0 && at < 24*days; length-- {
			shop := rng.IntN(shops)
			if rng.IntN(2) == 0 {
				shop = int(float64(shops) * (1 - thievesShops*rng.Float64()))
			}
			channel := channels[rng.IntN(3)]
			if rng.IntN(3) == 0 {
				channel = "online"
			}
			add(card, min(shop, shops-1), at, math.Exp(level[card]+thiefSpends+0.9*rng.NormFloat64()), channel, 1)
			at += hoursBetween * rng.ExpFloat64()
			stolen--
		}
	}
	slices.SortStableFunc(out, func(a, b payment) int { return cmp.Compare(a.time, b.time) })
	return out
}
