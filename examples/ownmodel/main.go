// Command ownmodel is bench with one more model: gap, of package
// ownmodel/gap.
package main

import (
	"dgsbench/cli"

	_ "ownmodel/gap"
)

func main() { cli.Main() }
