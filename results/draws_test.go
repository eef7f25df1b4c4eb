package results

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"dgsbench/metrics"
	"dgsbench/results/record"
)

// TestDraws: what is kept is found again, under the checksum of what it was made
// of; a damaged file, and one that cannot be written, are as none.
func TestDraws(t *testing.T) {
	store := record.Store{Dir: t.TempDir()}
	values := make([]float64, metrics.NumDraws)
	for i := range values {
		values[i] = float64(i) / 7
	}
	facts := []metrics.Facts{{Score: []float32{1, 2}, Label: []int8{0, 1}}}
	key := keyOf("auc", checksumOf(facts))
	d := openDraws(store, "suite")
	if _, ok := d.get(key); ok {
		t.Fatal("an empty folder has draws")
	}
	d.put(key, values)
	d.save()
	again, ok := openDraws(store, "suite").get(key)
	if !ok || !slices.Equal(again, values) {
		t.Fatalf("not found again: %v", again)
	}
	for name, other := range map[string]drawsKey{
		"metric": keyOf("ap", checksumOf(facts)),
		"score":  keyOf("auc", checksumOf([]metrics.Facts{{Score: []float32{1, 3}, Label: []int8{0, 1}}})),
		"label":  keyOf("auc", checksumOf([]metrics.Facts{{Score: []float32{1, 2}, Label: []int8{0, -1}}})),
		"seeds":  keyOf("auc", checksumOf(slices.Concat(facts, facts))),
		"column": keyOf("auc", checksumOf([]metrics.Facts{{Greater: []int32{1, 2}, Equal: []int32{0, 1}}})),
	} {
		if other == key {
			t.Errorf("another %s has the same key", name)
		}
	}
	file := filepath.Join(store.Dir, "suite", drawsFile)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []int{0, len(drawsFormat) + 3, len(text) / 2, len(text) - 1} {
		damaged := slices.Clone(text)
		damaged[k] ^= 1
		if err := os.WriteFile(file, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, ok := openDraws(store, "suite").get(key); ok {
			t.Errorf("byte %d was changed, and the draws are used", k)
		}
	}
	if err := os.WriteFile(file, text[:len(text)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	if _, ok := openDraws(store, "suite").get(key); ok {
		t.Error("half a file is used")
	}
	d = openDraws(record.Store{Dir: filepath.Join(file, "below")}, "suite") // no folder can be there
	d.put(key, values)
	d.save()
}
