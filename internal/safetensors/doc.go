// Package safetensors reads and writes tensors in the safetensors format, so
// that PyTorch, NumPy and JAX users open them with the library they have:
// https://github.com/huggingface/safetensors#format.
//
// A file is the length of its header (8 bytes, little-endian), the header
// (JSON: type, shape and place of every tensor, and a map of strings called
// __metadata__), and the numbers, little-endian and without gaps. Of the
// format's types only F32 and I64 are supported.
package safetensors
