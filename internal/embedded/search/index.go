package search

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Names of the tables of an index.
const (
	segmentTable  = "search_segments"  // segments, by their first version
	placeTable    = "search_places"    // where the terms of a segment occur, one row per term
	wordTable     = "search_words"     // every term, with the number of records that have it
	documentTable = "search_documents" // data of records for ranking, one row per part
)

// Create is the SQL that creates an empty index. The rows of a segment are adjacent, because they are written and removed together.
const Create = "CREATE TABLE " + segmentTable + " (first INTEGER PRIMARY KEY);" +
	"CREATE TABLE " + placeTable + ` (first INTEGER, term TEXT, records INTEGER NOT NULL, places BLOB NOT NULL, positions BLOB NOT NULL,
		PRIMARY KEY (first, term)) WITHOUT ROWID;
	CREATE TABLE ` + wordTable + " (term TEXT PRIMARY KEY, records INTEGER NOT NULL) WITHOUT ROWID;" +
	"CREATE TABLE " + documentTable + " (first INTEGER PRIMARY KEY, source BLOB, length BLOB, event BLOB, next BLOB, languages TEXT)"

// documents has the data of records for ranking, by version. No record has version 0.
type documents struct {
	source   []uint16 // number of the source; 0: there is no such record
	length   []uint16 // terms in all searched fields
	event    []int64  // when it happened, in microseconds since 1970
	next     []uint32 // version of the record after it in its conversation, 0 for none
	previous []uint32 // of the record before it; only in an open index

	conversation []uint64 // equal for records of a conversation; only while they are written
}

// An Index answers searches. It is safe for concurrent use.
type Index struct {
	db        *sql.DB
	documents documents
	languages map[[2]int][len(languages)]int // texts of a source and column that are recognizably in each language
}

// columnLanguages has these counts for one part, one source and one column.
type columnLanguages struct {
	Source, Column int
	Texts          [len(languages)]int
}

// Open reads the index of a loaded store.
func Open(ctx context.Context, db *sql.DB) (*Index, error) {
	x := &Index{db: db, languages: map[[2]int][len(languages)]int{}}
	d := &x.documents
	err := Each(ctx, db, "SELECT first, source, length, event, next, languages FROM "+documentTable+" ORDER BY first", nil,
		func(rows *sql.Rows) error {
			var first int
			var source, length, event, next, languages sql.RawBytes
			if err := rows.Scan(&first, &source, &length, &event, &next, &languages); err != nil {
				return err
			}
			d.extend(first)
			var some []columnLanguages
			err := json.Unmarshal(languages, &some)
			for _, one := range some {
				texts := x.languages[[2]int{one.Source, one.Column}]
				for i, n := range one.Texts {
					texts[i] += n
				}
				x.languages[[2]int{one.Source, one.Column}] = texts
			}
			return errors.Join(err, unpackArray(source, &d.source), unpackArray(length, &d.length), unpackArray(event, &d.event),
				unpackArray(next, &d.next))
		})
	if err != nil {
		return nil, fmt.Errorf("search index: %w", err)
	}
	d.extend(1)
	size := len(d.source)
	if len(d.length) != size || len(d.event) != size || len(d.next) != size || int64(slices.Max(d.next)) >= int64(size) {
		return nil, fmt.Errorf("search index: %w", errDamaged)
	}
	d.previous = make([]uint32, size)
	for version, next := range d.next {
		if next != 0 {
			d.previous[next] = uint32(version) // #nosec G115 -- far fewer records
		}
	}
	return x, nil
}

// extend grows the arrays to the length to. The added versions have no record.
func (d *documents) extend(to int) {
	more := max(to-len(d.source), 0)
	d.source = append(d.source, make([]uint16, more)...)
	d.length = append(d.length, make([]uint16, more)...)
	d.event = append(d.event, make([]int64, more)...)
	d.next = append(d.next, make([]uint32, more)...)
	d.conversation = append(d.conversation, make([]uint64, more)...)
}

// Has reports whether a source has a record with a version.
func (x *Index) Has(version int64, source int) bool {
	return version < int64(len(x.documents.source)) && int(x.documents.source[version]) == source
}

// packArray encodes each value as its difference to the one before, a varint.
func packArray[N uint16 | uint32 | int64](array []N) []byte {
	packed := make([]byte, 0, 2*len(array))
	var last int64
	for _, n := range array {
		packed = binary.AppendVarint(packed, int64(n)-last)
		last = int64(n)
	}
	return packed
}

var errDamaged = errors.New("is damaged")

func unpackArray[N uint16 | uint32 | int64](stored []byte, array *[]N) error {
	var last int64
	for len(stored) > 0 {
		step, size := binary.Varint(stored)
		if size <= 0 {
			return errDamaged
		}
		last += step
		*array = append(*array, N(last))
		stored = stored[size:]
	}
	return nil
}

// A Database is the database of an index, or a transaction.
type Database interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

// Each runs a query and scans its rows, one by one. The SQL may contain names of tables and columns, but no values: those are arguments.
func Each(ctx context.Context, db Database, query string, args []any, scan func(*sql.Rows) error) (err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// NoTime is the event of a record whose time is unknown. It sorts last, since the latest records come first.
const NoTime = math.MinInt64
