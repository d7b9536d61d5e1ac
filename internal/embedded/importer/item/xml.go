package item

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

// An XML reads an XML file token by token. It limits the depth of elements and the bytes that are read, because the decoder keeps all open
// elements and each whole token in memory. encoding/xml does not expand entities that a file defines.
type XML struct {
	*xml.Decoder
	// Left is how many bytes may still be read. A reader of many small pieces resets it before each.
	Left *io.LimitedReader
	// Inside are the names of the open elements, the outermost first: an element that begins is one of them, an element that ends is not.
	Inside []string
	most   int64
}

// NewXML reads a file of at most most bytes.
func NewXML(file io.Reader, most int64) *XML {
	limited := &io.LimitedReader{R: file, N: most}
	return &XML{Decoder: xml.NewDecoder(limited), Left: limited, most: most}
}

// Token returns the next token, which is valid until the next call.
func (x *XML) Token() (xml.Token, error) {
	token, err := x.Decoder.Token()
	switch token := token.(type) {
	case xml.StartElement:
		if x.Inside = append(x.Inside, token.Name.Local); len(x.Inside) > MaxDepth {
			return nil, fmt.Errorf("nested more than %d levels deep", MaxDepth)
		}
	case xml.EndElement:
		x.Inside = x.Inside[:len(x.Inside)-1]
	}
	if err != nil && !errors.Is(err, io.EOF) && x.Left.N == 0 {
		err = fmt.Errorf("longer than %d MiB", x.most>>20)
	}
	return token, err
}

// Skip skips the rest of the element that began last.
func (x *XML) Skip() error {
	for outer := len(x.Inside) - 1; len(x.Inside) > outer; {
		if _, err := x.Token(); err != nil {
			return err
		}
	}
	return nil
}

// DecodeElement decodes the element that began last.
func (x *XML) DecodeElement(into any, start *xml.StartElement) error {
	return xml.NewTokenDecoder(&begun{x, start}).Decode(into)
}

// A begun element returns its start token once more, then the tokens after it.
type begun struct {
	*XML
	start *xml.StartElement
}

func (b *begun) Token() (xml.Token, error) {
	if start := b.start; start != nil {
		b.start = nil
		return *start, nil
	}
	return b.XML.Token()
}
