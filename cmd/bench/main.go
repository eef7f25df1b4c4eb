// Command bench runs the benchmark; see package cli.
package main

import "dgsbench/cli"

func main() { cli.Main() }
