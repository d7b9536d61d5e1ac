package objects

import (
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// A document is a JSON file that is read token by token.
type document struct {
	file    io.ReadSeeker
	input   *item.Input
	decoder *jsontext.Decoder
	parser  *item.Parser
}

func newDocument(file io.ReadSeeker) document {
	return document{file: file, parser: item.NewParser()}
}

// begin seeks to the beginning of the file and enters its array or object, whose kind it returns. The error is io.EOF for an empty file.
func (d *document) begin() (jsontext.Kind, error) {
	if _, err := d.file.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	d.input = item.NewInput(d.file)
	d.decoder = jsontext.NewDecoder(d.input, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	start, err := d.token()
	switch {
	case errors.Is(err, io.EOF):
		return 0, io.EOF
	case err != nil:
		return 0, notJSON(err)
	case start.Kind() != '[' && start.Kind() != '{':
		return 0, item.UnusableError{Reason: "neither a JSON array nor an object"}
	}
	return start.Kind(), nil
}

// peek returns the kind of the next token, and renews the limit on the length of a value.
func (d *document) peek() jsontext.Kind {
	d.input.Left = item.MaxLine + 1<<16
	return d.decoder.PeekKind()
}

func (d *document) more() bool {
	kind := d.peek()
	return kind != jsontext.KindInvalid && kind != ']' && kind != '}'
}

func (d *document) token() (jsontext.Token, error) {
	d.peek()
	return d.decoder.ReadToken()
}

// value reads a value, which is valid until the next read.
func (d *document) value() ([]byte, error) {
	d.peek()
	return d.decoder.ReadValue()
}

func (d *document) skip() error {
	begins := d.peek() == '{' || d.peek() == '['
	if _, err := d.token(); err != nil || !begins {
		return err
	}
	return d.leave()
}

// leave skips the rest of an array or object that has begun.
func (d *document) leave() (err error) {
	for depth := d.decoder.StackDepth(); err == nil && d.decoder.StackDepth() >= depth; {
		_, err = d.token()
	}
	return err
}

// end returns io.EOF if nothing follows the JSON value of the file.
func (d *document) end() error {
	_, err := d.token()
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	return item.Unusable(d.input.LineAt(d.decoder.InputOffset()), "what follows the first JSON value is left out")
}

// note returns a note if the value that was just read had numbers that JSON lacks (NaN, Infinity), else "".
func (d *document) note(what string, text []byte) string {
	if !d.hadNumbers(text) {
		return ""
	}
	return what + " has" + item.NoNumber
}

// hadNumbers reports whether the value that was just read had numbers that JSON lacks.
func (d *document) hadNumbers(text []byte) bool {
	end := d.decoder.InputOffset()
	return d.input.HasNulls(end-int64(len(text)), end)
}

func notJSON(err error) error {
	if err == nil {
		return nil
	}
	return item.UnusableError{Reason: "not JSON: " + why(err)}
}

func why(err error) string {
	if wrong, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		err = wrong.Err
	}
	switch {
	case item.IsEnd(err):
		return "it ends too early"
	case errors.Is(err, item.ErrTooLong):
		return item.ErrTooLong.Error()
	}
	return err.Error()
}

// A path is the list of keys from the object of a file to a value in it.
type path []string

// places has the pointers of arrays, and of the objects above them.
type places struct{ arrays, above map[jsontext.Pointer]bool }

func newPlaces(of []path) places {
	p := places{map[jsontext.Pointer]bool{}, map[jsontext.Pointer]bool{}}
	for _, one := range of {
		var pointer jsontext.Pointer
		for _, key := range one {
			p.above[pointer] = true
			pointer = pointer.AppendToken(key)
		}
		p.arrays[pointer] = true
	}
	return p
}
