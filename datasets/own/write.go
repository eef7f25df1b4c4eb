package own

import (
	"bufio"
	"io"
	"strconv"

	"dgsbench/datasets"
)

// often is after how many events it is said that they are written.
const often = 1024

// writeEvents writes a whole stream as a CSV file from which the same one is
// read. The first error of written ends it.
func writeEvents(w io.Writer, s datasets.Stream, labelled bool, written func(events int) error) error {
	buf := bufio.NewWriterSize(w, 1<<20)
	line := append([]byte(nil), colSrc+","+colDst+","+colTime...)
	if labelled {
		line = append(line, ","+colLabel...)
	}
	for i := range s.NumFeat {
		line = append(line, ","+colFeature(i)...)
	}
	for k := range s.Len() {
		if _, err := buf.Write(append(line, '\n')); err != nil {
			return err
		}
		line = appendEvent(line[:0], s, k, labelled)
		if k%often == 0 {
			if err := written(often); err != nil {
				return err
			}
		}
	}
	if _, err := buf.Write(append(line, '\n')); err != nil {
		return err
	}
	return buf.Flush()
}

// appendEvent writes numbers with as many digits as they need to come back
// the same.
func appendEvent(line []byte, s datasets.Stream, k int, labelled bool) []byte {
	line = strconv.AppendInt(line, int64(s.Src[k]), 10)
	line = strconv.AppendInt(append(line, ','), int64(s.Dst[k])-int64(s.Users), 10)
	line = strconv.AppendFloat(append(line, ','), s.Time[k], 'g', -1, 64)
	if labelled {
		line = strconv.AppendInt(append(line, ','), int64(s.Label[k]), 10)
	}
	for _, x := range s.Features(k) {
		line = strconv.AppendFloat(append(line, ','), float64(x), 'g', -1, 32)
	}
	return line
}
