package external

import (
	"errors"
	"fmt"

	"dgsbench/internal/safetensors"
	"dgsbench/models"
)

// tensorName is that of the tensor that holds the bytes of a part of a snapshot.
const tensorName = "external"

// parts are the words of snapshot.
var parts = map[models.Part]string{models.Parameters: "parameters", models.Everything: "everything"}

// Snapshot asks the process for the bytes that it wants to be restored from.
func (m *Model) Snapshot(what models.Part) (s models.Snapshot) {
	err := m.ask(question{
		request: request{Verb: verbSnapshot, Part: parts[what]}, what: verbSnapshot, limit: maxState,
		each: func(a answer, payload []byte) (bool, error) {
			n := int64(len(payload))
			if a.Parameters == nil || (a.State != nil) != (what == models.Everything) {
				return true, errors.New("a snapshot without parameters, or with another part than was asked for")
			}
			if k := *a.Parameters; k < 0 || k > n || a.State == nil && k != n || a.State != nil && *a.State != n-k {
				return true, fmt.Errorf("a snapshot of %d bytes whose parts have others", n)
			}
			s.Params = pack(payload[:*a.Parameters])
			if what == models.Everything {
				s.State = pack(payload[*a.Parameters:])
			}
			return true, nil
		},
	})
	if err != nil {
		panic(models.Fault{Err: err})
	}
	return s
}

// Restore gives bytes of Snapshot back.
func (m *Model) Restore(s models.Snapshot) error {
	params, err := unpack(s.Params)
	if err != nil {
		return err
	}
	r, n := request{Verb: verbRestore}, int64(len(params))
	r.Parameters = &n
	if s.State != nil {
		state, err := unpack(s.State)
		if err != nil {
			return err
		}
		k := int64(len(state))
		r.State, params = &k, append(params, state...)
	}
	return m.ask(question{request: r, what: verbRestore, payload: params})
}

// pack returns a tensor of the bytes.
func pack(data []byte) []models.Tensor {
	return []models.Tensor{safetensors.OfBytes(tensorName, data)}
}

// unpack is the inverse of pack, for tensors that anybody may have made.
func unpack(tensors []models.Tensor) ([]byte, error) {
	if len(tensors) != 1 || tensors[0].Name != tensorName {
		return nil, fmt.Errorf("snapshot of %d tensors, expected one of integers, %s", len(tensors), tensorName)
	}
	return tensors[0].Bytes()
}
