//go:build !unix

package disk

// Free is not known on this system.
func Free(string) (bytes int64, known bool) { return 0, false }
