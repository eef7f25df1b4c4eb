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
	capacity int      // nodes of a chunk
	messages int      // and their messages
	any      compiled // for nodes with messages or without
	heard    compiled // for nodes with messages
	now      *compiled
	move     *nn.Move // of memories into the table
	order    []int32  // 0, 1, 2 ...
	nodes    []int32  // that were started
	listed   bool     // all of them
}

// compiled is a reading with its program.
type compiled struct {
	reading *reading
	program *nn.Program
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
		move: nn.NewMove(c.device, most, c.opts.Size), order: upTo(most),
	}
	var err error
	if a.any.reading, err = newReading(c, s, "applying", kept{c}, a.capacity, a.messages); err != nil {
		return nil, err
	}
	if a.heard.reading, err = newHearing(c, s, "hearing", a.capacity, a.messages); err != nil {
		return nil, err
	}
	for _, p := range []*compiled{&a.any, &a.heard} {
		if p.program, err = c.Net.Compile(nn.ForInference, p.reading.out); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// renew applies the messages of the nodes, all of them to the memories from
// before.
func (a *applying) renew(nodes []int32) {
	a.start(nodes)
	a.finish()
}

// start lists the nodes and, if all fit into one chunk, their messages. It
// launches nothing.
func (a *applying) start(nodes []int32) {
	a.nodes, a.listed = nodes, a.next(nodes) == len(nodes)
	if a.listed {
		a.list(nodes)
	}
}

// finish applies the messages. Their features are there.
func (a *applying) finish() {
	if !a.listed {
		a.renewChunks(a.nodes)
		return
	}
	a.now.program.Run()
	r := a.now.reading
	a.keep(a.nodes, a.now.program.Buffer(r.out), r.updated)
}

// renewChunks applies the messages of nodes that do not fit into one chunk.
func (a *applying) renewChunks(nodes []int32) {
	size := a.opts.Size
	memories, updated := a.device.NewBuffer(len(nodes)*size), make([]float64, 0, len(nodes))
	for done := 0; done < len(nodes); {
		part := nodes[done : done+a.next(nodes[done:])]
		a.list(part)
		a.now.program.Run()
		to := a.device.View(memories, done*size, len(part)*size)
		a.device.CopyRows(len(part), size, to, size, a.now.program.Buffer(a.now.reading.out), size)
		updated = append(updated, a.now.reading.updated...)
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
		if messages += a.any.reading.store.count(nodes[fit : fit+1]); messages > a.messages {
			break
		}
		fit++
	}
	if fit == 0 && len(nodes) > 0 {
		panic(fmt.Sprintf("memory: node %d has more than %d messages", nodes[0], a.messages))
	}
	return fit
}

// list sets the program up for nodes that either all have messages or all
// have none: each has the row of its place in the list.
func (a *applying) list(nodes []int32) {
	a.now = &a.any
	if len(nodes) > 0 && a.any.reading.store.heard(nodes[0]) {
		a.now = &a.heard
	}
	a.now.reading.list(nodes, false)
}

// keep puts memories and times into the tables.
func (a *applying) keep(nodes []int32, memories kernels.Buffer, updated []float64) {
	a.move.Run(a.Net.Buffer(a.Table), nodes, memories, a.order[:len(nodes)])
	for i, n := range nodes {
		a.Updated[n] = updated[i]
	}
}
