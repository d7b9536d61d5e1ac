package search

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// Names of the tables of an index. The full-text table drops its shadow tables itself.
const (
	textTable     = "search_text"      // FTS5: rowid is the version of a record, column n the n-th searched field of its stream
	instanceTable = "search_instances" // fts5vocab: a row for each place where a term is
	wordTable     = "search_words"     // every term, with the count of records that have it
	documentTable = "search_documents" // what ranking needs to know about records, an array to a row
)

// create is the SQL that makes an empty index. Terms are folded before they come here, so the tokenizer only splits at spaces.
func create(columns int) string {
	names := make([]string, max(columns, 1))
	for i := range names {
		names[i] = columnName(i)
	}
	return fmt.Sprintf(`CREATE VIRTUAL TABLE %[1]s USING fts5(%[2]s, content='', columnsize=0, tokenize='ascii');
		CREATE VIRTUAL TABLE %[3]s USING fts5vocab(%[1]s, instance);
		CREATE TABLE %[4]s (term TEXT PRIMARY KEY, records INTEGER NOT NULL) WITHOUT ROWID;
		CREATE TABLE %[5]s (name TEXT PRIMARY KEY, bytes BLOB NOT NULL);`,
		textTable, strings.Join(names, ", "), instanceTable, wordTable, documentTable)
}

func columnName(i int) string { return fmt.Sprintf("c%d", i) }

// columnNumber reads a column's name: -1 if it is none.
func columnNumber(name []byte) int {
	if len(name) < 2 || name[0] != 'c' {
		return -1
	}
	n := 0
	for _, digit := range name[1:] {
		n = n*10 + int(digit-'0')
	}
	return n
}

// documents are what ranking needs to know about records, by version. Version 0 is no record.
type documents struct {
	source   []uint16 // number of the source; 0: there is no such record
	length   []uint16 // terms in all searched fields
	event    []int64  // when it happened, in microseconds since 1970
	previous []uint32 // version of the record before it in its conversation, 0 for none
	next     []uint32
}

// members names the arrays.
func (d *documents) members() []struct {
	name  string
	array any
} {
	return []struct {
		name  string
		array any
	}{{"source", &d.source}, {"length", &d.length}, {"event", &d.event}, {"next", &d.next}}
}

// An Index answers searches. It is safe for concurrent use.
type Index struct {
	db        *sql.DB
	documents documents
	languages []columnLanguages
}

// columnLanguages are the languages of one field of one source, with the count of texts that are recognizably in each.
type columnLanguages struct {
	Source, Column uint16
	Texts          [len(languages)]uint32
}

// Open reads the index of a loaded store.
func Open(ctx context.Context, db *sql.DB) (*Index, error) {
	x := &Index{db: db}
	for _, member := range x.documents.members() {
		if err := readArray(ctx, db, member.name, member.array); err != nil {
			return nil, err
		}
	}
	x.documents.previous = make([]uint32, len(x.documents.next))
	for version, next := range x.documents.next {
		if next != 0 {
			x.documents.previous[next] = uint32(version) // #nosec G115 -- far fewer records
		}
	}
	return x, readArray(ctx, db, "languages", &x.languages)
}

// readArray reads a stored array; a pointer to a slice of fixed-size values takes it.
func readArray(ctx context.Context, db *sql.DB, name string, array any) error {
	var stored []byte
	if err := db.QueryRowContext(ctx, "SELECT bytes FROM "+documentTable+" WHERE name = ?", name).Scan(&stored); err != nil {
		return fmt.Errorf("search index: %s: %w", name, err)
	}
	var err error
	switch array := array.(type) {
	case *[]uint16:
		*array = make([]uint16, len(stored)/2)
		_, err = binary.Decode(stored, binary.LittleEndian, *array)
	case *[]uint32:
		*array = make([]uint32, len(stored)/4)
		_, err = binary.Decode(stored, binary.LittleEndian, *array)
	case *[]int64:
		*array = make([]int64, len(stored)/8)
		_, err = binary.Decode(stored, binary.LittleEndian, *array)
	case *[]columnLanguages:
		*array = make([]columnLanguages, len(stored)/binary.Size(columnLanguages{}))
		_, err = binary.Decode(stored, binary.LittleEndian, *array)
	default:
		err = errors.New("unknown kind of array")
	}
	if err != nil {
		return fmt.Errorf("search index: %s: %w", name, err)
	}
	return nil
}
