package metrics

// RecallAt is Recall@k for any k, of which the table of metrics has one.
func RecallAt(k float64, f Facts) float64 { return prepareRecall(k)(f)(nil) }
