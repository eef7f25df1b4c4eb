package sim

import (
	"strings"
	"testing"

	"dgsbench/datasets"
)

// FuzzLookup: a name is that of the dataset that it finds, of a size that can
// be made, or is refused in one line.
func FuzzLookup(f *testing.F) {
	for _, name := range []string{
		"wikipedia-sim", "wikipedia-sim@0.1", "shop-sim@1", "shop-sim@0x1p-1", "shop-sim@1e3", "fi-b-sim@1000", "fi-b-sim@1000.0000001",
		"shop-sim@-1", "shop-sim@nan", "shop-sim@inf", "shop-sim@1e-320", "shop-sim@0.10", "shop-sim@", "@1", "wikipedia@2", "shop-sim@1@1", "shop-sim@1_0",
	} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		d, err := datasets.Lookup(name)
		if err != nil {
			return
		}
		if d.Name != name || strings.ContainsAny(name, "/\\xX_") || len(name) > 100 {
			t.Errorf("%q is the dataset %q", name, d.Name)
		}
		if n := d.Want; strings.HasSuffix(strings.Split(name, "@")[0], "-sim") && (n.Events < 1 || n.Nodes < 1 || n.Positives < 0 || n.Positives > n.Events) {
			t.Errorf("%q has %+v", name, n)
		}
	})
}
