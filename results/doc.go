// Package results derives cells, rows, comparisons, tables and figures from
// records, and the report of a suite.
//
// Aggregate turns records (package record) into Cells: one a model, dataset,
// task and setting, over all seeds. Cells give Rows, the CSV and JSON of
// `bench results`, and Comparisons of their models.
//
// Tables and figures come from a catalogue: Make turns an Input (cells,
// records, and Layouts of what was expected) into those that were
// chosen. They are defined in reference/tables.yaml, the values that the paper has
// beside it in reference/paper.yaml. Package table lays tables out as text,
// Markdown, LaTeX, HTML and CSV, package figure draws; neither knows of records.
package results
