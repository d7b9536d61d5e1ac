package search

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// A Document is a record as it is indexed.
type Document struct {
	Version      int64    // above that of every document added before
	Source       int      // number of its stream and connection, from 1
	Texts        []string // of the searched fields of its stream, in their order
	Event        int64    // when it happened, in microseconds since 1970, or NoTime
	Conversation uint64   // equal for records of a source that belong together; 0: it stands alone
}

// A Writer adds to the index of a store, part by part: documents that come and go together.
type Writer struct {
	part      *Part
	documents int          // that were added or placed
	places    placesWriter // of all terms; where not all documents are added, of those that were frequent
	all       bool         // the documents that are added are all that there are

	mu      sync.Mutex
	removed map[int64]bool        // versions
	records map[string]*termCount // only where not all documents are added
}

// A termCount is how many records more have a term, and the version of the one that was counted last.
type termCount struct {
	by   int
	last int64
}

// A Part is what ranking needs to know about documents whose versions follow one another.
type Part struct {
	first     int64
	documents documents                // by version, counted from first
	languages map[int]*columnLanguages // by source and column, in their order
}

// Create makes the empty tables of an index whose streams have at most so many searched fields.
func Create(ctx context.Context, db Database, columns int) error {
	_, err := db.ExecContext(ctx, create(columns))
	return err
}

// NewWriter adds documents to an index, in which none remain but these.
func NewWriter() *Writer {
	return &Writer{all: true, places: placesWriter{}, removed: map[int64]bool{}}
}

// AddTo adds documents to an index that is complete, and takes others out of it.
func AddTo(ctx context.Context, db Database) (*Writer, error) {
	w := &Writer{places: placesWriter{}, removed: map[int64]bool{}, records: map[string]*termCount{}}
	return w, Each(ctx, db, "SELECT term FROM "+frequentTable, nil, func(rows *sql.Rows) error {
		var term string
		err := rows.Scan(&term)
		w.places[term] = &places{}
		return err
	})
}

// InsertSQL is the statement that stores documents with so many texts, with the arguments of [Writer.Row].
func InsertSQL(texts int) string {
	return fmt.Sprintf("INSERT INTO %s (rowid%s) VALUES (?%s)", textTable, columnNames(texts), strings.Repeat(", ?", texts))
}

// RemoveSQL is the statement that takes out documents with so many texts, with the arguments of [Writer.Removed].
func RemoveSQL(texts int) string {
	return fmt.Sprintf("INSERT INTO %[1]s (%[1]s, rowid%s) VALUES ('delete', ?%s)", textTable, columnNames(texts),
		strings.Repeat(", ?", texts))
}

func columnNames(count int) string {
	var names strings.Builder
	for i := range count {
		names.WriteString(", " + columnName(i))
	}
	return names.String()
}

// Row notes what ranking needs to know about a document, and returns the arguments of the statement that [InsertSQL] spells: none if
// there is nothing to search in it.
func (w *Writer) Row(d Document) []any {
	if w.part == nil {
		w.part = &Part{first: d.Version, languages: map[int]*columnLanguages{}}
	}
	p, at := w.part, int(d.Version-w.part.first)
	p.documents.extend(at + 1)
	w.documents++
	row, split := splitTexts(d.Version, d.Texts)
	length := 0
	for i, terms := range split {
		length += len(terms)
		p.countLanguage(d.Source, i, terms)
		w.places.add(d.Version, i, terms, w.all)
	}
	w.count(d.Version, split, 1)
	p.documents.source[at] = uint16(d.Source) // #nosec G115 -- a store has far fewer sources
	p.documents.length[at] = uint16(min(length, math.MaxUint16))
	p.documents.event[at] = d.Event
	p.documents.conversation[at] = d.Conversation
	if len(d.Texts) == 0 {
		return nil
	}
	return row
}

// splitTexts returns the terms of texts, and the arguments of a statement that stores or removes them.
func splitTexts(version int64, texts []string) (row []any, split [][]string) {
	row, split = make([]any, 1, len(texts)+1), make([][]string, len(texts))
	row[0] = version
	for i, text := range texts {
		split[i] = textsOf(Terms(text))
		row = append(row, strings.Join(split[i], " "))
	}
	return row, split
}

// Removed notes that the document of a version goes, which had these texts. It may run beside [Writer.Row].
func (w *Writer) Removed(version int64, texts []string) []any {
	w.mu.Lock()
	w.removed[version] = true
	w.mu.Unlock()
	row, split := splitTexts(version, texts)
	w.count(version, split, -1)
	return row
}

// Place notes where the terms of a document are that is in the index already, for a writer of all documents.
func (w *Writer) Place(version int64, texts []string) {
	w.documents++
	for i, text := range texts {
		w.places.add(version, i, textsOf(Terms(text)), true)
	}
}

