package cpu

import (
	"dgsbench/kernels"
)

const (
	unread = -1
)

var JacobianBudget = 96 << 10 // numbers of scratch
var JacobianDistance = 1
var JacobianMaxRows = 128

func (j *jacobians[S]) Step(s *kernels.JacobianStep) {
	s.Check(j.shape, j.slots)
	j.step = s
	j.plan(s)
	j.next.Store(0)
	j.pool.Run(j.pool.Workers(), j.workF)
	if s.Weights != nil {
		j.pool.Run(j.pool.Workers(), j.addF)
	}
	j.step = nil
}

// plan decides.
func (j *jacobians[S]) plan(s *kernels.JacobianStep) {
	j.place = j.place[:0]
	j.kept = 0
	for range s.Slots {
		j.place = append(j.place, unread)
	}
	mark := func(i int32) {
		if j.place[i] == unread {
			j.place[i] = int32(j.kept)
			j.kept++
		}
	}
	for _, w := range s.Writes {
		mark(w.Self)
		mark(w.Other)
	}
	j.reads = j.reads[:0]
	j.old = j.old[:0]
	for i, slot := range s.Slots {
		if slot < 0 {
			continue
		}
		if s.Weights != nil || j.place[i] != unread {
			j.reads = append(j.reads, int32(i))
			j.old = append(j.old, j.slot(slot))
		}
	}
	j.cut(max(1, min(JacobianMaxRows, JacobianBudget/16/(j.kept+1))))
}

func (j *jacobians[S]) cut(rows int) {
	j.blocks = j.blocks[:0]
	features := j.shape.Features
	for lane := 0; lane < len(j.lanes); {
		b := jacobianBlock{lane: lane, width: 16, groups: 1, hi: features}
		rows := rows
		for b.width > len(j.lanes)-lane {
			b.width /= 2
			rows *= 2
		}
		if rows >= 2*features && b.width == 16 {
			b.groups = min(rows/features, (len(j.lanes)-lane)/16)
		}
		lane += b.lanes()
		parts := (features + rows - 1) / rows
		for part := range parts {
			b.lo, b.hi = Split(features, parts, part)
			j.blocks = append(j.blocks, b)
		}
	}
}

func (j *jacobians[S]) work(worker int) {
	w := &j.workers[worker]
	for {
		i := int(j.next.Add(1)) - 1
		if i >= len(j.blocks) {
			return
		}
		j.workOff(&j.blocks[i], w)
	}
}

func (j *jacobians[S]) workOff(b *jacobianBlock, w *jacobianWorker) {
	n := b.numbers()
	w.zeros = zeros(w.zeros, n)
	w.spare = zeros(w.spare, n)
	w.kept = zeros(w.kept, n*j.kept)
	at := b.lane*j.shape.Features + b.lo*b.width
	s := j.step
	sum := j.sum[at:][:n]
	clear(sum)
	lanes, driven := j.lanes[b.lane:], j.driven[b.lane:]
	weights := j.noWeights
	for r, i := range j.reads {
		next := j.old[min(r+JacobianDistance, len(j.reads)-1)]
		keep := w.spare
		if p := j.place[i]; p >= 0 {
			keep = w.kept[int(p)*n:]
		}
		if s.Weights != nil {
			weights = s.Weights.(buffer)[int(i)*j.shape.States:]
		}
		j.read(b, sum, keep, weights, j.old[r][at:], next[at:], lanes)
	}
	for i, to := range s.Writes {
		row := 0
		if s.PerWrite {
			row = i * j.shape.States
		}
		u := jacobianUpdate{
			keep: s.Keep.(buffer)[row:], mix: s.Mix.(buffer)[row:], drive: s.Drive.(buffer)[i*j.shape.Lanes():],
			x: s.X.(buffer)[int(to.Row)*j.shape.Features:],
		}
		j.write(b, j.slot(to.Slot)[at:], j.keptAt(w, to.Self, n), j.keptAt(w, to.Other, n), &u, lanes, driven)
	}
}

func (j *jacobians[S]) keptAt(w *jacobianWorker, i int32, n int) []float32 {
	if j.step.Slots[i] < 0 {
		return w.zeros
	}
	return w.kept[int(j.place[i])*n:][:n]
}

func zeros(x []float32, n int) []float32 {
	if len(x) < n {
		return make([]float32, n)
	}
	return x
}

func (j *jacobians[S]) add(worker int) {
	lo, hi := Split(j.shape.Features, j.pool.Workers(), worker)
	grad := j.step.Grad.(buffer)[:j.shape.Features*j.shape.Columns]
	clear(grad[lo*j.shape.Columns : hi*j.shape.Columns])
	for lane := 0; lane < j.shape.Lanes(); {
		width := 16
		for width > len(j.lanes)-lane {
			width /= 2
		}
		sum := j.sum[lane*j.shape.Features:]
		end := min(lane+width, j.shape.Lanes())
		for c := lo; c < hi; c++ {
			row := grad[c*j.shape.Columns:][:j.shape.Columns]
			for l := lane; l < end; l++ {
				v := sum[c*width+l-lane]
				if p := j.shape.Plus[l]; p >= 0 {
					row[p] += v
				}
				if p := j.shape.Minus[l]; p >= 0 {
					row[p] -= v
				}
			}
		}
		lane += width
	}
}

func (j *jacobians[S]) Read(dst []float32, slot int) {}
