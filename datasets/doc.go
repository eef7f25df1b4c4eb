// Package datasets holds event streams and everything that produces them:
// the Stream type, the readers, the registry of known datasets, the splits
// and the derived features. It knows nothing about models.
//
// A file becomes a stream in ReadFile. A registered dataset becomes a Loaded
// one in Dataset.Load, and the parts that models see come from Loaded.Parts.
package datasets
