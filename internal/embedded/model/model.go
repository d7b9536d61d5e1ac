// Package model is the data of one person as the importer reads it from files and as the store keeps it.
package model

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A Corpus is the data of one person: what the embedded resource server serves.
type Corpus struct {
	Connectors []Connector
	// Records yields every record once, in the order in which they were emitted. Loading stops at the first error.
	Records iter.Seq2[Record, error]
	// Parts are the same records by the files that they come from. Nil: all are one part.
	Parts []Part
	// LeftOut lists what could not be read and belongs to no part, once all records have been read. It may be nil.
	LeftOut func() []LeftOut
	// ReadAt is when its files were found as they are read; zero: not known.
	ReadAt time.Time
	// Public says that these are made-up data, the same in every process: cursors are signed without a secret, so that one is good in all.
	Public bool
}

// A Part is files that are read together: those of one stream, and of what hangs on it.
type Part struct {
	Name      string   // unique in the corpus
	Connector string   // its key
	Files     string   // what its files were when they were read, for the next reading to compare with; see importer.Reopen
	Streams   []Stream // as its files show them, before relations
	Same      bool     // its files are as they were known to be
	Records   iter.Seq2[Record, error]
	LeftOut   func() []LeftOut // once its records have been read
}

// A LeftOut is a file of which something could not be read.
type LeftOut struct {
	ConnectionID string `json:"connection_id"`
	Stream       string `json:"stream,omitempty"` // that the file belongs to; empty: to none
	File         string `json:"file"`             // path from the folder
	Pieces       int    `json:"pieces,omitempty"` // lines, rows, messages …; 0: the whole file
	Kept         int    `json:"kept,omitempty"`   // of the pieces, those that are records, without something
	Aside        int    `json:"aside,omitempty"`  // of the pieces, those that are no records, such as lines above a header
	Line         int    `json:"line,omitempty"`   // of the first that is not one of those, or of the first
	Reason       string `json:"reason"`           // of that
	More         []Left `json:"more,omitempty"`   // of the others
}

// NoRecord is the reason of a file that is empty, or has a header alone.
const NoRecord = "it holds no record"

// Lost is how many pieces are lost; 0 as well if it is the whole file.
func (l LeftOut) Lost() int { return l.Pieces - l.Kept - l.Aside }

// A Left is where a piece was left out, and why.
type Left struct {
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

// A Connector is one kind of source, with the connections a person has made to it.
type Connector struct {
	Key         string       `json:"key"`       // short key, e.g. "gmail"
	SourceID    string       `json:"source_id"` // URL-shaped source id, e.g. "https://registry.pdpp.example/connectors/gmail"
	Connections []Connection `json:"connections"`
	Streams     []Stream     `json:"streams"`
}

// A Connection is one configured account of a connector.
type Connection struct {
	ID          string `json:"id"`           // e.g. "cin_mail_work"
	DisplayName string `json:"display_name"` // e.g. "Work mail"
}

// A Stream describes one kind of record of a connector, and what may be asked of it.
type Stream struct {
	Name             string     `json:"name"`
	PrimaryKey       []string   `json:"primary_key"`
	CursorField      string     `json:"cursor_field"`       // the field records are sorted by, newest first; empty: emitted_at
	ConsentTimeField string     `json:"consent_time_field"` // the field that a grant's time bound applies to; empty: emitted_at
	Fields           []Field    `json:"fields"`
	Views            []View     `json:"views"`
	Relations        []Relation `json:"relations"`
}

// A Field is one top-level field of a stream's records.
type Field struct {
	Name         string   `json:"name"`
	Type         string   `json:"type"` // string, text, integer, number, boolean, timestamp, date, local_time, array, object or blob
	Nullable     bool     `json:"nullable"`
	Role         string   `json:"role"`         // "", primary-title, secondary, event-time or actor
	Exact        bool     `json:"exact"`        // filter[field]=value
	Range        bool     `json:"range"`        // filter[field][gte|gt|lte|lt]=value
	Lexical      bool     `json:"lexical"`      // full-text searched
	Aggregations []string `json:"aggregations"` // of sum, min, max, count_distinct, group_by, group_by_time
}

// A View is a named list of fields.
type View struct {
	ID     string   `json:"id"`
	Label  string   `json:"label"`
	Fields []string `json:"fields"`
}

// A Relation leads from a record to records of another stream of the same connection.
type Relation struct {
	Name         string `json:"name"`
	Target       string `json:"stream"`        // stream name
	ForeignKey   string `json:"foreign_key"`   // field of the target (has_many, has_one) that holds the parent's record id
	Cardinality  string `json:"cardinality"`   // has_one or has_many
	DefaultLimit int    `json:"default_limit"` // of a has_many expansion, 0 for has_one; so is MaxLimit
	MaxLimit     int    `json:"max_limit"`
}

// Limits of a has_many expansion that a manifest does not state.
const (
	DefaultExpandLimit = 10
	MaxExpandLimit     = 50
)

// HasMany is the relation to the records of a stream that hold the id of one in a field.
func HasMany(name, target, key string) Relation {
	return Relation{
		Name: name, Target: target, ForeignKey: key, Cardinality: "has_many", DefaultLimit: DefaultExpandLimit, MaxLimit: MaxExpandLimit,
	}
}

// A Record is one item of a stream under one connection. Its id is unique within stream and connection only.
type Record struct {
	ConnectionID string
	Stream       string
	ID           string
	EmittedAt    time.Time       // zero: not known
	Data         json.RawMessage // an object
	Fields       []Value         // those of Data, until the next record is asked for; nil: not known yet
	Blob         *Blob           // what its blob_ref names, if it has one
}

// A Value is what a record has in one of its fields.
type Value struct {
	Name  string
	Value []byte // JSON
}

// Unquote decodes a JSON string that is known to be valid.
func Unquote(quoted []byte) string {
	if inner := quoted[1 : len(quoted)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	var text string
	_ = json.Unmarshal(quoted, &text) // valid
	return text
}

// Quote writes a text as a JSON string. Bytes that are not UTF-8 become U+FFFD.
func Quote(to []byte, text string) []byte {
	for index := range len(text) { // most are written as they are, which takes a third of the time
		if one := text[index]; one < ' ' || one == '"' || one == '\\' || one >= utf8.RuneSelf {
			to, _ = jsontext.AppendQuote(to, text) // an error says that there was no UTF-8
			return to
		}
	}
	return append(append(append(to, '"'), text...), '"')
}

// A Blob is bytes that a record's blob_ref names.
type Blob struct {
	ID       string // "blob_sha256_" and the hex digest of Bytes
	MIMEType string
	Bytes    []byte
}

// Field finds a declared field.
func (s Stream) Field(name string) (Field, bool) {
	return Find(s.Fields, func(f Field) bool { return f.Name == name })
}

var withoutSigns = strings.NewReplacer(" ", "", "-", "", "_", "", ".", "")

// PlainName is the name of a field as lists of likely ones write it: "Sent At", sent_at, sentAt and sent.at are sentat.
func PlainName(name string) string { return withoutSigns.Replace(strings.ToLower(name)) }

// Find returns the first of a list that is looked for.
func Find[T any](list []T, is func(T) bool) (one T, ok bool) {
	if at := slices.IndexFunc(list, is); at >= 0 {
		return list[at], true
	}
	return one, false
}
