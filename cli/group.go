package cli

import (
	"fmt"

	"dgsbench/internal/lists"
	"dgsbench/internal/suggest"

	"github.com/spf13/cobra"
)

func init() { cobra.EnableCommandSorting = false } // help lists what is needed first first

// group is a heading of help, with its commands.
type group struct {
	title    string
	commands []func(options) *cobra.Command
}

// groups returns the commands in the order in which help lists them.
func groups() []group {
	return []group{
		{"Measure", []func(options) *cobra.Command{newAll, newPlan, newInit, newRun, newTune, newLatency, newLive, newScale, newCheck, newServeModel}},
		{"On other machines", []func(options) *cobra.Command{newStatus, newCancel, newWork}},
		{"Use a trained model", []func(options) *cobra.Command{newScore, newExport}},
		{"Look at results", []func(options) *cobra.Command{newTables, newReport, newResults}},
		{"What there is to measure", []func(options) *cobra.Command{newSuites, newModels, newSpec, newData}},
		{aboutGroup, []func(options) *cobra.Command{newDoctor, newVersion}},
	}
}

const aboutGroup = "This machine and this program"

// asGroup makes a command print its help, and refuse words that are none of its
// commands.
func asGroup(cmd *cobra.Command) {
	cmd.DisableFlagsInUseLine = true
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(cmd, args[0])
		}
		return nil
	}
	cmd.SetFlagErrorFunc(func(at *cobra.Command, err error) error {
		if words := at.Flags().Args(); at.HasSubCommands() && len(words) > 0 {
			return unknownCommand(at, words[0]) // its flags are unknown, too
		}
		return err
	})
}

func unknownCommand(cmd *cobra.Command, word string) error {
	var known []*cobra.Command
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			known = append(known, c)
		}
	}
	return fmt.Errorf("unknown command %q for %q%s", word, cmd.CommandPath(), suggest.Hint(word, lists.Map(known, (*cobra.Command).Name)))
}

// addHelp adds the commands help and completion.
func addHelp(root *cobra.Command) {
	root.SetHelpCommandGroupID(aboutGroup)
	root.SetCompletionCommandGroupID(aboutGroup)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Args = func(_ *cobra.Command, args []string) error {
				at, rest, err := root.Find(args)
				if err == nil && len(rest) > 0 {
					err = unknownCommand(at, rest[0])
				}
				return err
			}
		case "completion":
			cmd.Short = "Print the completion script of a shell"
			asGroup(cmd)
		}
	}
}
