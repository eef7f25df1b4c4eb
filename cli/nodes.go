package cli

import (
	"fmt"
	"io"
	"strconv"

	"dgsbench/datasets/own"
	"dgsbench/results/table"

	"github.com/spf13/cobra"
)

func newRemove(o options) *cobra.Command {
	cmd := o.with("data quiet", &cobra.Command{
		Use: "remove NAME", Short: "Remove a dataset that was imported", Args: cobra.ExactArgs(1),
		Long: "remove removes the folder of a dataset that `bench data import` made. Files of\n" +
			"the benchmark's own datasets and results stay.",
		Example: "  bench data remove old-payments",
		RunE: func(_ *cobra.Command, args []string) error {
			if err := own.Remove(o.data, args[0]); err != nil {
				return err
			}
			return o.done(fmt.Sprintf("removed the dataset %s from %s", args[0], o.data), false)
		},
	})
	cmd.PreRunE = nil // a damaged dataset can be removed
	return cmd
}

func newNames(o options) *cobra.Command {
	cmd := o.with("data json", &cobra.Command{
		Use: "names NAME [NODE...]", Short: "Print what nodes of an import are called in its source",
		Args: cobra.MinimumNArgs(1),
		Long: "names prints the numbers of nodes, as in results, and their names in the file\n" +
			"that was imported: of the given nodes, or of all.",
		Example: "  bench data names payments 0 70",
		RunE:    func(_ *cobra.Command, args []string) error { return o.nodeNames(args[0], args[1:]) },
	})
	cmd.PreRunE = nil // it reads the data folder itself
	return cmd
}

// nodeName is a node of an import.
type nodeName struct {
	Node int    `json:"node"`
	Name string `json:"name"`
}

func (o *options) nodeNames(dataset string, nodes []string) error {
	names, err := own.Names(o.data, dataset)
	if err != nil {
		return err
	}
	var out []nodeName
	for _, text := range nodes {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n >= len(names) {
			return fmt.Errorf("node %q, expected a number from 0 to %d", text, len(names)-1)
		}
		out = append(out, nodeName{n, names[n]})
	}
	if len(nodes) == 0 {
		for n, name := range names {
			out = append(out, nodeName{n, name})
		}
	}
	return o.printValue(out, func(w io.Writer) error {
		t := table.New("NODE", "NAME")
		for _, n := range out {
			t.Add(n.Node, n.Name)
		}
		return table.WriteList(w, t)
	})
}
