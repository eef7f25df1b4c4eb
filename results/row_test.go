package results_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dgsbench/internal/optional"
	"dgsbench/results"
)

// rows has an absent number in every place that may lack one.
func rows() []results.Row {
	full := newRow(nc("mooc", "dgs", 0, 0, 3), "", "auc", 0.78712345678912, 0.0061)
	bare := newRow(nc("mooc", "raw", 0, 0, 1), "", "auc", 0, 0)
	bare.Mean, bare.CILow, bare.CIHigh = optional.Absent(), optional.Absent(), optional.Absent()
	return []results.Row{full, bare}
}

func TestRowsAsCSV(t *testing.T) {
	var out bytes.Buffer
	if err := results.WriteCSV(&out, rows()); err != nil {
		t.Fatal(err)
	}
	want := `suite,dataset,task,setting,model,variant,candidates,split,device,metric,unit,mean,std,n,ci_low,ci_high,case,degenerate,caveat
made-up,mooc,nc,,dgs,,,test,cpu,auc,1,0.7871234568,0.0061,3,0.7660234568,0.8058234568,,false,
made-up,mooc,nc,,raw,,,test,cpu,auc,1,,,1,,,,false,
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestRowsAsJSONHaveTheColumnsOfCSV(t *testing.T) {
	var out, table bytes.Buffer
	if err := results.WriteJSON(&out, rows()); err != nil {
		t.Fatal(err)
	}
	if err := results.WriteCSV(&table, rows()); err != nil {
		t.Fatal(err)
	}
	columns, err := csv.NewReader(&table).Read()
	if err != nil {
		t.Fatal(err)
	}
	var objects []map[string]any
	if err := json.Unmarshal(out.Bytes(), &objects); err != nil {
		t.Fatal(err)
	}
	for _, column := range columns {
		if _, ok := objects[0][column]; !ok {
			t.Errorf("no %q in %v", column, objects[0])
		}
	}
	if len(objects) != 2 || len(objects[0]) != len(columns) {
		t.Errorf("%d objects with %d names, want 2 with %d", len(objects), len(objects[0]), len(columns))
	}
	if objects[1]["mean"] != nil || objects[0]["mean"] == nil {
		t.Errorf("means %v and %v; want the second to be null", objects[0]["mean"], objects[1]["mean"])
	}
	out.Reset()
	if err := results.WriteJSON(&out, nil); err != nil || out.String() != "[]\n" {
		t.Errorf("no rows: %q, %v; want an empty list", out.String(), err)
	}
}
