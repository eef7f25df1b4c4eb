package results

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"dgsbench/internal/atomicfile"
	"dgsbench/internal/regular"
	"dgsbench/metrics"
	"dgsbench/results/record"
)

// drawsFile holds, beside the records of a suite, what was resampled of them.
const drawsFile = ".resampled"

// drawsFormat begins the file. Its number is raised when the layout, the keys, the way of
// resampling or a metric changes.
const drawsFormat = "dgsbench draws 2\n"

// maxDraws is the number of rows whose draws are kept, of 8 kB each.
const maxDraws = 8192

// drawsKey is the checksum of a metric's name and of the facts that it is
// computed from.
type drawsKey [sha256.Size]byte

// draws are the values of rows on each draw of events, by what they were
// computed from. They are never trusted to be there: what is missing or damaged
// is computed anew.
type draws struct {
	store record.Store
	file  string
	known map[drawsKey][]float64
	used  map[drawsKey]bool
	grown bool
}

// entrySize is the number of bytes of a row in the file.
const entrySize = sha256.Size + 8*metrics.NumDraws

// openDraws reads the draws that are kept of a suite.
func openDraws(s record.Store, suite string) *draws {
	d := &draws{store: s, file: filepath.Join(s.Dir, suite, drawsFile), known: map[drawsKey][]float64{}, used: map[drawsKey]bool{}}
	text, err := regular.Read(d.file, int64(len(drawsFormat)+sha256.Size)+maxDraws*entrySize)
	body := len(text) - sha256.Size
	if err != nil || body < len(drawsFormat) || !bytes.HasPrefix(text, []byte(drawsFormat)) ||
		sha256.Sum256(text[:body]) != drawsKey(text[body:]) || (body-len(drawsFormat))%entrySize != 0 {
		return d
	}
	for entry := range slices.Chunk(text[len(drawsFormat):body], entrySize) {
		values := make([]float64, metrics.NumDraws)
		for i := range values {
			values[i] = math.Float64frombits(binary.LittleEndian.Uint64(entry[sha256.Size+8*i:]))
		}
		d.known[drawsKey(entry)] = values
	}
	return d
}

// get returns the values of a row, if they are known.
func (d *draws) get(key drawsKey) ([]float64, bool) {
	values, ok := d.known[key]
	d.used[key] = ok
	return values, ok
}

// put keeps the values of a row.
func (d *draws) put(key drawsKey, values []float64) {
	d.known[key], d.used[key], d.grown = values, true, true
}

// save writes what was added. Where that is impossible, as in a folder that is
// read-only, the next report resamples again.
func (d *draws) save() {
	if !d.grown {
		return
	}
	out := bytes.NewBufferString(drawsFormat)
	keys := slices.SortedFunc(maps.Keys(d.known), func(a, b drawsKey) int {
		if d.used[a] != d.used[b] {
			if d.used[a] {
				return -1
			}
			return 1
		}
		return bytes.Compare(a[:], b[:])
	})
	for _, key := range keys[:min(len(keys), maxDraws)] {
		out.Write(key[:])
		for _, x := range d.known[key] {
			out.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
		}
	}
	sum := sha256.Sum256(out.Bytes())
	out.Write(sum[:])
	d.grown = atomicfile.Root(d.store.Dir).Write(d.file, out.Bytes()) != nil
}

// keyOf returns the key of a metric on facts with that checksum.
func keyOf(metric string, facts [sha256.Size]byte) drawsKey {
	return sha256.Sum256(append(facts[:], metric...))
}

// checksumOf returns the checksum of the facts of some seeds, which all metrics share.
func checksumOf(facts []metrics.Facts) [sha256.Size]byte {
	h := sha256.New()
	column := func(values any, n int) {
		_ = binary.Write(h, binary.LittleEndian, int64(n))
		_ = binary.Write(h, binary.LittleEndian, values)
	}
	for _, f := range facts {
		column(f.Greater, len(f.Greater))
		column(f.Equal, len(f.Equal))
		column(f.Against, len(f.Against))
		column(f.Score, len(f.Score))
		column(f.Label, len(f.Label))
		column(f.Days, len(f.Days))
		column(f.LogOdds, 1)
	}
	return [sha256.Size]byte(h.Sum(nil))
}
