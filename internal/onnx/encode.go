package onnx

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Numbers of fields in the messages of onnx.proto.
const (
	modelIR, modelProducer, modelDoc, modelGraph, modelOpset, modelMetadata        = 1, 2, 6, 7, 8, 14
	graphNode, graphName, graphConstant, graphInput, graphOutput                   = 1, 2, 5, 11, 12
	nodeInput, nodeOutput, nodeName, nodeOperator, nodeAttribute                   = 1, 2, 3, 4, 5
	attributeName, attributeInteger, attributeType                                 = 1, 3, 20
	tensorSize, tensorType, tensorName, tensorData                                 = 1, 2, 8, 9
	valueName, valueType, valueDoc                                                 = 1, 2, 3
	typeTensor, tensorTypeElement, tensorTypeShape, shapeSize, sizeValue, sizeName = 1, 1, 2, 1, 1, 2
	opsetVersion, entryKey, entryValue                                             = 2, 1, 2
)

// integerAttribute is the type of an attribute that is an integer.
const integerAttribute = 2

// anySize is what N is called.
const anySize = "n"

// message is an encoded message of Protocol Buffers.
type message []byte

func (b *message) bytes(field protowire.Number, value []byte) {
	*b = protowire.AppendBytes(protowire.AppendTag(*b, field, protowire.BytesType), value)
}

func (b *message) text(field protowire.Number, value string) { b.bytes(field, []byte(value)) }

func (b *message) integer(field protowire.Number, value int64) {
	*b = protowire.AppendVarint(protowire.AppendTag(*b, field, protowire.VarintType), uint64(value))
}

// Encode returns the model as a file. It fails if that is 2 GiB or more, which the format cannot hold.
func (m *Model) Encode() ([]byte, error) {
	var graph, model, opset message
	graph.text(graphName, m.Name)
	for _, n := range m.Nodes {
		graph.bytes(graphNode, n.encode())
	}
	for _, c := range m.Constants {
		graph.bytes(graphConstant, c.encode())
	}
	for _, v := range m.Inputs {
		graph.bytes(graphInput, v.encode())
	}
	for _, v := range m.Outputs {
		graph.bytes(graphOutput, v.encode())
	}
	opset.integer(opsetVersion, Opset)
	model.integer(modelIR, irVersion)
	model.text(modelProducer, "dgsbench")
	model.text(modelDoc, m.Doc)
	model.bytes(modelOpset, opset)
	model.bytes(modelGraph, graph)
	for _, key := range slices.Sorted(maps.Keys(m.Metadata)) {
		var entry message
		entry.text(entryKey, key)
		entry.text(entryValue, m.Metadata[key])
		model.bytes(modelMetadata, entry)
	}
	if len(model) > math.MaxInt32 {
		return nil, fmt.Errorf("%d bytes, and a file in the ONNX format has less than 2 GiB", len(model))
	}
	return model, nil
}

func (n Node) encode() (out message) {
	for _, input := range n.Inputs {
		out.text(nodeInput, input)
	}
	out.text(nodeOutput, n.Name)
	out.text(nodeName, n.Name)
	out.text(nodeOperator, n.Operator)
	if n.Attribute != "" {
		var attribute message
		attribute.text(attributeName, n.Attribute)
		attribute.integer(attributeInteger, n.Integer)
		attribute.integer(attributeType, integerAttribute)
		out.bytes(nodeAttribute, attribute)
	}
	return out
}

func (c Constant) encode() (out message) {
	for _, size := range c.Shape {
		out.integer(tensorSize, int64(size))
	}
	out.integer(tensorType, int64(c.Type))
	out.text(tensorName, c.Name)
	out.bytes(tensorData, c.Data)
	return out
}

func (v Value) encode() (out message) {
	var shape, tensor, of message
	for _, n := range v.Shape {
		var size message
		if n == N {
			size.text(sizeName, anySize)
		} else {
			size.integer(sizeValue, int64(n))
		}
		shape.bytes(shapeSize, size)
	}
	tensor.integer(tensorTypeElement, int64(Float32))
	tensor.bytes(tensorTypeShape, shape)
	of.bytes(typeTensor, tensor)
	out.text(valueName, v.Name)
	out.bytes(valueType, of)
	out.text(valueDoc, v.Doc)
	return out
}
