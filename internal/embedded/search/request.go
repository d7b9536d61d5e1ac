// Package search is the full-text index of the embedded resource server. It splits texts into words, stores in SQLite where they occur, and
// finds the records that match a query.
//
// The n-th searched field of a stream is column n. A posting has the record and the column of a word: what a grant does not show is left
// out posting by posting, before anything is counted. The index also has a list of all words, for word forms and typing errors, and the
// source, length, time and neighbors of each record, for ranking. An open index does not change.
package search

import "time"

// A Request is one search.
type Request struct {
	Text     string
	Sources  []Source
	Now      time.Time
	Most     int  // hits to return, best first
	AllWords bool // every word must be there, as it is written
}

// A Match says how much of a query a hit has.
type Match string

// Kinds of [Match], in the order of hits, but the right spelling of a misspelt word ranks like some of the words.
const (
	MatchAll     Match = "all"
	MatchSome    Match = "some"
	MatchNearest Match = "nearest" // only replacements of misspelled words
)

// A Hit is a record that was found.
type Hit struct {
	Version int64
	Source  int // index of Request.Sources
	Score   float32
	Match   Match
	Words   []string // words of the query that it has; nil: all
	Nearest []string // words that it has instead of misspelled ones

	NotOfTime bool // it has all words, and is not known to be of the time that the query names
}

// A Result is what a search found.
type Result struct {
	Report
	Hits  []Hit // the best of all, at most Request.Most
	All   int   // how many records have all words
	Marks Marker
}

// A Report says how the words of a query were used, for meta.recall of an answer.
type Report struct {
	Some       int           `json:"partial_count"`           // records with some of the words
	Nearest    int           `json:"nearest_count,omitempty"` // records with only replacements of misspelled words
	Missing    []string      `json:"missing_words,omitempty"` // that occur nowhere in the searched fields
	Replaced   []Replacement `json:"nearest_words,omitempty"`
	Containing []Replacement `json:"containing_words,omitempty"` // words that begin with a missing one, or contain it
	Forms      []Replacement `json:"word_forms,omitempty"`
	Inexact    []Replacement `json:"inexact_words,omitempty"`  // found only in forms that may be other words
	LeftOut    []string      `json:"left_out_words,omitempty"` // common words of the language, and words past maxUnits
	Common     []string      `json:"common_words,omitempty"`   // in so many records that they only rank what others found
	TimeWords  []string      `json:"time_words,omitempty"`     // that name the preferred time
	Time       string        `json:"preferred_time,omitempty"` // in words; its records come first
}

// A Replacement lists words that were looked up instead of a word of the query or in addition to it, or that contain it.
type Replacement struct {
	Word string   `json:"word"`
	As   []string `json:"as"`
}

// Total returns the number of all hits.
func (r *Result) Total() int { return r.All + r.Some + r.Nearest }
