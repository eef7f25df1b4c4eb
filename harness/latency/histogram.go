package latency

import (
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

const (
	longest = int64(time.Hour) // that the histogram holds, in nanoseconds
	digits  = 3
)

// histogram is the HdrHistogram of nanoseconds, as text.
func histogram(ns []int64) string {
	h := hdrhistogram.New(1, longest, digits)
	for _, n := range ns {
		if err := h.RecordValue(min(max(n, 1), longest)); err != nil {
			panic(fmt.Sprintf("latency: %v", err)) // within the bounds that it was made for
		}
	}
	text, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		panic(fmt.Sprintf("latency: %v", err)) // it is written to memory
	}
	return string(text)
}
