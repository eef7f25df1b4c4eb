//go:build amd64 && !purego

package cpu

import "golang.org/x/sys/cpu"

// best is the widest level of this processor.
var best = detect()

func detect() Level {
	x := cpu.X86
	switch {
	case x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL && x.HasBMI2 && x.HasAVX2 && x.HasFMA:
		return AVX512
	case x.HasAVX2 && x.HasFMA:
		return AVX2
	}
	return Portable
}
