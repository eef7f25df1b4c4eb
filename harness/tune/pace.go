package tune

// pace is what is known of the time that a study's trials take, from those
// that are over, of earlier runs too.
type pace struct {
	left    int     // trials that this run has not finished
	running float64 // shares of those in progress, summed
	over    int     // trials of the search that are over
	seconds float64 // that those took
	own     float64 // what the model's own options took; 0 before
}

// saw takes in a trial that is over.
func (p *pace) saw(l Line) {
	if l.Trial < 0 {
		p.own = l.Seconds
		return
	}
	p.over++
	p.seconds += l.Seconds
}

// each is what a trial is expected to take: the mean of those of the search,
// or before there is one, what the model's own options took, whose sizes may
// be others. It is 0 when nothing is known.
func (p *pace) each() float64 {
	if p.over > 0 {
		return p.seconds / float64(p.over)
	}
	return p.own
}

// share is how much of the time that all trials take is over, from 0 to 1:
// spent seconds, and what the trials in progress and those that are left are
// expected to take. A study of which nothing is known yet is like the others.
func share(spent float64, paces []*pace) float64 {
	sum, known := 0.0, 0.0
	for _, p := range paces {
		if each := p.each(); each > 0 {
			sum, known = sum+each, known+1
		}
	}
	usual := 1.0
	if known > 0 {
		usual = sum / known
	}
	all := spent
	for _, p := range paces {
		each := p.each()
		if each == 0 {
			each = usual
		}
		spent += p.running * each
		all += float64(p.left) * each
	}
	if all == 0 {
		return 1
	}
	return spent / all
}
