module ownmodel

go 1.26.0

require dgsbench v0.0.0

replace dgsbench => ../..
