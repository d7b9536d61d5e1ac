package item

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
)

// An Input reads JSON and replaces NaN, Infinity and -Infinity, which some programs write and JSON does not have, by null. It finds the
// line of an offset, and fails with ErrTooLong after Left bytes.
type Input struct {
	Left int // bytes until it fails

	from            *bufio.Reader
	read            int64
	nulls, ends     []int64 // offsets of such numbers and of line ends, after the last offset that was asked for
	line            int
	quoted, escaped bool   // state of the next byte
	waiting         string // rest of a null
}

// NewInput reads JSON after its byte order mark, if it has one, without a limit.
func NewInput(from io.Reader) *Input { return &Input{Left: math.MaxInt, from: Buffer(from)} }

func (i *Input) Read(into []byte) (count int, err error) {
	if i.Left <= 0 {
		return 0, ErrTooLong
	}
	into = into[:min(len(into), i.Left)]
	count = copy(into, i.waiting)
	for i.waiting = i.waiting[count:]; count < len(into) && i.waiting == ""; count++ {
		if into[count], err = i.from.ReadByte(); err != nil {
			break
		}
		switch one := into[count]; {
		case i.escaped:
			i.escaped = false
		case i.quoted:
			i.escaped, i.quoted = one == '\\', one != '"'
		case one == '"':
			i.quoted = true
		case one == '\n':
			i.ends = append(i.ends, i.read+int64(count))
		case one == 'N', one == 'I', one == '-':
			for _, word := range [...]string{"NaN", "Infinity", "-Infinity"} {
				if rest, _ := i.from.Peek(len(word) - 1); one == word[0] && string(rest) == word[1:] {
					_, _ = i.from.Discard(len(rest)) // cannot fail after Peek
					i.nulls = append(i.nulls, i.read+int64(count))
					into[count], i.waiting = 'n', "ull"
				}
			}
		}
	}
	i.read += int64(count)
	i.Left -= count
	if count > 0 {
		err = nil // the next call returns it
	}
	return count, err
}

// HasNulls reports whether NaN or Infinity was between two offsets. Offsets must not decrease from call to call.
func (i *Input) HasNulls(start, end int64) bool {
	for len(i.nulls) > 0 && i.nulls[0] < start {
		i.nulls = i.nulls[1:]
	}
	return len(i.nulls) > 0 && i.nulls[0] < end
}

// LineAt returns the line of an offset, counted from 1. Offsets must not decrease from call to call.
func (i *Input) LineAt(offset int64) int {
	for len(i.ends) > 0 && i.ends[0] < offset {
		i.ends = i.ends[1:]
		i.line++
	}
	return i.line + 1
}

// NoNumber ends the note on a record that had NaN or Infinity.
const NoNumber = " NaN or Infinity, which is no number in JSON; it is kept with null there"

// ParseFinite is like [Parser.Parse], but reads NaN and Infinity as null; note then says so. plain is the text, with null in their place.
func (p *Parser) ParseFinite(text []byte) (fields []Field, plain []byte, note string, err error) {
	if fields, err = p.Parse(text); err == nil || !bytes.ContainsAny(text, "NI") {
		return fields, text, "", err
	}
	mended := NewInput(bytes.NewReader(text))
	plain, _ = io.ReadAll(mended) // cannot fail: from memory
	if len(mended.nulls) == 0 {
		return nil, text, "", err
	}
	fields, err = p.Parse(plain)
	return fields, plain, "the line has" + NoNumber, err
}

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
