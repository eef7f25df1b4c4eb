package datasets

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
)

// writeJODIE makes a file in the layout of the public JODIE files, with
// features of 17 significant digits as they have.
func writeJODIE(tb testing.TB, path string, events, features int) {
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	fmt.Fprintln(w, "user_id,item_id,timestamp,state_label,comma_separated_list_of_features")
	rng := rand.New(rand.NewPCG(1, 2))
	var line []byte
	for r := range events {
		line = fmt.Appendf(line[:0], "%d,%d,%d.0,%d", rng.IntN(8227), rng.IntN(1000), 17*r, rng.IntN(2))
		for range features {
			line = strconv.AppendFloat(append(line, ','), rng.NormFloat64(), 'g', 17, 64)
		}
		w.Write(append(line, '\n'))
	}
	if err := w.Flush(); err != nil {
		tb.Fatal(err)
	}
}

// BenchmarkRead reads 70 MB like those of wikipedia.csv, or the file named by
// DGSBENCH_READ_FILE, so that peers/read_csv.py can be timed on the same one;
// if it is not there yet, it is made (300 MB).
func BenchmarkRead(b *testing.B) {
	path, events := os.Getenv("DGSBENCH_READ_FILE"), 86_000
	if path == "" {
		path, events = filepath.Join(b.TempDir(), "features.csv"), 20_000
	}
	if _, err := os.Stat(path); err != nil {
		writeJODIE(b, path, events, 172)
	}
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		b.Fatal(err)
	}
	for workers := 1; workers <= runtime.GOMAXPROCS(0); workers *= 2 {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			b.SetBytes(info.Size())
			b.ReportAllocs()
			for b.Loop() {
				if _, err := read(f, path, info.Size(), JODIE, workers, blockSize); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
