// Package results keeps what trials observed and prints what follows from
// it.
//
// A trial leaves one Record (a JSON file) and a sidecar of per-event facts
// beside it, both in a Store. Aggregate turns records into Cells: one a
// model, dataset, task and setting, over all seeds. Cells give Rows, the CSV
// and JSON of `bench results`.
//
// Tables and figures come from a catalogue: Make turns an Input (cells,
// records, and Layouts that say what was expected) into those that were
// chosen. What there is stands in reference/tables.yaml, what the paper has
// beside it in reference/paper.yaml. A Table says what its entries mean; text,
// Markdown, LaTeX, HTML and CSV lay it out.
package results
