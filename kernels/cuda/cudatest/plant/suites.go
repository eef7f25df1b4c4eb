package main

// suite is some tests of a package: those that the pattern picks.
type suite struct{ folder, pattern string }

// all are the suites that a bug has to pass.
var all = []suite{
	{kernelTests, "."},
	{"./nn", "/cuda"},
	{"./kernels/cuda/driver", "."},
	{"./models/standard", "TestRecordedPass|TestWork"},
}

const (
	kernelTests = "./kernels/cuda"

	chains  = "TestChain|TestRecorded"
	uploads = "TestConformance/(Memory|Repeated|GatherRows|Add|Zero)|" + chains
	ranking = "TestConformance/.*(Rank|Scores)|TestScores"
)

// nearest picks the tests of the kernels that see the bugs of a file soonest.
var nearest = map[string]string{
	"answer.cu":            "TestConformance/Seen",
	"attention.cu":         "TestConformance/Attend",
	"buffer.go":            uploads + "|TestMemory",
	"chain.cu":             chains,
	"chain.go":             chains,
	"chain_answer.go":      chains,
	"chain_calls.go":       chains,
	"chain_memory.go":      chains,
	"chain_order.go":       chains,
	"chain_pending.go":     chains,
	"chain_plan.go":        chains,
	"columns.h":            "TestConformance/(ColumnSums|ContractRows|Shapes)",
	"device_elementary.go": "TestConformance/Gemm",
	"device_groups.go":     "TestConformance/(Seen|NoStep|Adam)",
	"seen.go":              "TestConformance/(Seen|NoStep|NothingKept)",
	"elementary.cu":        "TestConformance/(Add|BCE|Seen)",
	"forward.cu":           "TestConformance/(MixForward|BlockDerivatives|CommitRows|NothingKept|RowsOutOfRange)",
	"gemm.cu":              "TestConformance/Gemm|TestProducts",
	"groups.h":             "TestConformance/(SoftmaxBlocks|LayerNorm)",
	"heap.go":              "Memory",
	"histogram.cu":         "TestConformance/.*(Bucket|SumRows|Fold)",
	"jacobian.cu":          "TestConformance/(Jacobians|NothingKept)",
	"jacobian_plan.go":     "TestPlan|TestConformance/Jacobians",
	"launch.go":            uploads + "|TestConformance/Shapes",
	"loads.h":              "TestConformance/(ColumnSums|ContractRows|.*Rows)",
	"norms.h":              "TestConformance/(LayerNorm|UnitRows)",
	"occurrences.h":        "TestConformance/(Scatter|AttendGrad)",
	"optimiser.cu":         "TestConformance/(Adam|Momentum|NoStep)",
	"place.cu":             uploads,
	"repeat.go":            "TestConformance/(Repeated|SeenAgain)",
	"rows.cu":              "TestConformance/.*Rows",
	"scalars.h":            "TestConformance/(AddReLU|Finite|Seen)",
	"score_tiles.h":        ranking,
	"scores.h":             ranking + "|TestConformance/BadScores",
	"simplex.h":            "TestConformance/(Sparsemax|Entmax)",
	"staging.go":           uploads,
	"tables.h":             "TestConformance/(Adam|Momentum|Seen)",
	"tape.go":              chains,
	"uploads.go":           uploads,
}
