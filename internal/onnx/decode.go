package onnx

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Decode returns what a file says of itself: name, documentation, metadata, inputs and outputs,
// without constants and nodes. The data may be of anybody's making.
func Decode(data []byte) (*Model, error) {
	m := &Model{Metadata: map[string]string{}}
	err := each(data, func(field protowire.Number, value []byte, _ uint64) (err error) {
		switch field {
		case modelDoc:
			m.Doc = string(value)
		case modelGraph:
			err = each(value, m.decodeGraph)
		case modelMetadata:
			var key, text string
			err = each(value, func(field protowire.Number, value []byte, _ uint64) error {
				switch field {
				case entryKey:
					key = string(value)
				case entryValue:
					text = string(value)
				}
				return nil
			})
			m.Metadata[key] = text
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("not in the ONNX format: %w", err)
	}
	return m, nil
}

func (m *Model) decodeGraph(field protowire.Number, value []byte, _ uint64) error {
	var v Value
	switch field {
	case graphName:
		m.Name = string(value)
	case graphInput:
		err := each(value, v.decode)
		m.Inputs = append(m.Inputs, v)
		return err
	case graphOutput:
		err := each(value, v.decode)
		m.Outputs = append(m.Outputs, v)
		return err
	}
	return nil
}

// decode reads a field of a value.
func (v *Value) decode(field protowire.Number, value []byte, _ uint64) error {
	switch field {
	case valueName:
		v.Name = string(value)
	case valueDoc:
		v.Doc = string(value)
	case valueType:
		return within(value, typeTensor, func(tensor []byte) error {
			return within(tensor, tensorTypeShape, func(shape []byte) error {
				return within(shape, shapeSize, v.decodeSize)
			})
		})
	}
	return nil
}

func (v *Value) decodeSize(size []byte) error {
	n := N
	err := each(size, func(field protowire.Number, _ []byte, number uint64) error {
		if field == sizeValue {
			n = int(min(number, math.MaxInt32))
		}
		return nil
	})
	v.Shape = append(v.Shape, n)
	return err
}

// within calls visit with each message that is that field of a message.
func within(data []byte, field protowire.Number, visit func([]byte) error) error {
	return each(data, func(found protowire.Number, value []byte, _ uint64) error {
		if found != field {
			return nil
		}
		return visit(value)
	})
}

// each calls visit with each field of a message: with the bytes or with the number that it has.
func each(data []byte, visit func(field protowire.Number, value []byte, number uint64) error) error {
	for len(data) > 0 {
		var value []byte
		var number uint64
		field, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return protowire.ParseError(n)
		}
		data = data[n:]
		switch kind {
		case protowire.BytesType:
			value, n = protowire.ConsumeBytes(data)
		case protowire.VarintType:
			number, n = protowire.ConsumeVarint(data)
		default:
			n = protowire.ConsumeFieldValue(field, kind, data)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		data = data[n:]
		if err := visit(field, value, number); err != nil {
			return err
		}
	}
	return nil
}
