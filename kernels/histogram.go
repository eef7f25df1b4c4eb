package kernels

// Histogram are the kernels of states that are histograms of features
// (equation 1 of the Deep-Graph-Sprints paper), or projections of these.
type Histogram interface {
	// Bucketize is dst (rows x cols) = first[j] + the number of edges of
	// column j that are at or below x[i,j]. Edges (edgeRows x cols) has a row
	// of the columns' first edges, of their second, ...; NaN stands for one
	// that a column does not have.
	Bucketize(rows, cols, edgeRows int, dst Ints, x, edges Buffer, first Ints)
	// SumRows is dst[i] = the sum of the rows index[i,0], index[i,1] ... of
	// table, added in this order (PyTorch's EmbeddingBag). index is rows x
	// terms, and all rows are cols wide.
	SumRows(rows, terms, tableRows, cols int, dst, table Buffer, index Ints)
	// FoldBuckets is dst (Rows x Cols) =
	//
	//	dst[i] = Keep[i] Table[Self[i]] + Mix[i] Table[Other[i]]
	//
	// and then adds Hit[i] to elements buckets[Event[i],0], ... of the row.
	// buckets has features columns. dst does not overlap the table.
	FoldBuckets(f *Fold, dst Buffer, buckets Ints, features int)
	// FoldRows adds Hit[i] rows[Event[i]] instead. rows are Cols wide.
	FoldRows(f *Fold, dst, rows Buffer)
	// MoveRows copies row from[i] of src to row to[i] of dst, all cols wide.
	// No row of dst occurs twice.
	MoveRows(rows, cols int, dst Buffer, to Ints, src Buffer, from Ints)
}

// Fold says how events change states: each row is a new state, made from two
// old ones and from an event.
type Fold struct {
	Rows, Cols     int
	Nodes          int
	Table          Buffer // old states, Nodes x Cols
	Self, Other    Ints   // Rows: nodes
	Events         int
	Event          Ints   // Rows: rows of what the events bring
	Keep, Mix, Hit Buffer // Rows
}
