// Package model defines the data of one person, as the importer reads it from files and the store keeps it.
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
	// Parts are the same records, grouped by the files that they come from. Nil: all records are one part.
	Parts []Part
	// LeftOut lists what could not be read and belongs to no part. It is complete once all records have been read. It may be nil.
	LeftOut func() []LeftOut
	// ReadAt is when the files were listed to be read; zero: not known.
	ReadAt time.Time
	// Public marks made-up data that is the same in every process. Its cursors are signed without a secret: one is valid in every process.
	Public bool
}

// A Part is a set of files that are read together: those of one stream and of the streams derived from it.
type Part struct {
	Name      string   // unique in the corpus
	Connector string   // key of its connector
	Files     string   // state of its files when they were read, to compare with at the next reading; see importer.Open
	Streams   []Stream // as described by its files, before relations are added
	Same      bool     // its files have not changed since the earlier reading
	Records   iter.Seq2[Record, error]
	LeftOut   func() []LeftOut // complete once its records have been read
}

// A LeftOut is a file that could not be read completely.
type LeftOut struct {
	ConnectionID string `json:"connection_id"`
	Stream       string `json:"stream,omitempty"` // of the file; empty: the file belongs to none
	File         string `json:"file"`             // path relative to the folder
	Pieces       int    `json:"pieces,omitempty"` // lines, rows, messages …; 0: the whole file
	Kept         int    `json:"kept,omitempty"`   // pieces that became records, but incomplete ones
	Aside        int    `json:"aside,omitempty"`  // pieces that are not meant to be records, such as lines above a header
	Line         int    `json:"line,omitempty"`   // of the first piece that is not aside, else of the first; 0: the file or its rest
	Reason       string `json:"reason"`           // why that piece was left out
	More         []Left `json:"more,omitempty"`   // the other pieces
}

// NoRecord is the reason of a file that is empty or has only a header.
const NoRecord = "it holds no record"

// Lost returns how many pieces are lost. It is also 0 if the whole file is.
func (l LeftOut) Lost() int { return l.Pieces - l.Kept - l.Aside }

// IsUnread reports a file of which nothing was read, although it may hold something.
func (l LeftOut) IsUnread() bool { return l.Pieces == 0 && l.Reason != NoRecord }

// A Left is one piece that was left out, and why.
type Left struct {
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

// A Connector is one kind of source, with the connections that a person has made to it.
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

// A Stream describes one kind of record of a connector, and which queries it supports.
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
	ForeignKey   string `json:"foreign_key"`   // field of the target that contains the id of the parent record
	Cardinality  string `json:"cardinality"`   // has_one or has_many
	DefaultLimit int    `json:"default_limit"` // of a has_many expansion; 0 for has_one, as MaxLimit is
	MaxLimit     int    `json:"max_limit"`
}

// Limits of a has_many expansion for which the manifest gives none.
const (
	DefaultExpandLimit = 10
	MaxExpandLimit     = 50
)

// HasMany returns the relation to those records of the stream target whose field key contains the id of a record.
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
	Fields       []Value         // decoded members of Data, valid until the next record is read; nil: not decoded
	Blob         *Blob           // the blob that its blob_ref names, if any
}

// A Value is one field of a record.
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

// Quote appends text, as a JSON string, to the slice to. Bytes that are not UTF-8 become U+FFFD.
func Quote(to []byte, text string) []byte {
	for index := range len(text) { // most texts need no escaping, and copying them takes a third of the time
		if one := text[index]; one < ' ' || one == '"' || one == '\\' || one >= utf8.RuneSelf {
			to, _ = jsontext.AppendQuote(to, text) // the only error is invalid UTF-8, which it has replaced
			return to
		}
	}
	return append(append(append(to, '"'), text...), '"')
}

// A Blob is the bytes that the blob_ref of a record names.
type Blob struct {
	ID       string // "blob_sha256_" and the hex digest of Bytes
	MIMEType string
	Bytes    []byte
}

// Field finds a declared field.
func (s Stream) Field(name string) (Field, bool) {
	return Find(s.Fields, func(f Field) bool { return f.Name == name })
}

var withoutSeparators = strings.NewReplacer(" ", "", "-", "", "_", "", ".", "")

// PlainName folds the name of a field for comparison: "Sent At", sent_at, sentAt and sent.at become sentat.
func PlainName(name string) string { return withoutSeparators.Replace(strings.ToLower(name)) }

// Find returns the first element of list that satisfies is.
func Find[T any](list []T, is func(T) bool) (one T, ok bool) {
	if at := slices.IndexFunc(list, is); at >= 0 {
		return list[at], true
	}
	return one, false
}
