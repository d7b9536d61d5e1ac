package objects

import (
	"bytes"
	"cmp"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// A restReader reads what an object holds beside some arrays, as one record.
type restReader struct {
	document
	without places
	text    bytes.Buffer
	said    string // of the numbers in it
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
		return item.Item{}, item.Unusable(1, "what is beside the arrays is %s", err)
	}
	return item.Item{Line: 1, Number: 1, Text: r.text.Bytes(), Fields: fields, Note: r.said}, nil
}

// object copies an object that has begun without the arrays.
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
			return item.Unusable(1, "what is beside the arrays is ambiguous: it has the field %q twice", name)
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
			r.said = cmp.Or(r.said, r.note("what is beside the arrays", value))
		}
		switch {
		case err != nil:
			return notJSON(err)
		case r.text.Len() > item.MaxLine:
			return item.UnusableError{Line: 1, Reason: "what is beside the arrays is " + item.ErrTooLong.Error()}
		}
	}
	r.text.WriteByte('}')
	_, err := r.token()
	return notJSON(err)
}
