// Package reference is a device in float64 on plain Go loops. It is slow and
// exact: gradients are checked by central differences on it, and because its
// numbers are no float32 slices, whatever runs on it keeps to the Device
// interface.
package reference
