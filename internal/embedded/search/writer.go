package search

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// A Document is a record to be indexed.
type Document struct {
	Version      int64    // above that of every document added before
	Source       int      // number of its stream and connection, from 1
	Texts        []string // of the searched fields of its stream, in their order
	Event        int64    // when it happened, in microseconds since 1970, or NoTime
	Conversation uint64   // equal for records of a source in the same conversation; 0: none
}

// A Writer indexes documents, part by part. The documents of a part are added and removed together. Its terms are written in segments, to
// bound memory.
type Writer struct {
	part    *Part
	segment *Segment
	removed map[int64]bool // versions
}

// A Part has the data for ranking of documents with consecutive versions.
type Part struct {
	first     int64
	documents documents                   // by version, counted from first
	languages map[[2]int]*columnLanguages // by source and column
	segment   *Segment                    // the last one
}

// A Segment records where terms occur in some documents of a part.
type Segment struct {
	first int64
	terms map[string]*places
	words int
}

// segmentWords is the number of words from which a segment is written.
const segmentWords = 1 << 20

// NewWriter returns a Writer without documents.
func NewWriter() *Writer { return &Writer{removed: map[int64]bool{}} }

// Add indexes a document.
func (w *Writer) Add(d Document) {
	if w.part == nil {
		w.part = &Part{first: d.Version, languages: map[[2]int]*columnLanguages{}}
	}
	if w.segment == nil {
		w.segment = &Segment{first: d.Version, terms: map[string]*places{}}
	}
	p, at := w.part, int(d.Version-w.part.first)
	p.documents.extend(at + 1)
	length, position := 0, 0
	for i, text := range d.Texts {
		terms := Terms(text)
		length += len(terms)
		p.countLanguage(d.Source, i, textsOf(terms[:min(len(terms), 200)]))
		position = w.segment.add(d.Version, i, terms, position+1) // skip a position, so that no phrase spans two texts
	}
	p.documents.source[at] = uint16(d.Source) // #nosec G115 -- a store has far fewer sources
	p.documents.length[at] = uint16(min(length, math.MaxUint16))
	p.documents.event[at] = d.Event
	p.documents.conversation[at] = d.Conversation
}

// add records the terms of a text at the positions after position, and returns the last one.
func (s *Segment) add(version int64, column int, terms []Term, position int) int {
	for _, t := range terms {
		position++
		s.addPlace(t.Text, version, column, position)
		if t.pairs != "" {
			s.addPlace(t.pairs, version, column, position)
		}
	}
	s.words += len(terms)
	return position
}

func (s *Segment) addPlace(term string, version int64, column, position int) {
	p := s.terms[term]
	if p == nil {
		p = &places{last: s.first}
		s.terms[strings.Clone(term)] = p // do not keep the whole text in memory
	}
	p.add(version, column, position)
}

// Full returns the current segment once it is large enough to be written, else nil. The next document begins another.
func (w *Writer) Full() *Segment {
	if w.segment == nil || w.segment.words < segmentWords {
		return nil
	}
	full := w.segment
	w.segment = nil
	return full
}

// Write stores a segment. The Writer may add to other segments concurrently.
func (s *Segment) Write(ctx context.Context, db Database) (err error) {
	insert, err := db.PrepareContext(ctx, "INSERT INTO "+placeTable+" (first, term, records, places, positions) VALUES (?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, insert.Close()) }()
	for _, term := range slices.Sorted(maps.Keys(s.terms)) {
		p := s.terms[term]
		p.flush()
		if _, err := insert.ExecContext(ctx, s.first, term, p.records, p.bytes, p.positions); err != nil {
			return err
		}
	}
	if _, err = db.ExecContext(ctx, "INSERT INTO "+segmentTable+" (first) VALUES (?)", s.first); err != nil {
		return err
	}
	return countWords(ctx, db, "records", s.first, s.first)
}

// countWords adds count, the SQL for the records of a term in a segment, to the totals of the terms, for segments whose first version is
// from first to last.
func countWords(ctx context.Context, db Database, count string, first, last int64) error {
	_, err := db.ExecContext(ctx, "INSERT INTO "+wordTable+" (term, records) SELECT term, "+count+" FROM "+placeTable+
		" WHERE first BETWEEN ? AND ? ON CONFLICT (term) DO UPDATE SET records = records + excluded.records", first, last)
	return err
}

// Remove marks a document as removed, before its part is written. Its terms stay in the index and are ignored. It may run concurrently with
// [Writer.Add], but not with [Writer.WritePart].
func (w *Writer) Remove(version int64) {
	w.removed[version] = true
}

// EndPart returns the part for [Writer.WritePart], nil if no documents were added since the part before.
func (w *Writer) EndPart() *Part {
	p := w.part
	if p != nil {
		p.segment = w.segment
	}
	w.part, w.segment = nil, nil
	return p
}

// countLanguage counts the language of a text, if one has more stop words in it than every other.
func (p *Part) countLanguage(source, column int, terms []string) {
	guess, most := guessLanguages(terms)
	if most < 2 || bits.OnesCount32(guess) != 1 {
		return
	}
	key := [2]int{source, column}
	if p.languages[key] == nil {
		p.languages[key] = &columnLanguages{Source: source, Column: column}
	}
	p.languages[key].Texts[bits.TrailingZeros32(guess)]++
}

// WritePart stores the data for ranking of a part, and its last segment. It may run concurrently with [Writer.Add].
func (w *Writer) WritePart(ctx context.Context, db Database, p *Part) error {
	for version := range w.removed {
		if at := version - p.first; at >= 0 && at < int64(len(p.documents.source)) {
			p.documents.source[at] = 0
		}
	}
	p.linkConversations()
	languages, err := json.Marshal(slices.Collect(maps.Values(p.languages)))
	if err != nil {
		return fmt.Errorf("search index: languages: %w", err)
	}
	d := &p.documents
	if _, err = db.ExecContext(ctx, "INSERT INTO "+documentTable+" (first, source, length, event, next, languages) VALUES (?, ?, ?, ?, ?, ?)",
		p.first, packArray(d.source), packArray(d.length), packArray(d.event), packArray(d.next), string(languages)); err != nil || p.segment == nil {
		return err
	}
	return p.segment.Write(ctx, db)
}

// RemoveParts removes the parts whose documents have versions from first to last.
func RemoveParts(ctx context.Context, db Database, first, last int64) error {
	if err := countWords(ctx, db, "-records", first, last); err != nil {
		return err
	}
	const within = " WHERE first BETWEEN ?1 AND ?2"
	_, err := db.ExecContext(ctx, "DELETE FROM "+wordTable+" WHERE records <= 0 AND term IN (SELECT term FROM "+placeTable+within+");"+
		"DELETE FROM "+placeTable+within+";DELETE FROM "+segmentTable+within+";DELETE FROM "+documentTable+within, first, last)
	return err
}

// linkConversations sets the document that follows each in time, in the same conversation.
func (p *Part) linkConversations() {
	d := &p.documents
	var order []int
	for at, source := range d.source {
		if source != 0 && d.conversation[at] != 0 {
			order = append(order, at)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(d.source[a], d.source[b]), cmp.Compare(d.conversation[a], d.conversation[b]),
			cmp.Compare(d.event[a], d.event[b]), cmp.Compare(a, b))
	})
	for i := 1; i < len(order); i++ {
		before, after := order[i-1], order[i]
		if d.source[before] == d.source[after] && d.conversation[before] == d.conversation[after] {
			d.next[before] = uint32(p.first) + uint32(after) // #nosec G115 -- far fewer records
		}
	}
}
