package serve

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
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

// maxLog is about how many bytes of records the log holds before a snapshot takes their
// place.
var maxLog = 64 << 20

var logBucket = []byte("batches")

// State is a Scorer whose states outlive the process: the last snapshot of them is in a
// folder, with a log of the batches since. What was committed is there after any end of
// the process, and states made again from it have the same bits.
//
// One State has the folder at a time. Its methods are for one goroutine.
type State struct {
	*Scorer
	dir     string
	db      *bbolt.DB
	logged  int // bytes in the log
	pending []loggedBatch
	answers map[int]answered // by sequence number: those of the log
}

type loggedBatch struct {
	first   int // sequence number of its first record
	records [][]string
}

type answered struct {
	record []string
	score  float64
}

// Resume opens the state in a folder, which it makes if it is not there: the states of the
// checkpoint, of which it is, and all that was committed since. fresh is called with a
// Scorer of the checkpoint alone, before anything is written.
func Resume(dir, checkpoint string, o Options, fresh func(*Scorer) error) (_ *State, err error) {
	saved, err := models.ReadSaved(checkpoint)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	s := &State{dir: dir, answers: map[int]answered{}}
	s.db, err = bbolt.Open(filepath.Join(dir, logFile), 0o666, &bbolt.Options{Timeout: 100 * time.Millisecond})
	if errors.Is(err, bolterrors.ErrTimeout) {
		return nil, fmt.Errorf("%s: another process has this state", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, logFile), err)
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
	if s.Scorer, err = open(before, o); err != nil {
		return nil, err
	}
	return s, s.replay()
}

// replay folds in the batches of the log.
func (s *State) replay() error {
	return s.db.View(func(tx *bbolt.Tx) error {
		b := tx.Bucket(logBucket)
		if b == nil {
			return nil
		}
		return b.ForEach(func(key, value []byte) error {
			first, records, err := decodeBatch(key, value, len(s.Columns()))
			if err != nil {
				return fmt.Errorf("%s: %w", logFile, err)
			}
			if first < s.Events() { // a snapshot has it, and was made just before the end
				return nil
			}
			if first > s.Events() {
				return fmt.Errorf("%s: a batch begins with event %d, expected %d", logFile, first, s.Events())
			}
			scores := make([]float64, len(records))
			if err := s.Scorer.ScoreRecords(records, scores); err != nil {
				return fmt.Errorf("%s: event %d: %w", logFile, first, err)
			}
			s.logged += len(value)
			for k, record := range records {
				s.answers[first+k] = answered{record, scores[k]}
			}
			return nil
		})
	})
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
	s.pending = append(s.pending, loggedBatch{first, slices.Clone(batch)})
	return nil
}

// Commit writes the batches since the last Commit to the log and waits for the disk.
// Now and then it makes a snapshot.
func (s *State) Commit() error {
	if len(s.pending) == 0 {
		return nil
	}
	err := s.db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(logBucket)
		if err != nil {
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
		return fmt.Errorf("%s: %w", filepath.Join(s.dir, logFile), err)
	}
	s.pending = s.pending[:0]
	if s.logged < maxLog {
		return nil
	}
	return s.snapshot()
}

// snapshot writes the states, which take the place of the log.
func (s *State) snapshot() error {
	if err := s.Save(filepath.Join(s.dir, snapshotFile)); err != nil {
		return err
	}
	s.logged = 0
	clear(s.answers)
	return s.db.Update(func(tx *bbolt.Tx) error {
		if tx.Bucket(logBucket) == nil {
			return nil
		}
		return tx.DeleteBucket(logBucket)
	})
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
// of all records behind their checksum.
func (b loggedBatch) encode() (key, value []byte) {
	key = binary.BigEndian.AppendUint64(nil, uint64(b.first))
	value = make([]byte, 4)
	for _, record := range b.records {
		value = lists.AppendPacked(value, record...)
	}
	binary.BigEndian.PutUint32(value, crc32.Checksum(slices.Concat(key, value[4:]), castagnoli))
	return key, value
}

// decodeBatch is the inverse of encode, for records of that many fields.
func decodeBatch(key, value []byte, fields int) (first int, records [][]string, err error) {
	damaged := errors.New("a damaged batch")
	if len(key) != 8 || len(value) < 4 || binary.BigEndian.Uint32(value) != crc32.Checksum(slices.Concat(key, value[4:]), castagnoli) {
		return 0, nil, damaged
	}
	all, err := lists.Unpack(bytes.Clone(value[4:]))
	if err != nil || len(all) == 0 || len(all)%fields != 0 {
		return 0, nil, damaged
	}
	return int(binary.BigEndian.Uint64(key)), slices.Collect(slices.Chunk(all, fields)), nil
}
