// Package item is what the readers of formats make of files: records, one by one, and what they pass over.
package item

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// Records are those of one file, each valid until the next. A piece that is no record comes as an [UnusableError], after which there may
// be more; any other error is the last.
type Records = iter.Seq2[Item, error]

// Read yields what next returns after begin, until io.EOF or an error that is the last, as each error of begin is.
func Read[T any](begin func() error, next func() (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var one T
		err := begin()
		for last := err != nil; ; last = err != nil && !IsUnusable(err) {
			if err != nil && (errors.Is(err, io.EOF) || !yield(one, err)) || last {
				return
			}
			if one, err = next(); err == nil && !yield(one, nil) {
				return
			}
		}
	}
}

// Each yields what next returns, until io.EOF or an error that is the last.
func Each(next func() (Item, error)) Records {
	return Read(func() error { return nil }, next)
}

// One yields the record that a whole file is, and nothing after io.EOF.
func One(read func() (Item, error)) Records {
	return func(yield func(Item, error) bool) {
		if one, err := read(); !errors.Is(err, io.EOF) {
			yield(one, err)
		}
	}
}

// Failed are no records, because of an error.
func Failed(err error) Records { return func(yield func(Item, error) bool) { yield(Item{}, err) } }

// Shaped makes other records of those of a reader.
func Shaped(from Records, shape func(Item) (Item, error)) Records {
	return func(yield func(Item, error) bool) {
		for one, err := range from {
			if err == nil {
				one, err = shape(one)
			}
			if !yield(one, err) {
				return
			}
		}
	}
}

// UnusableError is a piece of a file that was passed over, or, when Line is 0, all of it or all of the rest.
type UnusableError struct {
	Line   int // counted from 1
	Reason string
}

func (u UnusableError) Error() string { return u.Reason }

// IsUnusable reports an [UnusableError].
func IsUnusable(err error) bool {
	_, ok := errors.AsType[UnusableError](err)
	return ok
}

// Unusable is an [UnusableError] of a piece that begins on a line.
func Unusable(line int, reason string, values ...any) error {
	return UnusableError{Line: line, Reason: fmt.Sprintf(reason, values...)}
}

// Reasons to pass over a piece of a file that is no record.
const (
	AboveHeader   = "above the header"
	HeaderAgain   = "the header again"
	HeaderAlone   = "a header without rows"
	AnotherHeader = "another header, which names the columns below it"
	TotalOfRows   = "a total of the rows above it"
	TotalBelow    = "a total below the table"
	BelowTable    = "below the table"
	AroundTable   = "around the table" // in which stream how many are
	Deleted       = "deleted in the mail program, which has not removed it yet"
	SameAs        = "the same as " // and what or where
)

// IsAside reports that nothing is lost by what was passed over for a reason.
func IsAside(reason string) bool {
	return strings.Contains(reason, AroundTable) || slices.Contains([]string{AboveHeader, HeaderAgain, HeaderAlone, AnotherHeader, TotalOfRows, TotalBelow, BelowTable, Deleted}, reason)
}

// IsEnd reports whether a file was read to its end, which may have come too early.
func IsEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// Reason is an error without the name of the file, which is said beside it.
func Reason(err error) string {
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		return of.Err.Error()
	}
	return err.Error()
}

// ByteOrderMark begins some files in UTF-8.
const ByteOrderMark = "\xef\xbb\xbf"

// Buffer reads a text behind its byte order mark, if it has one.
func Buffer(text io.Reader) *bufio.Reader {
	input := bufio.NewReaderSize(text, 1<<16)
	if start, _ := input.Peek(len(ByteOrderMark)); string(start) == ByteOrderMark {
		_, _ = input.Discard(len(ByteOrderMark)) // they are there
	}
	return input
}

// An Item is a record as it was found.
type Item struct {
	Line   int    // where it begins
	Number int    // its id when it has no other; the line if 0
	ID     string // empty: what the id field says
	Text   []byte // JSON; nil: made of the fields
	Fields []Field

	// Content tells two records of one id apart. Where it is known, a second record that differs is kept under an id of its own, and a record
	// of the same content is a copy.
	Content  string
	Attached []Item
	Blob     *model.Blob
	Day      string    // that the name of its file begins with, for a record that says no time; empty: none
	Emitted  time.Time // what the field of emission says; zero: unknown
	Place    string    // where a line beside a table stands, which is no row of it; empty: it is a record
	Note     string    // what it is without, though it is kept; empty: nothing
}

