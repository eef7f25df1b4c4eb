package serve

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"dgsbench/internal/lists"
	"dgsbench/models"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// Files of the folder of a State.
const (
	snapshotFile = "snapshot.safetensors"
	logFile      = "log.db"
)

// The log holds about as many bytes as a snapshot, within these bounds, before a new one
// takes its place: so neither writing nor replaying takes long.
const leastLog, mostLog = 64 << 10, 64 << 20

// keptLog is how many bytes of the log stay behind a snapshot: who reads the answers may
// be behind as much.
const keptLog = 4 << 20

// Buckets of the log: batches by their first sequence number, and the Options that they
// were scored with.
var logBucket, optionsBucket = []byte("batches"), []byte("options")

// State is a Scorer whose states outlive the process: the last snapshot of them is in a
// folder, with a log of the batches since. What was committed is there after any end of
// the process, and states made again from it have the same bits.
//
// One State has the folder at a time. Its methods are for one goroutine.
type State struct {
	*Scorer
	dir     string
	options Options // as they were given
	db      *bbolt.DB
	logged  int // bytes in the log since the snapshot
	maxLog  int // before the next one
	pending []loggedBatch
	answers map[int]answered // by sequence number: those that may be asked for again
}

type loggedBatch struct {
	first   int // sequence number of its first record
	records [][]string
	scores  []float64
	bytes   int // in the log
}

type answered struct {
	record []string
	score  float64
}

// Resume opens the state in a folder, which it makes if it is not there: the states of the
// checkpoint, of which it is, and all that was committed since. fresh is called with a
// Scorer of the checkpoint alone, before anything is written. Answers from the sequence
// number from on will be asked for again (Answered); none if it is below 0.
func Resume(dir, checkpoint string, o Options, from int, fresh func(*Scorer) error) (_ *State, err error) {
	saved, err := models.ReadSaved(checkpoint)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	s := &State{dir: dir, options: o, answers: map[int]answered{}}
	err = s.inLog(func() (err error) {
		s.db, err = bbolt.Open(filepath.Join(dir, logFile), 0o666, &bbolt.Options{Timeout: 100 * time.Millisecond})
		return err
	})
	if errors.Is(err, bolterrors.ErrTimeout) {
		return nil, fmt.Errorf("%s: another process has this state", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	defer func() {
		if err != nil {
			s.db.Close()
			err = fmt.Errorf("%s: %w", dir, err)
		}
	}()
	path := filepath.Join(dir, snapshotFile)
	before, err := models.ReadSaved(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if s.Scorer, err = open(saved, o); err != nil {
			return nil, err
		}
		if err := fresh(s.Scorer); err != nil {
			return nil, err
		}
		return s, s.snapshot()
	case err != nil:
		return nil, err
	case !before.SameModel(saved):
		return nil, fmt.Errorf("a state of another model, expected one of %s", checkpoint)
	}
	return s, s.continued(before, o, from)
}

// continued makes the states of the snapshot and the log, by the options of then, and
// goes on with those of now.
func (s *State) continued(before *models.Saved, o Options, from int) (err error) {
	then, batches, err := s.readLog(o)
	if err != nil {
		return err
	}
	then.Threads, then.Nodes = o.Threads, o.Nodes // of which nothing depends
	if s.Scorer, err = open(before, then); err != nil {
		return err
	}
	if err := cmp.Or(s.replay(batches, from), s.measure()); err != nil || then == o {
		return err
	}
	if err := s.snapshot(); err != nil {
		return err
	}
	if before, err = models.ReadSaved(filepath.Join(s.dir, snapshotFile)); err != nil {
		return err
	}
	s.Scorer.Close()
	s.Scorer, err = open(before, o)
	return err
}

// inLog calls do, which uses the database. That panics where its file is damaged.
func (s *State) inLog(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("damaged: %v", p)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", logFile, err)
		}
	}()
	return do()
}

// readLog returns the batches of the log, and their options; o if there are none.
func (s *State) readLog(o Options) (then Options, batches []loggedBatch, err error) {
	then = o
	err = s.inLog(func() error {
		return s.db.View(func(tx *bbolt.Tx) error {
			options, b := tx.Bucket(optionsBucket), tx.Bucket(logBucket)
			if options == nil || b == nil {
				return nil
			}
			if err := json.Unmarshal(options.Get(optionsBucket), &then); err != nil {
				return err
			}
			return b.ForEach(func(key, value []byte) error {
				batch, err := decodeBatch(key, value)
				batches = append(batches, batch)
				return err
			})
		})
	})
	return then, batches, err
}

// replay folds in the batches that the snapshot does not have, and keeps the answers
// from the sequence number from on.
func (s *State) replay(batches []loggedBatch, from int) error {
	for _, batch := range batches {
		for k, record := range batch.records {
			if from >= 0 && batch.first+k >= from {
				s.answers[batch.first+k] = answered{record, batch.scores[k]}
			}
		}
		if batch.first < s.Events() {
			continue
		}
		if batch.first > s.Events() {
			return fmt.Errorf("%s: a batch begins with event %d, expected %d", logFile, batch.first, s.Events())
		}
		s.logged += batch.bytes
		if err := s.Scorer.ScoreRecords(batch.records, make([]float64, len(batch.records))); err != nil {
			return fmt.Errorf("%s: event %d: %w", logFile, batch.first, err)
		}
	}
	return nil
}

