package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
)

// errEdited is about a record that is not as it was written.
var errEdited = errors.New("it was changed after it was written, by hand or by a damaged disk")

// sealed is the end of a record's file: the checksum of the same file without
// this line.
var sealed = regexp.MustCompile(`,\n  "seal": "([0-9a-f]{64})"\n}\n$`)

// seal adds the last line to a record's file.
func seal(data []byte) []byte {
	body := bytes.TrimSuffix(data, []byte("\n}\n"))
	return append(bytes.Clone(body), ",\n  \"seal\": \""+checksum(data)+"\"\n}\n"...)
}

// unseal takes the last line off a record's file, which may lack it: those
// that were written before there were seals.
func unseal(data []byte) ([]byte, error) {
	at := sealed.FindSubmatchIndex(data)
	if at == nil {
		var has struct{ Seal *string }
		if json.Unmarshal(data, &has) == nil && has.Seal != nil {
			return nil, errEdited
		}
		return data, nil
	}
	body := append(bytes.Clone(data[:at[0]]), "\n}\n"...)
	if checksum(body) != string(data[at[2]:at[3]]) {
		return nil, errEdited
	}
	return body, nil
}
