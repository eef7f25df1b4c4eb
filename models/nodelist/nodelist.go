// Package nodelist keeps lists of distinct nodes, such as those of a batch.
package nodelist

// List is distinct nodes in the order in which they were added.
type List struct {
	Nodes    []int32
	position []int32 // of a node in Nodes, +1; 0 if it is not listed
}

// New returns an empty list of nodes below the given number.
func New(nodes int) *List { return &List{position: make([]int32, nodes)} }

// Reset empties the list.
func (l *List) Reset() {
	for _, n := range l.Nodes {
		l.position[n] = 0
	}
	l.Nodes = l.Nodes[:0]
}

// Add appends those of the nodes that are not listed yet.
func (l *List) Add(nodes ...int32) {
	for _, n := range nodes {
		if l.position[n] == 0 {
			l.Nodes = append(l.Nodes, n)
			l.position[n] = int32(len(l.Nodes))
		}
	}
}

// At returns the position of a node in Nodes, or -1 if it is not listed.
func (l *List) At(node int32) int32 { return l.position[node] - 1 }
