package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"dgsbench/internal/pickle"
	"dgsbench/internal/ram"
	"dgsbench/internal/regular"
)

// mostNegatives is the size in bytes of the largest file of negatives that is read.
const mostNegatives = 1 << 30

// checkNegatives compares the dataset's files of negatives below dir, as far as they are
// there, with what the protocol ranks against (specs.FilterSameSrcT): for every event of
// the validation and the test part, all destinations of the stream but those of the part's
// events with its source and time.
func (l *Loaded) checkNegatives(dir string) error {
	parts := l.Split.Parts(l.Stream)
	for i, part := range parts[1:] {
		file := l.Dataset.Negatives[i]
		if file == "" {
			continue
		}
		path := filepath.Join(dir, file)
		f, size, err := regular.Open(path, mostNegatives)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			f.Close()
			err = ram.Check("the file of negatives "+path, size)
		}
		var data []byte
		if err == nil {
			data, err = regular.Read(path, mostNegatives)
		}
		if err == nil {
			err = sameNegatives(data, part, l.Stream.Destinations())
		}
		if err != nil {
			return fmt.Errorf("dataset %s: %s: %w; remove it, or replace it and the edge list by those of one archive", l.Dataset.Name, path, err)
		}
	}
	return nil
}

// question is what a list of negatives is of. TGB has whole seconds, and numbers the
// destinations after the sources as streams do.
type question struct{ src, dst, time int64 }

// sameNegatives compares a pickled dictionary, from the source, the destination and the
// time of every event of the part to its negatives, with all destinations but those of the
// same source and time.
func sameNegatives(data []byte, part Stream, destinations []int32) error {
	type moment struct{ src, time int64 }
	positives, open := map[moment][]int64{}, map[question]bool{} // open: without a list as yet
	for k := range part.Len() {
		q := question{int64(part.Src[k]), int64(part.Dst[k]), int64(part.Time[k])}
		if open[q] {
			continue
		}
		open[q] = true
		at := moment{q.src, q.time}
		positives[at] = append(positives[at], q.dst)
	}
	err := pickle.Dict(data, func(key, negatives []int64) error {
		if len(key) != 3 {
			return fmt.Errorf("negatives of %v, expected source, destination and time", key)
		}
		q := question{key[0], key[1], key[2]}
		if !open[q] {
			return fmt.Errorf("negatives of source %d, destination %d, time %d, which is no event of the part, or there twice", q.src, q.dst, q.time)
		}
		delete(open, q)
		slices.Sort(negatives)
		own, n := positives[moment{q.src, q.time}], 0
		for _, node := range destinations {
			if slices.Contains(own, int64(node)) {
				continue
			}
			if n >= len(negatives) || negatives[n] != int64(node) {
				return fmt.Errorf("the negatives of source %d, destination %d, time %d lack node %d", q.src, q.dst, q.time, node)
			}
			n++
		}
		if n < len(negatives) {
			return fmt.Errorf("the negatives of source %d, destination %d, time %d have node %d, expected all other destinations alone", q.src, q.dst, q.time, negatives[n])
		}
		return nil
	})
	if err == nil && len(open) > 0 {
		err = fmt.Errorf("no negatives of %d events of the part", len(open))
	}
	return err
}
