// Package item defines what the readers of formats produce: the records of a file, one by one, and the pieces that they skip.
package item

import (
	"bufio"
	"bytes"
	"cmp"
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

// Records are those of one file, each valid until the next. A piece that is not a record comes as an [UnusableError], after which there may
// be more; any other error is the last.
type Records = iter.Seq2[Item, error]

// Read calls begin, then yields what next returns until io.EOF or a final error. An error of begin is final, and so is one of next unless
// it is an [UnusableError].
func Read[T any](begin func() error, next func() (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		if err := begin(); err != nil {
			if !errors.Is(err, io.EOF) {
				yield(*new(T), err)
			}
			return
		}
		for {
			one, err := next()
			if errors.Is(err, io.EOF) || !yield(one, err) || err != nil && !IsUnusable(err) {
				return
			}
		}
	}
}

// Each yields what next returns until io.EOF or a final error.
func Each(next func() (Item, error)) Records {
	return Read(func() error { return nil }, next)
}

// One yields the single record of a file, or nothing if read returns io.EOF.
func One(read func() (Item, error)) Records {
	return func(yield func(Item, error) bool) {
		if one, err := read(); !errors.Is(err, io.EOF) {
			yield(one, err)
		}
	}
}

// Failed yields an error and no records.
func Failed(err error) Records { return func(yield func(Item, error) bool) { yield(Item{}, err) } }

// Shaped replaces each record by what shape returns for it.
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

// UnusableError is a skipped piece of a file or, if Line is 0, the whole file or the rest of it.
type UnusableError struct {
	Line   int // counted from 1
	Reason string
}

func (u UnusableError) Error() string { return u.Reason }

// IsUnusable reports whether err is an [UnusableError].
func IsUnusable(err error) bool {
	_, ok := errors.AsType[UnusableError](err)
	return ok
}

// Unusable returns an [UnusableError] for a piece that begins on a line. The reason is a format for fmt.Sprintf.
func Unusable(line int, reason string, values ...any) error {
	return UnusableError{Line: line, Reason: fmt.Sprintf(reason, values...)}
}

// Reasons to skip a piece of a file that is not a record.
const (
	AboveHeader   = "above the header"
	HeaderAgain   = "the header again"
	HeaderAlone   = "a header without rows"
	AnotherHeader = "another header, which names the columns below it"
	TotalOfRows   = "a total of the rows above it"
	TotalBelow    = "a total below the table"
	BelowTable    = "below the table"
	AroundTable   = "around the table" // in a note of how many such lines there are
	Deleted       = "deleted in the mail program, which has not removed it yet"
	SameAs        = "the same as " // followed by what or where
)

// IsAside reports that nothing is lost by skipping a piece for this reason.
func IsAside(reason string) bool {
	aside := []string{AboveHeader, HeaderAgain, HeaderAlone, AnotherHeader, TotalOfRows, TotalBelow, BelowTable, Deleted}
	return strings.Contains(reason, AroundTable) || slices.Contains(aside, reason)
}

// IsEnd reports whether a file was read to its end, which may have come too early.
func IsEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// Reason returns the text of an error without the name of the file, which callers show next to it.
func Reason(err error) string {
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		return of.Err.Error()
	}
	return err.Error()
}

// ByteOrderMark is the byte order mark of UTF-8, with which some files begin.
const ByteOrderMark = "\xef\xbb\xbf"

// Buffer returns a buffered reader of a text, after its byte order mark if it has one.
func Buffer(text io.Reader) *bufio.Reader {
	input := bufio.NewReaderSize(text, 1<<16)
	if start, _ := input.Peek(len(ByteOrderMark)); string(start) == ByteOrderMark {
		_, _ = input.Discard(len(ByteOrderMark)) // cannot fail after Peek
	}
	return input
}

// An Item is a record as its reader found it.
type Item struct {
	Line   int    // where it begins
	Number int    // id of a record without another one; 0: the line
	ID     string // empty: the value of the id field
	Text   []byte // JSON; nil: made from the fields
	Fields []Field

	// Content tells two records with the same id apart. If it is set, a second record with the same content is a copy, and one with another
	// content is kept under another id.
	Content  string
	Attached []Item
	Blob     *model.Blob
	Day      string    // date at the start of the file name, for a record without a time; empty: none
	Emitted  time.Time // value of the field with the time of emission; zero: unknown
	Place    string    // where a line around a table is, such as BelowTable; empty: the item is a record
	Note     string    // what a kept record is without; empty: nothing
}

// Data returns the record as a JSON object.
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

// Put adds a field, unless its value is an empty string or an empty list of strings.
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

// Value returns the value of a field, and whether the record has the field.
func (i Item) Value(name string) (json.RawMessage, bool) {
	for _, one := range i.Fields {
		if one.Name == name {
			return one.Value, true
		}
	}
	return nil, false
}

// String returns the value of a field that is a string, else "".
func (i Item) String(name string) string {
	if value, ok := i.Value(name); ok && value[0] == '"' {
		return model.Unquote(value)
	}
	return ""
}

// Replace changes the value of a field. It does not add the field.
func (i *Item) Replace(name string, value json.RawMessage) {
	for index := range i.Fields {
		if i.Fields[index].Name == name {
			i.Fields[index].Value = value
			i.Text = nil
		}
	}
}

// A Holder is how a field has an object that becomes fields: as its value, or as the only element of a list.
type Holder byte

// The ways to have such an object; 0: the field has none.
const (
	InField Holder = 1 + iota
	InList
)

// Unfold replaces objects by their members, with dotted names.
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

// TakeEmitted moves the time of emission from a field to Emitted.
func (i *Item) TakeEmitted(name string) {
	if _, ok := i.Value(name); !ok || name == "" {
		return
	}
	i.Emitted, _ = i.Instant(name)
	i.Fields = slices.DeleteFunc(i.Fields, func(one Field) bool { return one.Name == name })
	i.Text = nil
}

// Instant parses the value of a field as a time.
func (i Item) Instant(field string) (time.Time, bool) { return model.ParseInstant(i.String(field)) }

// Identify sets the id of a record that has none: the value of the id field if that is a string or a number, else otherwise or, if that is
// empty, the number of the line or item.
func (i *Item) Identify(field, otherwise string) {
	if i.ID != "" {
		return
	}
	if i.Number == 0 {
		i.Number = i.Line
	}
	i.ID = cmp.Or(otherwise, strconv.Itoa(i.Number))
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

// Expression returns a regular expression that is compiled on first use, so that the start of the program does not wait for it.
// It is not inlined, because each call would then have a copy of the code that compiles the expression.
//
//go:noinline
func Expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// MaxBlob is the largest size of a file that is kept to be fetched, in bytes. A larger file is only described.
const MaxBlob = 8 << 20

// A BlobReference is the value of a field that names a blob.
type BlobReference struct {
	BlobID    string `json:"blob_id"`
	MIMEType  string `json:"mime_type"`
	SizeBytes int    `json:"size_bytes"`
	SHA256    string `json:"sha256"`
	FetchURL  string `json:"fetch_url"`
}

// NewBlob returns a blob of the content, to be fetched later, and a reference to it.
func NewBlob(mimeType string, content []byte) (BlobReference, *model.Blob) {
	sum := sha256.Sum256(content)
	digest := hex.EncodeToString(sum[:])
	id := "blob_sha256_" + digest
	return BlobReference{id, mimeType, len(content), digest, "/v1/blobs/" + id}, &model.Blob{ID: id, MIMEType: mimeType, Bytes: content}
}
