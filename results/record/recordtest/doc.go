// Package recordtest has made up records for the tests of record and of what is
// made of records.
package recordtest
