// Package standard registers every model of the project: import it for its
// side effect.
package standard

import (
	_ "dgsbench/models/dgs"
	_ "dgsbench/models/graphsprints"
	_ "dgsbench/models/heuristic"
	_ "dgsbench/models/jodie"
	_ "dgsbench/models/oracle"
	_ "dgsbench/models/pairclock"
	_ "dgsbench/models/raw"
	_ "dgsbench/models/tgn"
	_ "dgsbench/models/tpnet"
)
