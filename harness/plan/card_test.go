package plan_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"dgsbench/harness/plan"
	"dgsbench/internal/golden"

	"github.com/google/go-cmp/cmp"
)

// fixedOnCard is a plan for a card.
func fixedOnCard() plan.Plan {
	p := fixed()
	p.Machine, p.Workers = "a machine, 16 cores, a card, CUDA 12.8", 8
	p.Cells[1].Memory, p.Cells[1].OnCard = 40_000_000, 4_700_000_000
	p.Cells[2].Memory, p.Cells[2].OnCard = 0, 99_000_000_000
	p.Card = &plan.Card{
		Hours: 5.01, Memory: 28_200_000_000, Free: 30_000_000_000, Total: 32_000_000_000,
		Largest: 4_700_000_000, Which: "dgs on wikipedia", Room: 6,
	}
	return p
}

// TestWriteOnCard: the card's memory stands beside the host's, and its hours.
func TestWriteOnCard(t *testing.T) {
	var text, js bytes.Buffer
	if err := fixedOnCard().WriteText(&text); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, filepath.Join("testdata", "plancard.txt"), text.String())
	if err := encode(&js, fixedOnCard()); err != nil {
		t.Fatal(err)
	}
	var back plan.Plan
	if err := json.Unmarshal(js.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fixedOnCard(), back); diff != "" {
		t.Errorf("JSON does not hold the plan (-want +got):\n%s", diff)
	}
}

// TestFitsOnCard: there it is the card that has room or not.
func TestFitsOnCard(t *testing.T) {
	p := fixedOnCard()
	if c, found := p.TooLarge(); !found || c.Model != "vast" {
		t.Errorf("too large: %v, %+v", found, c)
	}
	p.Free = 1
	p.Cells[2].OnCard = 1
	if c, found := p.TooLarge(); found {
		t.Errorf("%+v has no room on the card, which has %d bytes", c, p.Card.Free)
	}
}
