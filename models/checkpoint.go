package models

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dgsbench/internal/atomicfile"
	"dgsbench/internal/regular"
	"dgsbench/internal/safetensors"
)

const (
	// SpecKey is where a checkpoint's metadata has the resolved spec of its
	// model, as JSON.
	SpecKey = "spec"

	// versionKey and version mark a file as a checkpoint of this layout.
	versionKey, version = "dgsbench.checkpoint", "1"

	// checksumKey is where the metadata has the checksum of all the rest.
	checksumKey = "dgsbench.sha256"

	// maxCheckpoint is more bytes than a checkpoint has.
	maxCheckpoint = 64 << 30

	// statePrefix and inputPrefix tell others from parameters.
	statePrefix, inputPrefix = "state/", "input/"
)

// WriteCheckpoint writes what EncodeCheckpoint makes to a file, as a whole or
// not at all.
func WriteCheckpoint(path string, s Snapshot, metadata map[string]string) error {
	data, err := EncodeCheckpoint(s, metadata)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return atomicfile.Write(path, data)
}

// EncodeCheckpoint returns a file of the snapshot in the safetensors format,
// which PyTorch users can open: parameters under their own names (head.W1),
// per-node state under state/ (state/S), what makes events of records under input/, and the metadata, with the spec under
// SpecKey.
func EncodeCheckpoint(s Snapshot, metadata map[string]string) ([]byte, error) {
	for _, t := range s.Params {
		if strings.HasPrefix(t.Name, statePrefix) || strings.HasPrefix(t.Name, inputPrefix) {
			panic("models: parameter " + t.Name + " has the name of a state or an input")
		}
	}
	tensors := slices.Concat(s.Params, s.State, s.Input)
	for i := range tensors[len(s.Params):] {
		prefix := statePrefix
		if i >= len(s.State) {
			prefix = inputPrefix
		}
		tensors[len(s.Params)+i].Name = prefix + tensors[len(s.Params)+i].Name
	}
	all := map[string]string{}
	maps.Copy(all, metadata)
	all[versionKey] = version
	sum, err := checksum(tensors, all)
	if err != nil {
		return nil, err
	}
	all[checksumKey] = sum
	return safetensors.Encode(tensors, all)
}

// checksum returns the SHA-256 of the file without a checksum.
func checksum(tensors []Tensor, metadata map[string]string) (string, error) {
	data, err := safetensors.Encode(tensors, metadata)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// ReadCheckpoint reads a file of WriteCheckpoint. A file that is damaged or
// no checkpoint is an error with the reason; Restore reports one of another
// model.
func ReadCheckpoint(path string) (Snapshot, map[string]string, error) {
	data, err := regular.Read(path, maxCheckpoint)
	if err != nil {
		return Snapshot{}, nil, err
	}
	tensors, metadata, err := safetensors.Decode(path, data)
	if err != nil {
		return Snapshot{}, nil, err
	}
	if v := metadata[versionKey]; v != version {
		return Snapshot{}, nil, fmt.Errorf("%s: not a checkpoint: its metadata has %q as %s, expected %q", path, v, versionKey, version)
	}
	want := metadata[checksumKey]
	delete(metadata, checksumKey)
	if sum, err := checksum(tensors, metadata); err != nil || sum != want {
		return Snapshot{}, nil, fmt.Errorf("%s: damaged or edited: its checksum is not the one it was written with", path)
	}
	delete(metadata, versionKey)
	var s Snapshot
	for _, t := range tensors {
		into := &s.Params
		for prefix, part := range map[string]*[]Tensor{statePrefix: &s.State, inputPrefix: &s.Input} {
			if name, ok := strings.CutPrefix(t.Name, prefix); ok {
				into, t.Name = part, name
				break
			}
		}
		*into = append(*into, t)
	}
	return s, metadata, nil
}
