// Package results keeps what trials observed and prints what follows from
// it.
//
// A trial leaves one Record (a JSON file) and a sidecar of per-event facts
// beside it, both in a Store. Aggregate turns records into Cells: one a
// model, dataset, task and setting, over all seeds. Cells give Rows (the CSV
// and JSON of `bench results`) and, with a Layout that says what was
// expected, a Table. A Table says what its entries mean; Text, Markdown and
// CSV lay it out.
package results
