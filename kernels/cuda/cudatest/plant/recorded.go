package main

// recorded are bugs of uploads that wait for each other, and of work that is
// recorded and done again.
var recorded = []bug{
	{"recording: an upload is not recorded", "tape.go", "	t.note(func() error { return t.device.card.Copy(dst, from, n, t.device.stream) })\n", ""},
	{"recording: results come from the first room", "tape.go", "copy(r.to, r.from)", "copy(r.to, t.results[0].from)"},
	{"recording: an answer has its first line, too", "chain_answer.go", "result{bytesOf(dst), pinned[lineBytes:]}", "result{bytesOf(dst), pinned}"},
	{"recording: what should be copied again is not", "tape.go", "	if !t.copied {\n", "	if t.device != nil {\n"},
	{"recording: a replay is not waited for", "tape.go", "		return d.card.Sync(d.stream)\n	})\n}", "		return nil\n	})\n}"},
	{"recording: uploads share memory of the card", "tape.go", "t.free.at+driver.Ptr(step), t.free.n-step", "t.free.at, t.free.n-step"},
	{"recording: reads share memory of the host", "tape.go", "	t.room = t.room[aligned(n, len(t.room)):]\n", ""},
	{"recording: the last chain is left out", "tape.go", "		f()\n		d.flush()\n", "		f()\n"},

	{"uploads: the last of two to one place is not the last", "uploads.go", " || u.meets(dst)", ""},
	{"uploads: go again with the next", "uploads.go", "	u.data = u.data[:0]\n", ""},
	{"uploads: pieces begin one word late", "uploads.go", "	u, most, first := &d.uploads, 0, int64(0)\n", "	u, most, first := &d.uploads, 0, int64(1)\n"},
	{"uploads: pieces are one word short", "place.cu", "i < p.words;", "i < p.words - 1;"},
	{"uploads: all but the first piece are lost", "uploads.go", "Blocks: [2]int{blocks, len(pieces)}", "Blocks: [2]int{blocks, min(len(pieces), 1)}"},
	{"uploads: after the launch that reads them", "launch.go", "	d.flush()\n", ""},
	{"uploads: after the read", "staging.go", "	d.flush()\n	if d.tape", "	if d.tape"},
	{"uploads: after memory is cleared", "buffer.go", "	d.flush()\n	d.work.Fills++", "	d.work.Fills++"},
	{"repeats: before uploads are there", "repeat.go", "	r.device.flush()\n", ""},
	{"repeats: uploads are repeated, too", "repeat.go", "	d.flush()\n	r, before", "	r, before"},
}
