package results

import (
	"dgsbench/results/table"
	"dgsbench/specs"
)

// NodeClassification is the table of the catalogue, by itself.
func NodeClassification(cells []Cell, l Layout) (table.Table, error) {
	out, err := Make(Input{Cells: cells, Classification: l}, specs.Tables{Show: []specs.Table{{ID: "nc"}}})
	if err != nil || len(out.Tables) == 0 {
		return table.Table{}, err
	}
	return out.Tables[0], nil
}
