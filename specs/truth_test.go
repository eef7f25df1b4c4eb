package specs_test

import (
	"os"
	"path/filepath"
	"testing"

	"dgsbench/specs"

	"github.com/google/go-cmp/cmp"
)

// A user's own oracle joins a suite where there is a hidden state to know,
// and nowhere else.
func TestOwnOracleJoinsSimulatedData(t *testing.T) {
	lib, dir := toyLibrary(t), t.TempDir()
	for name, text := range map[string]string{
		"own.yaml":   "id: own\nmodel: oracle\ntitle: Own\n",
		"suite.yaml": "name: mine\ntitle: Mine\nruns:\n  - {task: nc, datasets: [shop-sim, amlsim-20k], models: [toy]}\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := lib.AddFile(file); err != nil {
			t.Fatal(err)
		}
	}
	suite, err := lib.LoadSuite("mine")
	if err != nil {
		t.Fatal(err)
	}
	trials, err := suite.Trials(specs.Filter{Models: []string{"own"}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, trial := range trials {
		got = append(got, trial.Dataset)
	}
	if diff := cmp.Diff([]string{"shop-sim"}, got); diff != "" {
		t.Errorf("datasets of the oracle (-want +got):\n%s", diff)
	}
}
