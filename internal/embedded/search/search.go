package search

import (
	"context"
	"time"
)

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
}

// A Result is what a search found.
type Result struct {
	Hits               []Hit // the first of all
	All, Some, Nearest int   // how many records have all words, some of them, or none but nearest ones
	LeftOut            []string
	Common             []string
	Missing            []string
	Forms              []Replacement
	Replaced           []Replacement
	Marks              Marker
	Time               string // that was preferred, in words
	Languages          []string
}

// A Replacement is what was looked for in place of, or beside, a word of the query.
type Replacement struct {
	Word string   `json:"word"`
	As   []string `json:"as"`
}

// Total is the count of all hits.
func (r *Result) Total() int { return r.All + r.Some + r.Nearest }

// sourceGrant is what the grant says about the postings of a source.
type sourceGrant struct {
	at      int       // index of Request.Sources; -1: it is not searched
	weights []float32 // by column; 0: it is not shown
	only    map[int64]bool
	average float32 // length of its records; 0: it shows less than all fields
}

// A searcher answers one request.
type searcher struct {
	*Index
	ctx     context.Context
	request Request
	query   query
	grants  []sourceGrant // by number of source
	records int           // in scope

	mask    []uint64  // by version: a bit for each unit that the record has
	score   []float32 // by version
	found   []uint32  // versions with a bit
	tf      []float32 // by version: of the unit at hand
	touched []uint32
	read    map[string][]posting // by expression: what was read of the index
	rarity  [maxUnits]float32    // of each unit in scope
	result  *Result
}

// Search finds records.
func (x *Index) Search(ctx context.Context, request Request) (*Result, error) {
	s := &searcher{Index: x, ctx: ctx, request: request, query: parseQuery(request.Text), read: map[string][]posting{}, result: &Result{}}
	s.admit()
	if len(s.query.units) == 0 || len(s.grants) == 0 {
		return s.result, nil
	}
	if err := s.run(); err != nil {
		return nil, err
	}
	return s.result, nil
}

// admit lays out the grants by number of source and column.
func (s *searcher) admit() {
	for i, source := range s.request.Sources {
		if len(source.Fields) == 0 {
			continue
		}
		for len(s.grants) <= source.Number {
			s.grants = append(s.grants, sourceGrant{at: -1})
		}
		g := sourceGrant{at: i, only: source.Only}
		for _, f := range source.Fields {
			for len(g.weights) <= f.Column {
				g.weights = append(g.weights, 0)
			}
			g.weights[f.Column] = f.Weight
		}
		s.grants[source.Number] = g
	}
	s.measure()
}

// measure counts the records in scope, and the average length of those of each source.
func (s *searcher) measure() {
	counts, lengths := make([]int, len(s.grants)), make([]int, len(s.grants))
	for version, source := range s.documents.source {
		if s.grant(uint32(version), int(source)) != nil { // #nosec G115 -- far fewer records
			counts[source]++
			lengths[source] += int(s.documents.length[version])
		}
	}
	for i := range s.grants {
		s.records += counts[i]
		if g := &s.grants[i]; counts[i] > 0 && s.request.Sources[g.at].Complete {
			g.average = float32(lengths[i]) / float32(counts[i])
		}
	}
}

// grant returns what the grant says about a record, nil if it is not shown.
func (s *searcher) grant(version uint32, source int) *sourceGrant {
	if source >= len(s.grants) {
		return nil
	}
	g := &s.grants[source]
	if g.at < 0 || g.only != nil && !g.only[int64(version)] {
		return nil
	}
	return g
}

// weight returns the weight of a column of a record, 0 if it is not shown.
func (s *searcher) weight(version uint32, column int) float32 {
	if int(version) >= len(s.documents.source) {
		return 0
	}
	g := s.grant(version, int(s.documents.source[version]))
	if g == nil || column < 0 || column >= len(g.weights) {
		return 0
	}
	return g.weights[column]
}

func (s *searcher) run() error {
	size := len(s.documents.source)
	s.mask, s.score, s.tf = make([]uint64, size), make([]float32, size), make([]float32, size)
	exact, err := s.exactly()
	if err != nil {
		return err
	}
	var language uint32
	var preferred *timeMatcher
	if !s.request.Demand {
		preferred = s.query.prefer(s.request.Now.UTC())
		language = s.query.lighten()
	}
	if err := s.expand(language); err != nil {
		return err
	}
	if err := s.scoreUnits(); err != nil {
		return err
	}
	if err := s.exclude(); err != nil {
		return err
	}
	s.lend()
	s.preferTime(preferred)
	s.report()
	s.choose(exact)
	return nil
}
