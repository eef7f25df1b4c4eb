package cli

import (
	"fmt"
	"strings"

	"dgsbench/harness/plan"
	"dgsbench/specs"

	"github.com/spf13/cobra"
)

// addDryRun adds the flag with which a command only says what it would do.
func (o *options) addDryRun(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "print what would be done, and do nothing")
}

// count prints which trials have been measured and which have not. The last
// line says what would happen to them.
func (o *options) count(trials []specs.Trial, lastLine func(plan.Plan) string) (plan.Plan, error) {
	if err := o.checkOut(); err != nil {
		return plan.Plan{}, err
	}
	if err := o.findDevice(); err != nil {
		return plan.Plan{}, err
	}
	p, err := plan.Count(o.question(trials))
	if err != nil {
		return p, err
	}
	if err := p.WriteCounts(o.stdout); err != nil {
		return p, err
	}
	_, err = fmt.Fprintf(o.stdout, "\n%s\n", lastLine(p))
	return p, err
}

// wouldMeasure is count for commands that then measure. It fails as they do
// where files are missing.
func (o *options) wouldMeasure(trials []specs.Trial, lastLine func(plan.Plan) string) error {
	p, err := o.count(trials, lastLine)
	if err != nil || len(p.Missing) == 0 {
		return err
	}
	var names []string
	for _, m := range p.Missing {
		names = append(names, m.Dataset)
	}
	return fmt.Errorf("no file of %s; --data DIR says where files are", strings.Join(names, ", "))
}

// goOn is the last line of commands that measure what has no record.
func (o *options) goOn(p plan.Plan) string {
	return fmt.Sprintf("%d trials: %d found measured in %s, %d would be measured", p.Trials, p.Trials-p.ToDo, o.out, p.ToDo)
}

// anew is the last line of commands that measure everything again.
func anew(p plan.Plan) string {
	return fmt.Sprintf("%d trials would be measured, whether they have a record or not", p.Trials)
}
