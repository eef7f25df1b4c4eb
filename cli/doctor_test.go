package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"dgsbench/harness/doctor"

	"github.com/google/go-cmp/cmp"
)

func TestDoctor(t *testing.T) {
	start := time.Now()
	code, stdout, stderr := bench("doctor", "--json")
	if code != exitDone || stderr != "" {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	t.Logf("took %v\n%s", time.Since(start), stdout)
	var r doctor.Rates
	d := json.NewDecoder(strings.NewReader(stdout))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		t.Fatal(err)
	}
	if r.Gemm.OneCore <= 0 || r.Peak.OneCore <= 0 || r.Copy.AllCores <= 0 {
		t.Errorf("nothing was measured: %+v", r)
	}
}

func TestPrintDoctor(t *testing.T) {
	r := doctor.Rates{
		Machine: "Processor, 8 cores, linux/amd64, go1.26", Vector: "avx2", Cores: 4,
		Peak: doctor.Rate{OneCore: 93.7, AllCores: 370.2}, Copy: doctor.Rate{OneCore: 11.26, AllCores: 24}, Gemm: doctor.Rate{OneCore: 80.4, AllCores: 301},
		GPU: "none: this build has no GPU support",
	}
	const want = `machine                        Processor, 8 cores, linux/amd64, go1.26
cores that bench uses          4
vector instructions            avx2
FMA peak, as reached by sgemm  94 GFLOP/s on one core, 370 on all
memory copy                    11.3 GB/s on one core, 24.0 on all
sgemm 200x172x100              80 GFLOP/s on one core, 301 on all
GPU                            none: this build has no GPU support

Each number is the best of several short runs; other load on the machine lowers them.
`
	var got strings.Builder
	if err := printDoctor(&got, r); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
