package item

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

// An XML reads a file in XML token by token, and bounds how deep its elements are in one another and how much is read: decoding keeps all
// elements that are open, and every token as a whole. encoding/xml expands no entities of a file's own.
type XML struct {
	*xml.Decoder
	// Left is how many bytes may still be read. A reader of many small pieces renews it before each.
	Left  *io.LimitedReader
	most  int64
	depth int
}

// NewXML reads a file of at most so many bytes.
func NewXML(file io.Reader, most int64) *XML {
	limited := &io.LimitedReader{R: file, N: most}
	return &XML{Decoder: xml.NewDecoder(limited), Left: limited, most: most}
}

// Token returns the next token, which is valid until the next call.
func (x *XML) Token() (xml.Token, error) {
	token, err := x.Decoder.Token()
	switch token.(type) {
	case xml.StartElement:
		if x.depth++; x.depth > MaxDepth {
			return nil, fmt.Errorf("nested more than %d levels deep", MaxDepth)
		}
	case xml.EndElement:
		x.depth--
	}
	if err != nil && !errors.Is(err, io.EOF) && x.Left.N == 0 {
		err = fmt.Errorf("longer than %d MiB", x.most>>20)
	}
	return token, err
}

// Skip passes over the rest of the element that began last.
func (x *XML) Skip() error {
	for outer := x.depth - 1; x.depth > outer; {
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

// A begun element gives its beginning once more.
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
