package own

import (
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"dgsbench/datasets"
	"dgsbench/internal/names"
	"dgsbench/internal/ram"
	"dgsbench/internal/regular"
	"dgsbench/internal/suggest"
)

// writeNodes writes nodes.csv: a line for each node, with its number and its name
// in the source. It calls progress with the number of nodes written since.
func writeNodes(w io.Writer, c datasets.Columns, progress func(int) error) error {
	const often = 1024
	out := csv.NewWriter(w)
	_ = out.Write([]string{"node", "name"}) // Error returns what is wrong, once it is flushed
	node := 0
	for name := range c.Nodes() {
		_ = out.Write([]string{strconv.Itoa(node), string(name)})
		if node++; node%often == 0 {
			if err := progress(often); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// writeLevels writes levels.csv: a line for each level of a category, with its
// column in the source, its text and the feature that is 1 where it stands.
func writeLevels(w io.Writer, levels []level) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"column", "level", "feature"})
	for _, l := range levels {
		_ = out.Write([]string{l.column, l.text, l.feature})
	}
	out.Flush()
	return out.Error()
}

// errNoNames is the error of Names for imports of versions that kept none.
var errNoNames = errors.New("it was imported by a version that did not keep the names of nodes; import it again")

// Names returns the names in the source of the nodes of a dataset that was
// imported into the data folder, by their numbers. In a bipartite dataset the
// sources come first. A file that is not as it was written is an error.
func Names(dir, dataset string) ([]string, error) {
	d, err := find(dir, dataset)
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(dir, dataset)
	if d.NodesSHA256 == "" {
		return nil, fmt.Errorf("dataset %s: %w", dataset, errNoNames)
	}
	out := make([]string, 0, d.Counts.Nodes)
	err = readSealed(folder, nodesFile, d.NodesSHA256, 2, func(fields []string) error {
		if fields[0] != strconv.Itoa(len(out)) {
			return fmt.Errorf("node %s, expected %d", fields[0], len(out))
		}
		out = append(out, fields[1])
		return nil
	})
	if err == nil && len(out) != d.Counts.Nodes {
		err = fmt.Errorf("%s has %d names of %d nodes", filepath.Join(folder, nodesFile), len(out), d.Counts.Nodes)
	}
	return out, err
}

// find returns the description of an import.
func find(dir, dataset string) (d description, err error) {
	if err := isImport(dir, dataset); err != nil {
		return d, err
	}
	return readDescription(filepath.Join(dir, dataset, descriptionFile))
}

// isImport returns an error for everything but the name of a folder with a
// description.
func isImport(dir, dataset string) error {
	if datasets.BuiltIn(dataset) {
		return fmt.Errorf("dataset %s comes with the benchmark, expected one that was imported", dataset)
	}
	if names.Check(dataset) == nil {
		_, err := os.Stat(filepath.Join(dir, dataset, descriptionFile))
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	var known []string
	if entries, err := os.ReadDir(dir); err == nil {
		for _, e := range entries {
			if _, err := os.Stat(filepath.Join(dir, e.Name(), descriptionFile)); err == nil && names.Check(e.Name()) == nil {
				known = append(known, e.Name())
			}
		}
	}
	return fmt.Errorf("no import %q in %s%s; there are: %v", dataset, dir, suggest.DidYouMean(dataset, known), known)
}

// readSealed reads the lines of a CSV file of a dataset's folder, after its header.
// The file must have that checksum; it is computed before anything is read.
func readSealed(folder, name, sum string, fields int, line func([]string) error) error {
	path := filepath.Join(folder, name)
	f, size, err := regular.Open(path, math.MaxInt64)
	if err != nil {
		return err
	}
	defer f.Close()
	// A name takes two bytes of the file at least, and a string and its bytes in
	// memory.
	if err := ram.Check(path, 16*size); err != nil {
		return err
	}
	if err := checkSum(f, path, sum); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	in := csv.NewReader(f)
	in.FieldsPerRecord, in.ReuseRecord = fields, true
	for k := 0; ; k++ {
		record, err := in.Read()
		if err == io.EOF {
			return nil
		}
		if err == nil && k > 0 {
			err = line(record)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
}

// checkSum compares the checksum of a file's content.
func checkSum(r io.Reader, path, want string) error {
	sum := sha256.New()
	if _, err := io.Copy(sum, r); err != nil {
		return err
	}
	if got := fmt.Sprintf("%x", sum.Sum(nil)); got != want {
		return fmt.Errorf("%s has SHA-256 %s, expected %s: it is damaged; import the source again with --replace", path, got, want)
	}
	return nil
}

// Verify compares the files of a dataset that was imported into the data folder,
// other than its events, with their checksums.
func Verify(dir, dataset string) error {
	d, err := find(dir, dataset)
	if err != nil {
		return err
	}
	return d.checkSealed(filepath.Join(dir, dataset))
}

// checkSealed compares the checksums of the files of a dataset's folder that are
// read only where they are needed.
func (d description) checkSealed(folder string) error {
	for name, sum := range map[string]string{nodesFile: d.NodesSHA256, levelsFile: d.LevelsSHA256} {
		if sum == "" {
			continue
		}
		path := filepath.Join(folder, name)
		f, _, err := regular.Open(path, math.MaxInt64)
		if err != nil {
			return err
		}
		err = errors.Join(checkSum(f, path, sum), f.Close())
		if err != nil {
			return err
		}
	}
	return nil
}
