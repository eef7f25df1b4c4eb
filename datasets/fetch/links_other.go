//go:build !unix

package fetch

import "io/fs"

// links is how many names a file has, where that is not known.
func links(fs.FileInfo) uint64 { return 1 }
