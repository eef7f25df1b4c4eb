// Package page writes the report: one HTML file that needs no other file and
// no network, with everything that the records of one or several folders
// tell. Tables are those of package results; drawings are made here, when the
// page is written, because they take their colours from the page, light or
// dark. The page's only script sorts rows.
//
// Page.Write puts sections together; each section is a file here.
package page