// count notes that the record of a version has the terms of its texts, or has them no more.
func (w *Writer) count(version int64, texts [][]string, by int) {
	if w.all {
		return // all are counted when they are there
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, terms := range texts {
		for _, t := range terms {
			count := w.records[t]
			if count == nil {
				count = &termCount{}
				w.records[strings.Clone(t)] = count // not all of the text that it is part of
			}
			if count.last != version {
				count.by, count.last = count.by+by, version
			}
		}
	}
}

// EndPart returns what [Writer.WritePart] writes: nil if there were no documents since the part before.
func (w *Writer) EndPart() *Part {
	p := w.part
	w.part = nil
	return p
}

// countLanguage notes which language a text is in, if one has more stop words in it than every other.
func (p *Part) countLanguage(source, column int, terms []string) {
	guess, most := guessLanguages(terms[:min(len(terms), 200)])
	if most < 2 || bits.OnesCount32(guess) != 1 {
		return
	}
	key := source<<16 | column
	if p.languages[key] == nil {
		p.languages[key] = &columnLanguages{Source: uint16(source), Column: uint16(column)} // #nosec G115 -- a store has far fewer
	}
	p.languages[key].Texts[bits.TrailingZeros32(guess)]++
}

// WritePart stores what ranking needs to know about a part. It may run beside [Writer.Row].
func (w *Writer) WritePart(ctx context.Context, db Database, p *Part) error {
	w.mu.Lock()
	for version := range w.removed {
		if at := version - p.first; at >= 0 && at < int64(len(p.documents.source)) {
			p.documents.source[at] = 0
		}
	}
	w.mu.Unlock()
	p.converse()
	languages := []columnLanguages{}
	for _, key := range slices.Sorted(maps.Keys(p.languages)) {
		languages = append(languages, *p.languages[key])
	}
	packed, err := binary.Append([]byte{}, binary.LittleEndian, languages)
	if err != nil {
		return fmt.Errorf("search index: languages: %w", err)
	}
	d := &p.documents
	_, err = db.ExecContext(ctx, "INSERT INTO "+documentTable+" (first, source, length, event, next, languages) VALUES (?, ?, ?, ?, ?, ?)",
		p.first, packArray(d.source), packArray(d.length), packArray(d.event), packArray(d.next), packed)
	return err
}

// RemovePart forgets what ranking needed to know about the part whose first version this was.
func RemovePart(ctx context.Context, db Database, first int64) error {
	_, err := db.ExecContext(ctx, "DELETE FROM "+documentTable+" WHERE first = ?", first)
	return err
}

// mergedPages is how much of what FTS5 wrote in pieces is put together after documents were added, so that no search reads many.
const mergedPages = 1000

// Finish writes what can be known only when every record is there.
func (w *Writer) Finish(ctx context.Context, db Database) error {
	if !w.all {
		return w.finishAdding(ctx, db)
	}
	const terms = "search_terms"
	if _, err := db.ExecContext(ctx, fmt.Sprintf(`INSERT INTO %[2]s (%[2]s) VALUES ('optimize');
		DELETE FROM %[3]s; DELETE FROM %[4]s;
		CREATE VIRTUAL TABLE %[1]s USING fts5vocab(%[2]s, row);
		INSERT INTO %[3]s (term, records) SELECT term, doc FROM %[1]s; DROP TABLE %[1]s`,
		terms, textTable, wordTable, frequentTable)); err != nil {
		return err
	}
	return w.writeFrequent(ctx, db)
}

func (w *Writer) finishAdding(ctx context.Context, db Database) error {
	if _, err := db.ExecContext(ctx, fmt.Sprintf("INSERT INTO %[1]s (%[1]s, rank) VALUES ('merge', %[2]d)", textTable,
		mergedPages)); err != nil {
		return err
	}
	for _, term := range slices.Sorted(maps.Keys(w.records)) {
		if by := w.records[term].by; by != 0 {
			if _, err := db.ExecContext(ctx, "INSERT INTO "+wordTable+" (term, records) VALUES (?1, ?2) ON CONFLICT (term) DO UPDATE SET "+
				"records = records + ?2", term, by); err != nil {
				return err
			}
		}
	}
	if _, err := db.ExecContext(ctx, "DELETE FROM "+wordTable+" WHERE records <= 0"); err != nil {
		return err
	}
	return w.addFrequent(ctx, db)
}

// converse finds the neighbors of each document: the ones before and after it in time, in the same conversation.
func (p *Part) converse() {
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

// Which terms have their places stored beside FTS5.
const (
	frequentShare = 10  // those in more than one record of so many
	frequentLeast = 200 // but in no fewer records than this
)

// writeFrequent stores the places of frequent terms.
func (w *Writer) writeFrequent(ctx context.Context, db Database) error {
	least := max(w.documents/frequentShare, frequentLeast)
	for term, p := range w.places {
		if p.records < least {
			continue
		}
		p.flush()
		if _, err := db.ExecContext(ctx, "INSERT INTO "+frequentTable+" (term, places) VALUES (?, ?)", term, p.bytes); err != nil {
			return err
		}
	}
	return nil
}

// addFrequent puts what came to the stored places of frequent terms, and takes out what went. A term that became frequent is read from
// FTS5.
func (w *Writer) addFrequent(ctx context.Context, db Database) error {
	first, last := int64(math.MaxInt64), int64(0)
	for version := range w.removed {
		first, last = min(first, version), max(last, version)
	}
	gone := func(version int64) bool { return version >= first && version <= last && w.removed[version] }
	for term, more := range w.places {
		var stored []byte
		if err := Each(ctx, db, "SELECT places FROM "+frequentTable+" WHERE term = ?", []any{term},
			func(rows *sql.Rows) error { return rows.Scan(&stored) }); err != nil {
			return err
		}
		more.flush()
		var all places
		all.keep(stored, gone)
		all.keep(more.bytes, gone)
		if bytes.Equal(all.bytes, stored) {
			continue
		}
		if _, err := db.ExecContext(ctx, "UPDATE "+frequentTable+" SET places = ? WHERE term = ?", all.bytes, term); err != nil {
			return err
		}
	}
	return nil
}
