package objects

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// A restReader reads an object as one record, without some of its arrays.
type restReader struct {
	document
	what       string // its name in errors and notes
	without    places
	text       bytes.Buffer
	numberNote string // on the numbers in it
}

// records yields the record, and an error if something follows it.
func (r *restReader) records(yield func(item.Item, error) bool) {
	one, err := r.record()
	if errors.Is(err, io.EOF) || !yield(one, err) || err != nil {
		return
	}
	if err := r.end(); !errors.Is(err, io.EOF) {
		yield(item.Item{}, err)
	}
}

func (r *restReader) record() (item.Item, error) {
	if _, err := r.begin(); err != nil {
		return item.Item{}, err
	}
	if err := r.object(); err != nil {
		return item.Item{}, err
	}
	fields, err := r.parser.Parse(r.text.Bytes())
	if err != nil {
		return item.Item{}, item.Unusable(1, "%s is %s", r.what, err)
	}
	if len(fields) == 0 {
		return item.Item{}, item.UnusableError{Reason: "an empty JSON object"}
	}
	return item.Item{Line: 1, Number: 1, Text: r.text.Bytes(), Fields: fields, Note: r.numberNote}, nil
}

// object copies the object that was just entered, without the arrays.
func (r *restReader) object() error {
	r.text.WriteByte('{')
	for comma := ""; r.more(); {
		key, err := r.token()
		if err != nil {
			return notJSON(err)
		}
		name, here := key.String(), r.decoder.StackPointer()
		isArray, isAbove := r.without.arrays[here], r.without.above[here]
		if isArray && r.peek() != '[' || isAbove && r.peek() != '{' {
			return item.Unusable(1, "%s is ambiguous: it has the field %q twice", r.what, name)
		}
		if isArray {
			if err := r.skip(); err != nil {
				return notJSON(err)
			}
			continue
		}
		fmt.Fprintf(&r.text, "%s%s:", comma, item.JSON(name))
		comma = ","
		if isAbove {
			_, _ = r.token() // its beginning is there
			err = r.object()
		} else {
			var value jsontext.Value
			value, err = r.value()
			r.text.Write(value)
			r.numberNote = cmp.Or(r.numberNote, r.note(r.what, value))
		}
		switch {
		case err != nil:
			return notJSON(err)
		case r.text.Len() > item.MaxLine:
			return item.UnusableError{Line: 1, Reason: r.what + " is " + item.ErrTooLong.Error()}
		}
	}
	r.text.WriteByte('}')
	_, err := r.token()
	return notJSON(err)
}
