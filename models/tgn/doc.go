// Package tgn is TGN in the form that PyTorch Geometric gives it. A node is
// embedded as its memory (TGN-ID), or by attention of its memory to those of
// the nodes that it met last (TGN-attn).
package tgn
