package external

import (
	"encoding/binary"
	"errors"
	"fmt"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Places in the tables of Arrow's Message.fbs and Schema.fbs.
const (
	messageType, message, messageBody = 6, 8, 10
	schemaFields, schemaMetadata      = 6, 8
	fieldType, fieldDictionary        = 8, 12
	fieldChildren, fieldMetadata      = 14, 16
	batchCompression                  = 10
)

// Words of these tables.
const (
	schemaMessage, batchMessage = 1, 3
	maxMessages                 = 3 // a schema and batches: one too many is refused elsewhere
	maxFields                   = 100
)

// plainTypes are those of a column: integers, floating point, lists, lists of fixed size.
var plainTypes = map[byte]bool{2: true, 3: true, 12: true, 16: true}

// checkStream returns an error for a payload that claims more fields or metadata than it
// has bytes for, which arrow-go would make room for, or has what no payload has:
// dictionaries, compression, types of other kinds. It panics where tables point out of it.
func checkStream(payload []byte) error {
	for n := 0; len(payload) > 0; n++ {
		if len(payload) < 8 || binary.LittleEndian.Uint32(payload) != 1<<32-1 {
			return errors.New("no message of an Arrow stream")
		}
		size := int64(binary.LittleEndian.Uint32(payload[4:]))
		if size == 0 {
			return nil // the end
		}
		if size < 8 || size > int64(len(payload)-8) || n == maxMessages {
			return fmt.Errorf("a message of %d bytes, or more than %d of them", size, maxMessages)
		}
		body, err := checkMessage(payload[8 : 8+size])
		if err != nil {
			return err
		}
		if payload = payload[8+size:]; body < 0 || body > int64(len(payload)) {
			return fmt.Errorf("a body of %d bytes in %d", body, len(payload))
		}
		payload = payload[body:]
	}
	return nil
}

// checkMessage returns the length of the message's body.
func checkMessage(data []byte) (body int64, err error) {
	m := flatbuffers.Table{Bytes: data, Pos: flatbuffers.GetUOffsetT(data)}
	kind, header := byte(0), flatbuffers.Table{Bytes: data}
	if o := at(m, messageType); o != 0 {
		kind = m.GetByte(m.Pos + o)
	}
	if o := at(m, messageBody); o != 0 {
		body = m.GetInt64(m.Pos + o)
	}
	o := at(m, message)
	if o == 0 {
		return 0, errors.New("an Arrow message without contents")
	}
	m.Union(&header, o)
	switch left := maxFields; kind {
	case schemaMessage:
		return body, checkFields(header, schemaFields, schemaMetadata, &left)
	case batchMessage:
		if at(header, batchCompression) != 0 {
			return 0, errors.New("the Arrow stream is compressed")
		}
		return body, nil
	}
	return 0, fmt.Errorf("an Arrow message of kind %d, expected a schema or a record batch", kind)
}

// checkFields checks the fields of a schema or of a field, of which so many are left.
func checkFields(t flatbuffers.Table, fields, metadata flatbuffers.VOffsetT, left *int) error {
	if o := at(t, metadata); o != 0 && t.VectorLen(o) > len(t.Bytes)/4 {
		return fmt.Errorf("metadata of %d entries in %d bytes", t.VectorLen(o), len(t.Bytes))
	}
	o := at(t, fields)
	if o == 0 {
		return nil
	}
	n := t.VectorLen(o)
	if *left -= n; n < 0 || *left < 0 {
		return fmt.Errorf("more than %d fields", maxFields)
	}
	for i := range n {
		f := flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(t.Vector(o) + flatbuffers.UOffsetT(4*i))}
		kind := byte(0)
		if o := at(f, fieldType); o != 0 {
			kind = f.GetByte(f.Pos + o)
		}
		if !plainTypes[kind] || at(f, fieldDictionary) != 0 {
			return fmt.Errorf("a field of type %d of Arrow, or a dictionary, expected integers, floating point or lists", kind)
		}
		if err := checkFields(f, fieldChildren, fieldMetadata, left); err != nil {
			return err
		}
	}
	return nil
}

// at returns where a table has one of its fields, 0 if it has not.
func at(t flatbuffers.Table, field flatbuffers.VOffsetT) flatbuffers.UOffsetT {
	return flatbuffers.UOffsetT(t.Offset(field))
}
