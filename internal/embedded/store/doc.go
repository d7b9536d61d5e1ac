// Package store keeps a person's records in SQLite, as one table for each stream, with the index of package search beside
// them, and answers what may be read of them: records, counts, aggregates, blobs and searches.
//
// A read is about a [Source], which says how much of a stream it may see. The store does not know what a grant is, and no HTTP.
package store
