package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"dgsbench/internal/atomicfile"
	"dgsbench/internal/onnx"
	"dgsbench/internal/regular"
	"dgsbench/models"
	"dgsbench/results/table"

	"github.com/spf13/cobra"
)

func newExport(o options) *cobra.Command {
	return o.with("", &cobra.Command{
		Use: "export MODEL.safetensors OUT.onnx", Short: "Write one step of a model as ONNX", Args: cobra.ExactArgs(2),
		Long: "export writes one step of a model of node classification, which a run with\n" +
			"--checkpoints has kept, for ONNX Runtime and other programs: features of events\n" +
			"and states of their nodes go in, logits and new states come out. Whoever runs it\n" +
			"keeps the table of states. The file says in its metadata how it is used; what\n" +
			"goes in and out is printed as the file that was written has it.",
		Example: "  bench export model.safetensors model.onnx",
		RunE: func(_ *cobra.Command, args []string) error {
			from, to := args[0], args[1]
			if filepath.Ext(to) != ".onnx" {
				return fmt.Errorf("%s: expected a name that ends in .onnx", to)
			}
			saved, err := models.ReadSaved(from)
			if err != nil {
				return err
			}
			data, err := encodeStep(saved)
			if err != nil {
				return fmt.Errorf("%s: %w", from, err)
			}
			if err := regular.Replaceable(to); err != nil {
				return err
			}
			if err := atomicfile.Write(to, data); err != nil {
				return failure{err}
			}
			written, err := regular.Read(to, int64(len(data)))
			if err != nil {
				return failure{err}
			}
			m, err := onnx.Decode(written)
			if err != nil {
				return failure{fmt.Errorf("%s: %w", to, err)}
			}
			fmt.Fprintf(o.stdout, "%s: %d bytes, ONNX with operators of version %d\n\n", to, len(written), onnx.Opset)
			return writeStep(o.stdout, m)
		},
	})
}

// encodeStep returns the file of one step of a model.
func encodeStep(saved *models.Saved) ([]byte, error) {
	m, err := saved.ONNX()
	if err != nil {
		return nil, err
	}
	return m.Encode()
}

// writeStep lists what goes in and out of a graph.
func writeStep(w io.Writer, m *onnx.Model) error {
	t := table.New("", "NAME", "FLOAT32", "WHAT")
	for _, v := range m.Inputs {
		t.Add("input", v.Name, shapeOf(v), v.Doc)
	}
	for _, v := range m.Outputs {
		t.Add("output", v.Name, shapeOf(v), v.Doc)
	}
	return table.WriteList(w, t)
}

// shapeOf returns a shape as in n x 100.
func shapeOf(v onnx.Value) string {
	var sizes []string
	for _, n := range v.Shape {
		size := fmt.Sprint(n)
		if n == onnx.N {
			size = "n"
		}
		sizes = append(sizes, size)
	}
	return strings.Join(sizes, " x ")
}
