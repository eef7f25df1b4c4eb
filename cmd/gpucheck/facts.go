//go:build gpu

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"time"

	"dgsbench/harness"
	"dgsbench/kernels/devices"
)

// Facts are what times depend on beside what is timed.
type Facts struct {
	Card    string `json:"card"`    // with the version of CUDA that its driver has
	Machine string `json:"machine"` // processor, cores, system
	Code    string `json:"code"`    // the commit that the binaries were built from
	PTX     string `json:"ptx"`     // SHA-256 of all kernels as text, the first 12 digits
	// Clocks, driver and power are as nvidia-smi says; empty without it.
	NvidiaSMI string `json:"nvidia_smi,omitempty"`
}

// smiQuery is what nvidia-smi is asked for.
const smiQuery = "driver_version,clocks.sm,clocks.max.sm,clocks.mem,clocks.max.mem,power.draw,power.limit,temperature.gpu,mig.mode.current"

func (c *check) facts(ctx context.Context, card string) Facts {
	return Facts{
		Card: card, Machine: harness.Machine(devices.Target{}), Code: harness.CodeVersion(),
		PTX: hashOf(filepath.Join(c.home, "kernels", "cuda", "*.ptx")), NvidiaSMI: nvidiaSMI(ctx),
	}
}

// hashOf is that of the files, in the order of their names; "unknown" without
// any.
func hashOf(pattern string) string {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		return "unknown"
	}
	h := sha256.New()
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return "unknown"
		}
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// nvidiaSMI asks for clocks and the like, on one line.
func nvidiaSMI(ctx context.Context) string {
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	out, err := output(ctx, "", "nvidia-smi", "--id=0", "--query-gpu="+smiQuery, "--format=csv")
	if err != nil {
		return ""
	}
	return strings.Join(strings.Split(string(bytes.TrimSpace(out)), "\n"), ": ")
}
