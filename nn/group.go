package nn

import "dgsbench/kernels"

// Group is buffers that optimisers and checks take together, such as all
// parameters of a network.
type Group struct {
	Buffers []kernels.Buffer
	group   kernels.Group
}

// NewGroup lists buffers of a device, all of whose numbers count.
func NewGroup(d kernels.Device, buffers ...kernels.Buffer) *Group {
	return &Group{buffers, d.NewGroup(buffers...)}
}

// zeros are buffers of the same sizes.
func (g *Group) zeros(d kernels.Device) kernels.Group {
	var out []kernels.Buffer
	for _, b := range g.Buffers {
		out = append(out, d.NewBuffer(b.Len()))
	}
	return d.NewGroup(out...)
}

// See makes the device look for numbers that are not finite, and returns the
// place of the first buffer among all that it has seen.
func (g *Group) Check(d kernels.Device) int { return d.CheckGroup(g.group) }
