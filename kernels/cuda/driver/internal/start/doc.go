// Package start starts the driver that a program with the tags gpu and cu is
// linked with; with other tags it is empty.
package start
