package search

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
)

// NoTime is the event of a record of which nobody knows when it happened. It comes after all others.
const NoTime = math.MinInt64

// A Document is a record as it is indexed.
type Document struct {
	Version      int64    // above that of every document added before
	Source       int      // number of its stream and connection, from 1
	Texts        []string // of the searched fields of its stream, in their order
	Event        int64    // when it happened, in microseconds since 1970, or NoTime
	Conversation uint64   // equal for records of a source that belong together; 0: it stands alone
}

// A Writer makes the index of a store that is being loaded.
type Writer struct {
	documents     documents
	conversations []uint64
	languages     map[[2]uint16]*columnLanguages
	places        placesWriter
	removed       []int64 // versions
}

// NewWriter makes the empty tables of an index whose streams have at most so many searched fields.
func NewWriter(ctx context.Context, db *sql.DB, columns int) (*Writer, error) {
	w := &Writer{languages: map[[2]uint16]*columnLanguages{}, places: placesWriter{}}
	_, err := db.ExecContext(ctx, create(columns))
	return w, err
}

// InsertSQL is the statement that [Writer.Add] runs for documents with so many texts.
func InsertSQL(texts int) string {
	return fmt.Sprintf("INSERT INTO %s (rowid%s) VALUES (?%s)", textTable, columnNames(texts), strings.Repeat(", ?", texts))
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
	for int64(len(w.documents.source)) <= d.Version {
		w.documents.source = append(w.documents.source, 0)
		w.documents.length = append(w.documents.length, 0)
		w.documents.event = append(w.documents.event, 0)
		w.conversations = append(w.conversations, 0)
	}
	row, length := make([]any, 1, len(d.Texts)+1), 0
	row[0] = d.Version
	for i, text := range d.Texts {
		terms := Terms(text)
		length += len(terms)
		row = append(row, joinTerms(terms))
		w.countLanguage(d.Source, i, terms)
		w.places.add(d.Version, i, terms)
	}
	w.documents.source[d.Version] = uint16(d.Source) // #nosec G115 -- a store has far fewer sources
	w.documents.length[d.Version] = uint16(min(length, math.MaxUint16))
	w.documents.event[d.Version] = d.Event
	w.conversations[d.Version] = d.Conversation
	if len(d.Texts) == 0 {
		return nil
	}
	return row
}

// countLanguage notes which language a text is in, if one has more stop words in it than every other.
func (w *Writer) countLanguage(source, column int, terms []Term) {
	var counts [len(languages)]int
	for _, t := range terms[:min(len(terms), 200)] {
		for i, bits := 0, stopLanguages[t.Text]; bits != 0; i, bits = i+1, bits>>1 {
			counts[i] += int(bits & 1)
		}
	}
	best, second := 0, 0
	for i, n := range counts {
		if n > counts[best] {
			best = i
		}
	}
	for i, n := range counts {
		if i != best {
			second = max(second, n)
		}
	}
	if counts[best] < 2 || counts[best] == second {
		return
	}
	key := [2]uint16{uint16(source), uint16(column)} // #nosec G115 -- a store has far fewer sources and columns
	if w.languages[key] == nil {
		w.languages[key] = &columnLanguages{Source: key[0], Column: key[1]}
	}
	w.languages[key].Texts[best]++
}

// Remove takes the document of a version out, which had these texts. It may run beside [Writer.Row].
func (w *Writer) Remove(ctx context.Context, tx *sql.Tx, version int64, texts []string) error {
	w.removed = append(w.removed, version)
	if len(texts) == 0 {
		return nil
	}
	row := []any{version}
	for _, text := range texts {
		row = append(row, IndexedText(text))
	}
	_, err := tx.ExecContext(ctx, fmt.Sprintf("INSERT INTO %[1]s (%[1]s, rowid%s) VALUES ('delete', ?%s)", textTable, columnNames(len(texts)),
		strings.Repeat(", ?", len(texts))), row...)
	return err
}

// Finish writes what can be known only when every record is there.
func (w *Writer) Finish(ctx context.Context, db *sql.DB) error {
	for _, version := range w.removed {
		w.documents.source[version] = 0
	}
	w.converse()
	if _, err := db.ExecContext(ctx, fmt.Sprintf(`INSERT INTO %[1]s (%[1]s) VALUES ('optimize')`, textTable)); err != nil {
		return err
	}
	const terms = "search_terms"
	if _, err := db.ExecContext(ctx, fmt.Sprintf(`CREATE VIRTUAL TABLE %[1]s USING fts5vocab(%[2]s, row);
		INSERT INTO %[3]s (term, records) SELECT term, doc FROM %[1]s; DROP TABLE %[1]s`, terms, textTable, wordTable)); err != nil {
		return err
	}
	if err := w.writeFrequent(ctx, db); err != nil {
		return err
	}
	languages := []columnLanguages{}
	for _, one := range w.languages {
		languages = append(languages, *one)
	}
	slices.SortFunc(languages, func(a, b columnLanguages) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Column, b.Column))
	})
	packed, err := binary.Append([]byte{}, binary.LittleEndian, languages)
	if err != nil {
		return fmt.Errorf("search index: languages: %w", err)
	}
	d := &w.documents
	for name, bytes := range map[string][]byte{
		"source": packArray(d.source), "length": packArray(d.length), "event": packArray(d.event), "next": packArray(d.next), "languages": packed,
	} {
		if _, err := db.ExecContext(ctx, "INSERT INTO "+documentTable+" (name, bytes) VALUES (?, ?)", name, bytes); err != nil {
			return err
		}
	}
	return nil
}

// converse finds the neighbors of each document: the ones before and after it in time, in the same conversation.
func (w *Writer) converse() {
	d := &w.documents
	d.next = make([]uint32, len(d.source))
	var order []uint32
	for version, source := range d.source {
		if source != 0 && w.conversations[version] != 0 {
			order = append(order, uint32(version)) // #nosec G115 -- far fewer records
		}
	}
	slices.SortFunc(order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(d.source[a], d.source[b]), cmp.Compare(w.conversations[a], w.conversations[b]),
			cmp.Compare(d.event[a], d.event[b]), cmp.Compare(a, b))
	})
	for i := 1; i < len(order); i++ {
		before, after := order[i-1], order[i]
		if d.source[before] == d.source[after] && w.conversations[before] == w.conversations[after] {
			d.next[before] = after
		}
	}
}
