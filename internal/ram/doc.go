// Package ram tells how much memory the program may still take.
package ram
