// Package results derives cells, rows, comparisons, tables and figures from
// records, and the report of a suite.
//
// Aggregate makes Cells of records (package record): one a model, dataset, task
// and setting, over all seeds. Cells give Rows, the CSV and JSON of
// `bench results`, and Comparisons of their models.
//
// Make makes the chosen tables and figures from an Input: cells, records, and
// Layouts of what was expected. Tables are defined in reference/tables.yaml, and
// reference/paper.yaml has the values of the paper. Package table lays tables
// out, package figure draws; neither depends on records.
package results
