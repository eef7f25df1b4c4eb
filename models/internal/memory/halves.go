package memory

import "dgsbench/datasets"

// Where occurrences have memories of their own (perEvent), the table has two
// rows for each node, one in either half. A batch reads the row that holds the
// memory and writes the other: so a program for inference puts new memories
// away while others of its rows still read the old ones, and a batch that is
// refused has changed nothing.

// row is where a node's memory is.
func (c *Core) row(node int32) int32 {
	if c.second != nil && c.second[node] {
		return int32(c.nodes) + node
	}
	return node
}

// free is the node's other row.
func (c *Core) free(node int32) int32 { return 2*node + int32(c.nodes) - c.row(node) }

// rowsOf appends the rows of nodes.
func (c *Core) rowsOf(rows, nodes []int32) []int32 {
	for _, n := range nodes {
		rows = append(rows, c.row(n))
	}
	return rows
}

// turn makes what was written to the node's other row its memory, as of event
// k of the batch.
func (c *Core) turn(node int32, b datasets.Stream, k int32) {
	c.second[node] = !c.second[node]
	c.Updated[node] = b.Time[k]
}

// copied are the memories of all nodes.
func (c *Core) copied() []float32 {
	size, all := c.opts.Size, make([]float32, c.Net.Buffer(c.Table).Len())
	c.device.Read(all, c.Net.Buffer(c.Table))
	for n := range c.second {
		if from := int(c.row(int32(n))); from != n {
			copy(all[n*size:][:size], all[from*size:])
		}
	}
	return all[:c.nodes*size]
}
