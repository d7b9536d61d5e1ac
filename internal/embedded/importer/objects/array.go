package objects

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
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
	alike   bool                 // all arrays are read, since their objects have the same fields
	list    string               // the field whose array is read, if all are
	others  []item.UnusableError // arrays that are not read
}

// NewArray reads JSON objects in an array of the file, which is read twice: the array itself, or the one in a field of an object. Of
// several the first of the named ones is read or, if none has such a name, the one with the most objects. If the object holds nothing but
// arrays of objects that have the same fields, all are read, and the field "list" says which. An object without an array of objects is one
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
	if r.alike {
		return r.enterNext()
	}
	_, err = r.walk(field, nil)
	return err
}

// enterNext goes into the next of the arrays that are alike.
func (r *arrayReader) enterNext() error {
	key, err := r.decoder.Token()
	if err == nil && key != json.Delim('}') {
		r.list, _ = key.(string) // which keys of objects are
		_, err = r.decoder.Token()
	}
	if err != nil {
		return r.stop("not JSON: " + why(err))
	}
	if key == json.Delim('}') {
		r.ended = true
		return io.EOF
	}
	return nil
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
		if r.alike {
			return r.nextList()
		}
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
	one := item.Item{Line: line, Number: r.number, Text: text, Fields: fields}
	if _, taken := one.Value("list"); r.alike && !taken {
		one.Fields, one.Text = append([]item.Field{{Name: "list", Value: item.JSON(r.list)}}, fields...), nil
	}
	return one, nil
}

// nextList ends an array, and goes on with that of the next field.
func (r *arrayReader) nextList() (item.Item, error) {
	if _, err := r.decoder.Token(); err != nil {
		return item.Item{}, r.stop("not JSON: " + why(err))
	}
	if err := r.enterNext(); err != nil {
		return item.Item{}, err
	}
	return r.Next()
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
