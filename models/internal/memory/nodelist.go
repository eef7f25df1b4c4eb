package memory

// nodeList is a list of distinct nodes, with the position of each.
type nodeList struct {
	nodes    []int32
	position []int32 // of a node, +1; 0 if it is not listed
}

func newNodeList(nodes int) *nodeList { return &nodeList{position: make([]int32, nodes)} }

// start empties the list.
func (l *nodeList) start() {
	for _, n := range l.nodes {
		l.position[n] = 0
	}
	l.nodes = l.nodes[:0]
}

// add lists those of the nodes that are not there yet.
func (l *nodeList) add(nodes []int32) {
	for _, n := range nodes {
		if l.position[n] == 0 {
			l.nodes = append(l.nodes, n)
			l.position[n] = int32(len(l.nodes))
		}
	}
}

// at is the position of a listed node.
func (l *nodeList) at(node int32) int32 { return l.position[node] - 1 }

// upTo is 0 to n-1: all rows of something, in order.
func upTo(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}
