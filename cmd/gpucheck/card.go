//go:build gpu

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// findingTakes is how long it may take to find the card and compile all
// kernels for it.
const findingTakes = 90 * time.Second

// keepAwake opens the cards' files until the program ends. A driver that is not
// told to be persistent puts a card to sleep that no program has open, and takes
// seconds to wake it for the next one.
func (c *check) keepAwake() {
	cards, _ := filepath.Glob("/dev/nvidia[0-9]*")
	for _, card := range cards {
		if file, err := os.OpenFile(card, os.O_RDWR, 0); err == nil { // else all takes a little longer
			c.awake = append(c.awake, file)
		}
	}
}

// findCard notes what there is. The program that looks for the card leaves the
// compiled kernels behind, for those that follow.
func (c *check) findCard(ctx context.Context) error {
	c.keepAwake()
	var card string
	err := within(ctx, c.patient(findingTakes), func(ctx context.Context) error {
		out, err := output(ctx, c.work, c.program, "-measure", "card")
		card = strings.TrimSpace(string(out))
		return err
	})
	if err != nil {
		return err
	}
	c.report.Facts = c.facts(ctx, card)
	c.note(Step{Name: "kernels are compiled", Outcome: passed, Seconds: time.Since(c.began).Seconds()})
	return nil
}

// nameCard prints the card's name.
func nameCard(m *measuring) error {
	fmt.Println(m.card.Level())
	return nil
}
