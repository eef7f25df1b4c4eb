// Package disk tells how much a file system can still hold.
package disk