// Data is the record as a JSON object.
func (i Item) Data() json.RawMessage {
	if i.Text != nil {
		return bytes.Clone(i.Text)
	}
	size := len("{}")
	for _, one := range i.Fields {
		size += len(one.Name) + len(one.Value) + len(`"":,`)
	}
	text := append(make([]byte, 0, size), '{')
	for index, one := range i.Fields {
		if index > 0 {
			text = append(text, ',')
		}
		text = append(model.Quote(text, one.Name), ':')
		text = append(text, one.Value...)
	}
	return append(text, '}')
}

// Put adds a field, unless it is empty.
func (i *Item) Put(name string, value any) {
	switch v := value.(type) {
	case string:
		if v == "" {
			return
		}
	case []string:
		if len(v) == 0 {
			return
		}
	}
	i.Fields = append(i.Fields, Field{Name: name, Value: JSON(value)})
}

// Value is what a field holds.
func (i Item) Value(name string) (json.RawMessage, bool) {
	for _, one := range i.Fields {
		if one.Name == name {
			return one.Value, true
		}
	}
	return nil, false
}

// String is what a field holds that is a string, else nothing.
func (i Item) String(name string) string {
	if value, ok := i.Value(name); ok && value[0] == '"' {
		return model.Unquote(value)
	}
	return ""
}

// Replace gives a field another value.
func (i *Item) Replace(name string, value json.RawMessage) {
	for index := range i.Fields {
		if i.Fields[index].Name == name {
			i.Fields[index].Value = value
			i.Text = nil
		}
	}
}

// A Holder is how a field holds an object that becomes fields: as it is, or as all that is in a list.
type Holder byte

// The ways to hold an object; 0: none.
const (
	InField Holder = 1 + iota
	InList
)

// Unfold puts what objects hold in their place, by dotted names.
func (i *Item) Unfold(objects map[string]Holder) {
	if !slices.ContainsFunc(i.Fields, func(one Field) bool { return objects[one.Name] > 0 }) {
		return
	}
	var fields []Field
	for _, one := range i.Fields {
		if objects[one.Name] == InList && one.Value[0] == '[' {
			if object, ok := Only(one.Value); ok {
				one.Value = object
			}
		}
		switch {
		case objects[one.Name] == 0:
			fields = append(fields, one)
		case one.Value[0] != 'n':
			fields = append(fields, Unfold(one)...)
		}
	}
	i.Fields, i.Text = fields, nil
}

// TakeEmitted takes the time of emission out of the record.
func (i *Item) TakeEmitted(name string) {
	if _, ok := i.Value(name); !ok || name == "" {
		return
	}
	i.Emitted, _ = i.Instant(name)
	i.Fields = slices.DeleteFunc(i.Fields, func(one Field) bool { return one.Name == name })
	i.Text = nil
}

// Instant reads a field as a time.
func (i Item) Instant(field string) (time.Time, bool) { return model.ParseInstant(i.String(field)) }

// Identify settles the record's id: the id field when it is a string or a number, else the number of the line or item.
func (i *Item) Identify(field string) {
	if i.ID != "" {
		return
	}
	if i.Number == 0 {
		i.Number = i.Line
	}
	i.ID = strconv.Itoa(i.Number)
	value, ok := i.Value(field)
	if !ok {
		return
	}
	switch first := value[0]; {
	case first == '-' || first >= '0' && first <= '9':
		i.ID = string(value)
	case first == '"' && len(value) > 2:
		i.ID = model.Unquote(value)
	}
}

// Expression returns a regular expression that is compiled at its first use, so that the start of the program does not wait for it.
// It is not inlined, because each place would have a copy of what compiles it.
//
//go:noinline
func Expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// MaxBlob is how large a file may be that is kept to be fetched, in bytes. A larger one is only described.
const MaxBlob = 8 << 20

// A BlobReference is the value of a field that names a blob.
type BlobReference struct {
	BlobID    string `json:"blob_id"`
	MIMEType  string `json:"mime_type"`
	SizeBytes int    `json:"size_bytes"`
	SHA256    string `json:"sha256"`
	FetchURL  string `json:"fetch_url"`
}

// NewBlob keeps a file to be fetched.
func NewBlob(mimeType string, content []byte) (BlobReference, *model.Blob) {
	sum := sha256.Sum256(content)
	digest := hex.EncodeToString(sum[:])
	id := "blob_sha256_" + digest
	return BlobReference{id, mimeType, len(content), digest, "/v1/blobs/" + id}, &model.Blob{ID: id, MIMEType: mimeType, Bytes: content}
}
