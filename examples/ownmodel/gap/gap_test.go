package gap

import (
	"testing"

	"dgsbench/models"
	"dgsbench/models/modeltest"
)

// TestConformance: the model keeps the promises of docs/adding-a-model.md.
func TestConformance(t *testing.T) {
	kind, err := models.Lookup("gap")
	if err != nil {
		t.Fatal(err)
	}
	modeltest.Check(t, kind, kind.Options())
}
