// Package search is the full-text index of the embedded resource server: what words are, how they are stored in SQLite's
// FTS5, and which records a question finds.
//
// All records of a store share one FTS5 table whose columns are numbered: the n-th searched field of a stream is column n.
// A posting therefore says of which record and which field it is, and what a grant does not show is left out posting by
// posting, before anything is counted. Beside it is a list of all words, for word forms and typing errors, and what ranking needs
// to know about each record: its source, length, time and neighbors. Nothing here changes after a load.
package search
