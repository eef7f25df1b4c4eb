package cli

import (
	"io/fs"
	"slices"
	"strings"

	"dgsbench/datasets"
	"dgsbench/datasets/own"
	"dgsbench/harness/scale"
	"dgsbench/internal/escape"
	"dgsbench/internal/lists"
	"dgsbench/kernels/devices"
	"dgsbench/protocol"
	"dgsbench/specs"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// words returns the words that may stand somewhere on the command line of cmd, whose
// flags have been read as far as they go. It writes nothing, and returns none where
// something is wrong.
type words func(cmd *cobra.Command) []cobra.Completion

func fixed[T ~string](values ...T) words {
	out := lists.Map(values, func(v T) cobra.Completion { return string(v) })
	return func(*cobra.Command) []cobra.Completion { return out }
}

// completer completes words of the command line.
type completer struct{ added []fs.FS }

func (c completer) library(cmd *cobra.Command) *specs.Library {
	dir, _ := cmd.Flags().GetString("specs") // "" where there is no such flag
	lib, err := specs.NewLibrary(dir, c.added...)
	if err != nil {
		return &specs.Library{}
	}
	return lib
}

func (c completer) suites(cmd *cobra.Command) (out []cobra.Completion) {
	lib := c.library(cmd)
	for _, name := range lib.SuiteNames() {
		out = append(out, described(name, lib.SuiteTitle(name)))
	}
	return out
}

// models are those that may be named, also as variants.
func (c completer) models(cmd *cobra.Command) (out []cobra.Completion) {
	lib := c.library(cmd)
	for _, id := range lib.ModelIDs() {
		m, err := lib.LoadModel(id)
		if err != nil {
			continue
		}
		out = append(out, described(id, m.Title))
		for _, v := range m.Variants() {
			out = append(out, described(specs.JoinRef(id, v), m.Title))
		}
	}
	return out
}

func described(word, title string) cobra.Completion {
	return cobra.CompletionWithDesc(word, escape.Text(title))
}

// datasetsWhere returns the datasets that a command takes, with those in its data folder, if it has one.
func datasetsWhere(takes func(datasets.Dataset) bool) words {
	return func(cmd *cobra.Command) (out []cobra.Completion) {
		if f := cmd.Flags().Lookup("data"); f != nil && own.Use(f.Value.String()) != nil {
			return nil
		}
		for _, name := range datasets.Names() {
			if d, err := datasets.Lookup(name); err == nil && takes(d) {
				out = append(out, described(name, d.Title))
			}
		}
		return out
	}
}

func anyDataset(datasets.Dataset) bool { return true }
func isImport(d datasets.Dataset) bool { return d.Imported }
func hasFile(d datasets.Dataset) bool  { return d.File != "" }

// flags are the words of flags, by name.
func (c completer) flags() map[string]words {
	tasks := fixed(protocol.NodeClassification, protocol.LinkPrediction)
	return map[string]words{
		"suite": c.suites, "models": c.models, "model": c.models,
		"dataset": datasetsWhere(anyDataset), "datasets": datasetsWhere(anyDataset),
		"tasks": tasks, "task": tasks,
		"setting":    fixed(protocol.Transductive, protocol.Inductive),
		"device":     fixed(devices.CPU, "cuda"),
		"mode":       fixed(scale.Inference, scale.Training),
		"candidates": fixed(protocol.Destinations, protocol.AllNodes),
		"sweep":      fixed("length=", "nodes=", "features=", "batch=", "option:"),
		"time-unit":  fixed("auto", "s", "ms", "us", "ns"),
		"separator":  fixed("auto", "comma", "tab", "semicolon", "pipe", "space"),
		"split-by":   fixed("time", "row"),
		"arrivals":   fixed(specs.AllArrivals...),
		"clock":      fixed(machineClock, simulatedClock),
	}
}

// arguments are the words of commands that take names, by their path.
func (c completer) arguments() map[string]words {
	return map[string]words{
		"bench spec show": c.models, "bench scale": c.models,
		"bench data stats": datasetsWhere(anyDataset), "bench data verify": datasetsWhere(hasFile),
		"bench data fetch":  datasetsWhere(datasets.Dataset.Served),
		"bench data remove": datasetsWhere(isImport), "bench data names": datasetsWhere(isImport),
	}
}

// add makes flags and arguments of all commands complete. Where nothing is known, it
// offers no files but for flags and arguments that are files.
func (c completer) add(root *cobra.Command) {
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	flags, arguments := c.flags(), c.arguments()
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { completeFlag(cmd, f, flags[f.Name]) })
		known, ok := arguments[cmd.CommandPath()]
		switch {
		case ok:
			cmd.ValidArgsFunction = completeArguments(known, strings.Contains(cmd.Use, "..."))
		case strings.Contains(cmd.Use, "FILE...") || strings.Contains(cmd.Use, "FOLDER"):
			cmd.ValidArgsFunction = filesOf()
		case strings.Contains(cmd.Use, ".yaml"):
			cmd.ValidArgsFunction = filesOf("yaml", "yml")
		case strings.Contains(cmd.Use, ".safetensors"):
			cmd.ValidArgsFunction = filesOf("safetensors", "onnx")
		}
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(root)
}

// completeFlag registers the completion of a flag that has a value.
func completeFlag(cmd *cobra.Command, f *pflag.Flag, known words) {
	var complete cobra.CompletionFunc
	switch {
	case f.Name == "data" || f.Name == "out" || f.Name == "specs" || f.Name == "tuned":
		complete = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
	case f.Name == "baseline":
		complete = filesOf("json")
	case f.Name == "compare":
		complete = filesOf()
	case f.Value.Type() == "stringSlice" && known != nil:
		complete = func(cmd *cobra.Command, _ []string, text string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return lastOfList(known(cmd), text), cobra.ShellCompDirectiveNoFileComp
		}
	case known != nil:
		complete = func(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			found := known(cmd)
			if slices.ContainsFunc(found, func(w cobra.Completion) bool { return strings.HasSuffix(w, "=") }) {
				return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
			}
			return found, cobra.ShellCompDirectiveNoFileComp
		}
	default:
		return
	}
	_ = cmd.RegisterFlagCompletionFunc(f.Name, complete) // it fails for unknown flags, and for those that have one
}

// lastOfList returns lists with commas whose last word is completed, and is not yet
// in them.
func lastOfList(known []cobra.Completion, text string) (out []cobra.Completion) {
	start := text[:strings.LastIndexByte(text, ',')+1]
	taken := strings.Split(start, ",")
	for _, word := range known {
		if name, _, _ := strings.Cut(word, "\t"); !slices.Contains(taken, name) {
			out = append(out, start+word)
		}
	}
	return out
}

// completeArguments offers names for the first argument, or, where there may be several, for each.
func completeArguments(known words, several bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		directive := cobra.ShellCompDirectiveNoFileComp
		if cmd.Name() == "show" {
			directive = cobra.ShellCompDirectiveDefault // a file, where no model begins so
		}
		if len(args) > 0 && !several {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return known(cmd), directive
	}
}

// filesOf offers files, of some endings if there are any.
func filesOf(endings ...cobra.Completion) cobra.CompletionFunc {
	directive := cobra.ShellCompDirectiveFilterFileExt
	if len(endings) == 0 {
		directive = cobra.ShellCompDirectiveDefault
	}
	return cobra.FixedCompletions(endings, directive)
}
