package objects

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// A document is a JSON file that is passed over a token at a time.
type document struct {
	file    io.ReadSeeker
	numbers *item.Finite
	input   *countedInput
	decoder *json.Decoder
	parser  *item.Parser
}

func newDocument(file io.ReadSeeker) document {
	return document{file: file, parser: item.NewParser()}
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
func (d *document) rewind() error {
	if _, err := d.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	var mark [len(item.ByteOrderMark)]byte
	if count, _ := io.ReadFull(d.file, mark[:]); string(mark[:count]) != item.ByteOrderMark {
		if _, err := d.file.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
	d.numbers = item.NewFinite(d.file)
	d.input = &countedInput{input: d.numbers}
	d.input.refill()
	d.decoder = json.NewDecoder(d.input)
	return nil
}

// begin goes into the array or the object that the file holds. The error is io.EOF where the file is empty.
func (d *document) begin() (json.Token, error) {
	if err := d.rewind(); err != nil {
		return nil, err
	}
	start, err := d.decoder.Token()
	switch {
	case errors.Is(err, io.EOF):
		return nil, io.EOF
	case err != nil:
		return nil, notJSON(err)
	case start != json.Delim('[') && start != json.Delim('{'):
		return nil, item.UnusableError{Reason: "neither a JSON array nor an object"}
	}
	return start, nil
}

// note says of a value that was just read that it has numbers that JSON has not.
func (d *document) note(what string, text []byte) string {
	if !d.hadNumbers(len(text)) {
		return ""
	}
	return what + " has" + item.NoNumber
}

// hadNumbers reports whether the last bytes that were read had numbers that JSON has not.
func (d *document) hadNumbers(bytes int) bool {
	end := d.decoder.InputOffset()
	return d.numbers.Between(end-int64(bytes), end)
}

func notJSON(err error) error { return item.UnusableError{Reason: "not JSON: " + why(err)} }

func why(err error) string {
	if item.IsEnd(err) {
		return "it ends too early"
	}
	return err.Error()
}

// first looks at the first items of an array.
func (d *document) first(of *foundArray) error {
	held := lists{}
	for size := 0; of.items < sampled && size < item.MaxLine && d.decoder.More(); of.items++ {
		d.input.refill()
		var text json.RawMessage
		if err := d.decoder.Decode(&text); err != nil {
			return err
		}
		size += len(text)
		if text[0] == '{' {
			of.objects++
		}
		fields, _ := d.parser.Parse(text) // that it is no object says its shape
		for _, field := range fields {
			if of.items == 0 {
				of.shape += field.Name + "\n"
			}
			held.add(field)
		}
		of.list = held.main(size)
	}
	return nil
}

// leave passes over the rest of an array or object, and counts what is directly in it.
func (d *document) leave(found *foundArray) error {
	for depth := 1; depth > 0; {
		d.input.refill()
		token, err := d.decoder.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('}'), json.Delim(']'):
			depth--
			continue
		}
		if depth == 1 {
			found.items++
		}
		switch token {
		case json.Delim('{'):
			if depth == 1 {
				found.objects++
			}
			depth++
		case json.Delim('['):
			depth++
		}
	}
	return nil
}

// A path is the keys that lead from the object of a file to a value in it.
type path []string

// key is a text that no other path has.
func (p path) key() string { return fmt.Sprintf("%q", []string(p)) }

// places are where a reader meets arrays, and the objects that lead to them, by their keys.
type places struct{ arrays, above map[string]bool }

func newPlaces(of []path) places {
	p := places{map[string]bool{}, map[string]bool{}}
	for _, one := range of {
		p.arrays[one.key()] = true
		for end := range one {
			p.above[one[:end].key()] = true
		}
	}
	return p
}

// A foundArray is an array in a field of the object, or of an object in it.
type foundArray struct {
	at             path
	items, objects int
	shape          string // the names of the fields of its first item
	list           string // the key of the list that its first items consist of, if they do
}

// differAt is the place of the only key in which two paths differ; -1 unless exactly one differs.
func differAt(a, b path) int {
	at := -1
	if len(a) != len(b) {
		return at
	}
	for index := range a {
		if a[index] == b[index] {
			continue
		}
		if at >= 0 {
			return -1
		}
		at = index
	}
	return at
}
