package lists

import (
	"encoding/binary"
	"errors"
)

// AppendPacked appends each text behind its length.
func AppendPacked(data []byte, texts ...string) []byte {
	for _, text := range texts {
		data = append(binary.AppendUvarint(data, uint64(len(text))), text...)
	}
	return data
}

// Unpack is the inverse of AppendPacked, for data that anybody may have made.
func Unpack(data []byte) (texts []string, err error) {
	for len(data) > 0 {
		n, k := binary.Uvarint(data)
		if k <= 0 || n > uint64(len(data)-k) {
			return nil, errors.New("texts that end within one")
		}
		texts, data = append(texts, string(data[k:k+int(n)])), data[k+int(n):]
	}
	return texts, nil
}
