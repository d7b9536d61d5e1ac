package objects

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// An arrayReader reads JSON objects in an array, or in an array that is a field of an object. Which field that is shows only at the end of
// the file, so such a file is read twice; neither time is more than one item in memory.
type arrayReader struct {
	file    io.ReadSeeker
	fields  []string // of which the first that there is is read
	input   *countedInput
	decoder *json.Decoder
	parser  *item.Parser
	number  int
	begun   bool
	ended   bool
	single  bool                 // the object is the only record
	others  []item.UnusableError // arrays that are not read
}

// NewArray reads JSON objects in an array of the file, which is read twice: the array itself, or the one in a field of an object. Of
// several the first of the named ones is read or, if none has such a name, the one with the most items. An object without an array is one
// record.
func NewArray(file io.ReadSeeker, fields ...string) item.Reader {
	return &arrayReader{file: file, fields: fields, parser: item.NewParser()}
}

// A countedInput refuses to be read on for longer than a value may be, and knows where lines end.
type countedInput struct {
	input io.Reader
	left  int     // bytes until it refuses
	read  int64   // bytes so far
	ends  []int64 // of lines, after what was asked for last
	line  int
}

func (c *countedInput) Read(into []byte) (int, error) {
	if c.left <= 0 {
		return 0, item.ErrTooLong
	}
	count, err := c.input.Read(into[:min(len(into), c.left)])
	for index, one := range into[:count] {
		if one == '\n' {
			c.ends = append(c.ends, c.read+int64(index))
		}
	}
	c.left -= count
	c.read += int64(count)
	return count, err
}

func (c *countedInput) refill() { c.left = item.MaxLine + 1<<16 }

// lineAt is the line of a place that is not before the one asked for last.
func (c *countedInput) lineAt(offset int64) int {
	for len(c.ends) > 0 && c.ends[0] < offset {
		c.ends = c.ends[1:]
		c.line++
	}
	return c.line + 1
}

