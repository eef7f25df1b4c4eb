package nn

import "strings"

// PartSize is a part of a network and the number of its learned parameters.
type PartSize struct {
	Part   string
	Params int
}

// Parts counts the learned parameters by what stands before the first dot of
// their names, in the order in which parts were begun. Together they are
// NumParams.
func (n *Network) Parts() []PartSize {
	var out []PartSize
	at := map[string]int{}
	for _, p := range n.params {
		if p.moved != byGradients {
			continue
		}
		part, _, _ := strings.Cut(p.name, ".")
		i, known := at[part]
		if !known {
			i = len(out)
			at[part] = i
			out = append(out, PartSize{Part: part})
		}
		out[i].Params += p.buffer.Len()
	}
	return out
}
