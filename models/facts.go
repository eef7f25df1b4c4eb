package models

import "dgsbench/nn"

// HeadPart is the part of a model's parameters that makes a score of what lies
// below it.
const HeadPart = "head"

// Facts are what a built model says of itself, for tables about models.
type Facts struct {
	// Parameters are the learned ones, by part. Together they are NumParams.
	Parameters []nn.PartSize
	// State is how many numbers are kept of a node.
	State int
	// Forgetting is by how many different factors a state is multiplied when
	// its node is met; 0 where it is not multiplied by any.
	Forgetting int
}

// Factual is a model that knows its Facts.
type Factual interface{ Facts() Facts }
