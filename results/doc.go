// Package results says what follows from records.
//
// Aggregate turns records (package record) into Cells: one a model, dataset,
// task and setting, over all seeds. Cells give Rows, the CSV and JSON of
// `bench results`, and Comparisons of their models.
//
// Tables and figures come from a catalogue: Make turns an Input (cells,
// records, and Layouts that say what was expected) into those that were
// chosen. What there is stands in reference/tables.yaml, what the paper has
// beside it in reference/paper.yaml. Package table lays tables out as text,
// Markdown, LaTeX, HTML and CSV, package figure draws; neither knows of records.
package results
