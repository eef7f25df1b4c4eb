package memory

import (
	"fmt"

	"dgsbench/kernels"
	"dgsbench/nn"
)

// applying applies messages for good, chunk by chunk: the messages of all
// nodes are never there at once.
type applying struct {
	*Core
	capacity int // nodes of a chunk
	messages int // and their messages
	reading  *reading
	program  *nn.Program
	ids      kernels.Ints
}

// chunk is how many nodes are worked off at once, but for those of a batch.
const chunk = 512

// messageRoom is how many messages a chunk has at most. Those of one node
// always fit.
func messageRoom(maxBatch int) int { return 2 * max(chunk, 2*maxBatch) }

func newApplying(c *Core, s *store, maxBatch int) (*applying, error) {
	most := max(chunk, 2*maxBatch) // nodes of a batch
	a := &applying{
		Core: c, capacity: min(most, c.nodes), messages: messageRoom(maxBatch),
		ids: c.device.NewInts(most),
	}
	var err error
	if a.reading, err = newReading(c, s, "applying", kept{c}, a.capacity, a.messages); err != nil {
		return nil, err
	}
	a.program, err = c.Net.Compile(nn.ForInference, a.reading.out)
	return a, err
}

// renew applies the messages of the nodes, all of them to the memories from
// before.
func (a *applying) renew(nodes []int32) {
	if n := a.next(nodes); n == len(nodes) {
		a.read(nodes)
		a.keep(nodes, a.program.Buffer(a.reading.out), a.reading.updated)
		return
	}
	size := a.opts.Size
	memories, updated := a.device.NewBuffer(len(nodes)*size), make([]float64, 0, len(nodes))
	for done := 0; done < len(nodes); {
		part := nodes[done : done+a.next(nodes[done:])]
		a.read(part)
		to := a.device.View(memories, done*size, len(part)*size)
		a.device.CopyRows(len(part), size, to, size, a.program.Buffer(a.reading.out), size)
		updated = append(updated, a.reading.updated...)
		done += len(part)
	}
	for done := 0; done < len(nodes); done += a.capacity {
		part := nodes[done:min(done+a.capacity, len(nodes))]
		a.keep(part, a.device.View(memories, done*size, len(part)*size), updated[done:])
	}
}

// next is how many of the nodes fit into one chunk with their messages.
func (a *applying) next(nodes []int32) int {
	fit, messages := 0, 0
	for fit < min(len(nodes), a.capacity) {
		if messages += a.reading.store.count(nodes[fit : fit+1]); messages > a.messages {
			break
		}
		fit++
	}
	if fit == 0 && len(nodes) > 0 {
		panic(fmt.Sprintf("memory: node %d has more than %d messages", nodes[0], a.messages))
	}
	return fit
}

// read computes the memories of nodes that either all have messages or all
// have none: each has the row of its place in the list.
func (a *applying) read(nodes []int32) {
	a.reading.list(nodes, false)
	a.program.Run()
}

// keep puts memories and times into the tables.
func (a *applying) keep(nodes []int32, memories kernels.Buffer, updated []float64) {
	a.device.WriteInts(a.ids, nodes)
	a.device.ScatterRows(len(nodes), a.opts.Size, a.Net.Buffer(a.Table), memories, a.ids)
	for i, n := range nodes {
		a.Updated[n] = updated[i]
	}
}
