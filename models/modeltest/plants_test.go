package modeltest

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// plants are the ways in which a learner cheats or is wrong, with the checks
// that must see it. The first is none.
var plants = map[string][]string{
	"": nil,

	"reads labels in Classify":             {"nc/without_labels/Classify"},
	"needs labels in Classify":             {"nc/without_labels/Classify"},
	"reads labels in ClassifyAhead":        {"nc/without_labels/ClassifyAhead"},
	"reads labels in Observe":              {"nc/without_labels/Observe"},
	"reads labels in Rank":                 {"lp/without_labels/Rank"},
	"reads labels in Score":                {"lp/without_labels/Score"},
	"keeps the setup":                      {"nc/the_setup_is_not_kept", "lp/the_setup_is_not_kept"},
	"looks ahead in Classify":              {"nc/no_look-ahead"},
	"looks ahead in ClassifyAhead":         {"nc/ahead:_same_answers"},
	"looks ahead in Score":                 {"lp/no_look-ahead"},
	"looks ahead in Train":                 {"nc/no_look-ahead_in_training"},
	"trains on the labels of its batch":    {"nc/no_look-ahead_in_training"},
	"gives the loss of after the step":     {"nc/no_look-ahead_in_training"},
	"changes the state in Rank":            {"lp/rank_and_score_change_nothing"},
	"changes the state in Score":           {"lp/rank_and_score_change_nothing"},
	"changes what no snapshot has in Rank": {"lp/rank_and_score_change_nothing"},
	"forgets to reset its labels":          {"nc/reset_is_complete"},
	"keeps what it learns beyond Reset":    {"nc/reset_is_complete"},
	"leaves its labels out of snapshots":   {"nc/snapshots"},
	"keeps parts of old parameters":        {"lp/snapshots_at_any_time"},
	"folds in what is not finite":          {"nc/what_is_refused_changes_nothing", "lp/what_is_refused_changes_nothing"},
	"looks up its destination in Score":    {"lp/no_look-ahead"},
	"knows events by their numbers":        {"nc/event_numbers_mean_nothing", "lp/event_numbers_mean_nothing"},
	"remembers answers":                    {"nc/event_numbers_mean_nothing"},
	"writes to features":                   {"nc/nothing_that_is_given_is_written_to", "lp/nothing_that_is_given_is_written_to"},
	"waits for the labels of a batch":      {"nc/labels_may_be_late"},
	"writes to labels":                     {"nc/nothing_that_is_given_is_written_to"},
	"writes to candidates":                 {"lp/nothing_that_is_given_is_written_to"},
	"writes to negatives":                  {"lp/nothing_that_is_given_is_written_to"},
	"answers when the labels are known":    {"nc/nothing_that_is_given_is_written_to"},
	"trains on a state with the batch folded in": {
		"nc/no_look-ahead_in_training", "lp/no_look-ahead_in_training",
	},
}

// planted is the environment variable with which this program is a run of the
// suite on planted models.
const planted = "MODELTEST_PLANTED"

// TestPlanted is that run.
func TestPlanted(t *testing.T) {
	if os.Getenv(planted) == "" {
		t.Skip("it is run by TestSuiteSeesPlants")
	}
	kind := learnerKind("learner")
	for plant := range plants {
		t.Run(plant, func(t *testing.T) { Check(t, kind, &options{plant}) })
	}
}

// TestSuiteSeesPlants: the suite passes the model that keeps all promises, and
// fails the others in the checks that are about what was planted.
func TestSuiteSeesPlants(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := exec.Command(program, "-test.run=^TestPlanted$", "-test.v")
	run.Env = append(os.Environ(), planted+"=1")
	out, err := run.CombinedOutput()
	if err == nil || !strings.HasSuffix(string(out), "FAIL\n") {
		t.Fatalf("the run ends with %v:\n%s", err, out)
	}
	failed := map[string][]string{}
	for _, found := range regexp.MustCompile(`--- FAIL: TestPlanted/([^/ ]+)/(\S+)`).FindAllStringSubmatch(string(out), -1) {
		failed[found[1]] = append(failed[found[1]], found[2])
	}
	for plant, checks := range plants {
		name := strings.ReplaceAll(plant, " ", "_")
		if plant == "" {
			name = "#00"
		}
		if !strings.Contains(string(out), "TestPlanted/"+name+"/") {
			t.Errorf("%q was not run", plant)
		}
		for _, check := range checks {
			if !slices.Contains(failed[name], check) {
				t.Errorf("%q passes %s; it fails %v", plant, check, failed[name])
			}
		}
		if plant == "" && len(failed[name]) > 0 {
			t.Errorf("a good model fails %v", failed[name])
		}
	}
}
