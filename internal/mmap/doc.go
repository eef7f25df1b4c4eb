// Package mmap maps files into memory, read-only. Where the system has no
// such thing, they are read.
package mmap