// rewind begins the file again.
func (r *arrayReader) rewind() error {
	if _, err := r.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	var mark [len(item.ByteOrderMark)]byte
	if count, _ := io.ReadFull(r.file, mark[:]); string(mark[:count]) != item.ByteOrderMark {
		if _, err := r.file.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
	r.input = &countedInput{input: r.file}
	r.input.refill()
	r.decoder = json.NewDecoder(r.input)
	return nil
}

// enter goes into the array of the file.
func (r *arrayReader) enter() error {
	if err := r.rewind(); err != nil {
		return err
	}
	start, err := r.decoder.Token()
	switch {
	case errors.Is(err, io.EOF):
		return io.EOF // an empty file
	case err != nil:
		return r.stop("not JSON: " + why(err))
	case start == json.Delim('['):
		return nil
	case start != json.Delim('{'):
		return r.stop("neither a JSON array nor an object")
	}
	field, err := r.choose()
	if err != nil {
		return err
	}
	if err := r.rewind(); err != nil {
		return err
	}
	if r.single {
		return nil
	}
	_, _ = r.decoder.Token() // the object, as before
	return r.walk(field, nil)
}

// choose finds the field of the object whose array has the most items.
func (r *arrayReader) choose() (string, error) {
	longest, most := "", -1
	var found []string
	err := r.walk("", func(name string, items int) {
		if items > most {
			longest, most = name, items
		}
		found = append(found, name)
	})
	only := ", the one with the most items,"
	if at := slices.IndexFunc(r.fields, func(name string) bool { return slices.Contains(found, name) }); at >= 0 {
		longest, only = r.fields[at], ""
	}
	switch {
	case most >= 0: // a file that is broken later on is read until there
		r.ended = false
	case err != nil:
		return "", err
	default:
		r.single = true
	}
	for _, name := range found {
		if name != longest && !strings.HasPrefix(name, "@") { // as in "@context", which says what the names mean
			r.others = append(r.others, item.UnusableError{Line: 1, Reason: fmt.Sprintf("the field %q is an array too; only %q%s is loaded", utf8text.OneLine(name), utf8text.OneLine(longest), only)})
		}
	}
	return longest, nil
}

// walk passes over the fields of an object, and tells of each that is an array. It stops inside the one that is wanted.
func (r *arrayReader) walk(wanted string, array func(name string, items int)) error {
	for {
		r.input.refill()
		key, err := r.decoder.Token()
		if err != nil {
			return r.stop("not JSON: " + why(err))
		}
		if key == json.Delim('}') {
			return nil
		}
		start, err := r.decoder.Token()
		if err != nil {
			return r.stop("not JSON: " + why(err))
		}
		if start != json.Delim('{') && start != json.Delim('[') {
			continue
		}
		name, _ := key.(string) // which keys of objects are
		isArray := start == json.Delim('[')
		if isArray && array == nil && name == wanted {
			return nil
		}
		items, err := r.leave()
		if isArray && array != nil {
			array(name, items)
		}
		if err != nil {
			return r.stop("not JSON: " + why(err))
		}
	}
}

// leave passes over the rest of an array or object, and counts what is directly in it.
func (r *arrayReader) leave() (items int, err error) {
	for depth := 1; depth > 0; {
		r.input.refill()
		token, err := r.decoder.Token()
		if err != nil {
			return items, err
		}
		switch token {
		case json.Delim('}'), json.Delim(']'):
			depth--
			continue
		}
		if depth == 1 {
			items++
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		}
	}
	return items, nil
}

// stop ends the file with a reason.
func (r *arrayReader) stop(reason string) error {
	r.ended = true
	return item.UnusableError{Reason: reason}
}

func why(err error) string {
	if item.IsEnd(err) {
		return "it ends too early"
	}
	return err.Error()
}

func (r *arrayReader) Next() (item.Item, error) {
	if !r.begun && !r.ended {
		r.begun = true
		if err := r.enter(); err != nil {
			r.ended = true
			return item.Item{}, err
		}
	}
	if len(r.others) > 0 {
		other := r.others[0]
		r.others = r.others[1:]
		return item.Item{}, other
	}
	if r.ended {
		return item.Item{}, io.EOF
	}
	r.input.refill()
	if !r.decoder.More() || r.single && r.number > 0 {
		return item.Item{}, r.end()
	}
	r.number++
	var text json.RawMessage
	if err := r.decoder.Decode(&text); err != nil {
		r.ended = true
		return item.Item{}, item.UnusableError{Line: r.line(nil), Reason: fmt.Sprintf("item %d is not JSON, and it and what follows are left out: %s", r.number, why(err))}
	}
	line := r.line(text)
	if len(text) > item.MaxLine {
		return item.Item{}, item.UnusableError{Line: line, Reason: fmt.Sprintf("item %d is %s", r.number, item.ErrTooLong)}
	}
	fields, err := r.parser.Parse(text)
	if err != nil {
		return item.Item{}, item.UnusableError{Line: line, Reason: fmt.Sprintf("item %d is %s", r.number, err)}
	}
	if r.single && len(fields) == 0 {
		return item.Item{}, r.stop("an empty JSON object")
	}
	return item.Item{Line: line, Number: r.number, Text: text, Fields: fields}, nil
}

// line is where a value begins that was just read.
func (r *arrayReader) line(text []byte) int {
	return r.input.lineAt(r.decoder.InputOffset()) - bytes.Count(text, []byte("\n"))
}

// end closes the array. Whatever comes after it in an object has been looked at already.
func (r *arrayReader) end() error {
	r.ended = true
	_, err := r.decoder.Token()
	if r.single && !errors.Is(err, io.EOF) {
		return item.UnusableError{Line: r.line(nil), Reason: "what follows the object is left out"}
	}
	if err != nil && !r.single {
		return item.UnusableError{Line: r.line(nil), Reason: "the array does not end: " + why(err)}
	}
	return io.EOF
}
