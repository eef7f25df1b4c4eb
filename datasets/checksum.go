package datasets

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"math"

	"dgsbench/internal/regular"
)

// checksum is the SHA-256 of a file, in hexadecimal.
func checksum(path string) (string, error) {
	f, _, err := regular.Open(path, math.MaxInt64)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
