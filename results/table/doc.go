// Package table lays tables out.
//
// A Table says what its entries mean, not how they look: WriteText,
// WriteMarkdown, WriteLaTeX, WriteHTML and WriteCSV do. Texts, numbers and
// footnotes come from whoever makes the table; nothing here knows of records,
// models or datasets. Footnotes numbers notes, MarkPlaces marks the best
// entries of a column, and SideBySide puts tables of several folders into one.
package table