// Answered returns the score of the record with a sequence number below Events, which is
// known as long as the log has it. It is an error if another record had that number.
func (s *State) Answered(seq int, record []string) (float64, error) {
	a, ok := s.answers[seq]
	switch {
	case !ok:
		return 0, fmt.Errorf("the answer to event %d is not in the log anymore", seq)
	case !slices.Equal(a.record, record):
		return 0, fmt.Errorf("event %d is another record than it was: %q, expected %q", seq, record, a.record)
	}
	return a.score, nil
}

// ScoreRecords is that of the Scorer. What it has folded in is lost with the process
// before Commit.
func (s *State) ScoreRecords(batch [][]string, scores []float64) error {
	first := s.Events()
	if err := s.Scorer.ScoreRecords(batch, scores); err != nil {
		return err
	}
	s.pending = append(s.pending, loggedBatch{first: first, records: slices.Clone(batch), scores: slices.Clone(scores)})
	return nil
}

// Commit writes the batches since the last Commit to the log and waits for the disk.
// Now and then it makes a snapshot.
func (s *State) Commit() error {
	if len(s.pending) == 0 {
		return nil
	}
	err := s.update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(logBucket)
		if err != nil {
			return err
		}
		if err := putOptions(tx, s.options); err != nil {
			return err
		}
		b.FillPercent = 1 // keys ascend
		for _, batch := range s.pending {
			key, value := batch.encode()
			s.logged += len(value)
			if err := b.Put(key, value); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", s.dir, err)
	}
	s.pending = s.pending[:0]
	if s.logged < s.maxLog {
		return nil
	}
	return s.snapshot()
}

func (s *State) update(do func(*bbolt.Tx) error) error {
	return s.inLog(func() error { return s.db.Update(do) })
}

// putOptions writes the options, if they are not there.
func putOptions(tx *bbolt.Tx, o Options) error {
	b, err := tx.CreateBucketIfNotExists(optionsBucket)
	if err != nil {
		return err
	}
	text, err := json.Marshal(o)
	if err != nil || bytes.Equal(b.Get(optionsBucket), text) {
		return err
	}
	return b.Put(optionsBucket, text)
}

// measure sets maxLog by the size of the snapshot.
func (s *State) measure() error {
	info, err := os.Stat(filepath.Join(s.dir, snapshotFile))
	if err == nil {
		s.maxLog = min(max(int(info.Size()), leastLog), mostLog)
	}
	return err
}

// snapshot writes the states, which take the place of most of the log.
func (s *State) snapshot() error {
	if err := s.Save(filepath.Join(s.dir, snapshotFile)); err != nil {
		return err
	}
	s.logged = 0
	err := s.update(func(tx *bbolt.Tx) error {
		b := tx.Bucket(logBucket)
		if b == nil {
			return nil
		}
		var old [][]byte
		kept, c := 0, b.Cursor()
		for key, value := c.Last(); key != nil; key, value = c.Prev() {
			if kept += len(value); kept > keptLog {
				old = append(old, slices.Clone(key))
			}
		}
		for _, key := range old {
			if err := b.Delete(key); err != nil {
				return err
			}
		}
		return nil
	})
	return cmp.Or(err, s.measure())
}

// Close commits, makes a snapshot and leaves the folder to others.
func (s *State) Close() error {
	err := s.Commit()
	if err == nil && s.logged > 0 {
		err = s.snapshot()
	}
	s.Scorer.Close()
	return errors.Join(err, s.db.Close())
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encode returns key and value of a batch in the log: the sequence number, and the fields
// of all records, each with its score, behind their number and a checksum.
func (b loggedBatch) encode() (key, value []byte) {
	key = binary.BigEndian.AppendUint64(nil, uint64(b.first))
	value = binary.BigEndian.AppendUint32(make([]byte, 4), uint32(len(b.records)))
	for k, record := range b.records {
		score := binary.BigEndian.AppendUint64(nil, math.Float64bits(b.scores[k]))
		value = lists.AppendPacked(lists.AppendPacked(value, record...), string(score))
	}
	binary.BigEndian.PutUint32(value, checksum(key, value))
	return key, value
}

// checksum returns that of a key and of what is behind the checksum of its value.
func checksum(key, value []byte) uint32 {
	return crc32.Checksum(slices.Concat(key, value[4:]), castagnoli)
}

// decodeBatch is the inverse of encode.
func decodeBatch(key, value []byte) (b loggedBatch, err error) {
	damaged := fmt.Errorf("a damaged batch (%x)", key)
	if len(key) != 8 || len(value) < 8 || binary.BigEndian.Uint32(value) != checksum(key, value) {
		return b, damaged
	}
	b.first, b.bytes = int(binary.BigEndian.Uint64(key)), len(value)
	all, err := lists.Unpack(value[8:])
	n := int(binary.BigEndian.Uint32(value[4:]))
	if err != nil || n < 1 || len(all) < n || len(all)%n != 0 {
		return b, damaged
	}
	fields := len(all)/n - 1
	for record := range slices.Chunk(all, fields+1) {
		if len(record[fields]) != 8 {
			return b, damaged
		}
		b.records = append(b.records, record[:fields:fields])
		b.scores = append(b.scores, math.Float64frombits(binary.BigEndian.Uint64([]byte(record[fields]))))
	}
	return b, nil
}
