package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
)

// ErrEdited is about a file that is not as it was written.
var ErrEdited = errors.New("it was changed after it was written, by hand or by a damaged disk")

// Seal says how the checksum of a file is added to it as its last line.
type Seal struct {
	tail          string // of the file, which comes after the seal
	before, after string // of the checksum
}

var (
	// Object seals a file with one indented JSON object.
	Object = Seal{"\n}\n", ",\n  \"seal\": \"", "\"\n}\n"}
	// Lines seals a file with a JSON object a line.
	Lines = Seal{"", `{"seal":"`, "\"}\n"}
)

var digits = regexp.MustCompile(`^[0-9a-f]{64}$`)

// Add is the file with its seal.
func (s Seal) Add(data []byte) []byte {
	body := bytes.TrimSuffix(data, []byte(s.tail))
	return append(bytes.Clone(body), s.before+checksum(data)+s.after...)
}

// Remove is the file without its seal, which it may lack: files were not
// always sealed. One that is not what was sealed is ErrEdited.
func (s Seal) Remove(data []byte) (body []byte, sealed bool, err error) {
	rest, ends := bytes.CutSuffix(data, []byte(s.after))
	at := len(rest) - 64
	if ends && at >= 0 && digits.Match(rest[at:]) {
		if body, sealed = bytes.CutSuffix(rest[:at], []byte(s.before)); sealed {
			body = append(bytes.Clone(body), s.tail...)
			if checksum(body) != string(rest[at:]) {
				err = ErrEdited
			}
			return body, true, err
		}
	}
	for values := json.NewDecoder(bytes.NewReader(data)); ; {
		var has struct{ Seal *string }
		if values.Decode(&has) != nil {
			return data, false, nil
		}
		if has.Seal != nil {
			return data, false, ErrEdited
		}
	}
}
