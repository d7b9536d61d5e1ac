// Package search is the full-text index of the embedded resource server: what words are, how they are stored in SQLite, and which records
// a question finds.
//
// The columns of records are numbered: the n-th searched field of a stream is column n. A posting therefore says of which record and which
// field it is, and what a grant does not show is left out posting by posting, before anything is counted. Beside it is a list of all
// words, for word forms and typing errors, and what ranking needs to know about each record: its source, length, time and neighbors.
// Nothing here changes after a load.
package search

import "time"

// A Field is a searched field that a grant shows.
type Field struct {
	Column int
	Weight float32 // of a match in it; a body has 1
}

// A Source is one stream of one connection, as far as a grant shows it.
type Source struct {
	Number   int
	Fields   []Field
	Complete bool           // every searched field of the stream is among Fields
	Only     map[int64]bool // versions of the records that may be found; nil for all of them
	Talk     bool           // its records follow one another as in a conversation: one lends to the next
}

// A Request is one search.
type Request struct {
	Text    string
	Sources []Source
	Now     time.Time
	Most    int  // hits to return, best first
	Demand  bool // every word must be there, as it is written
}

// A Match says how much of a query a hit has.
type Match string

// Kinds of [Match], in the order of hits.
const (
	MatchAll     Match = "all"
	MatchSome    Match = "some"
	MatchNearest Match = "nearest" // only words in the place of misspelled ones
)

// A Hit is a record that was found.
type Hit struct {
	Version int64
	Source  int // index of Request.Sources
	Score   float32
	Match   Match
	Words   []string // of the query, that it has, when not all of them
	Nearest []string // words that it has in the place of others

	NotOfTime bool // it has all words, and is not known to be of the time that the query names
}

// A Result is what a search found.
type Result struct {
	Report
	Hits  []Hit // the first of all
	All   int   // how many records have all words
	Marks Marker
}

// A Report says what was done with the words of a query, as the meta.recall of an answer has it.
type Report struct {
	Some       int           `json:"partial_count"`           // records with some of the words
	Nearest    int           `json:"nearest_count,omitempty"` // records with none but words in the place of misspelled ones
	Missing    []string      `json:"missing_words,omitempty"` // they occur nowhere in the fields that search reads
	Replaced   []Replacement `json:"nearest_words,omitempty"`
	Containing []Replacement `json:"containing_words,omitempty"` // words that begin with a missing one, or contain it
	Forms      []Replacement `json:"word_forms,omitempty"`
	Inexact    []Replacement `json:"inexact_words,omitempty"`  // found in forms alone of which none begins as the word does
	LeftOut    []string      `json:"left_out_words,omitempty"` // common words of the language
	Common     []string      `json:"common_words,omitempty"`   // in so many records that they only rank what others found
	TimeWords  []string      `json:"time_words,omitempty"`     // that name the preferred time
	Time       string        `json:"preferred_time,omitempty"` // records of it come first; in words
}

// A Replacement is what was looked for in place of, or beside, a word of the query.
type Replacement struct {
	Word string   `json:"word"`
	As   []string `json:"as"`
}

// Total is the count of all hits.
func (r *Result) Total() int { return r.All + r.Some + r.Nearest }
