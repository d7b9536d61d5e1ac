package item

import (
	"bufio"
	"bytes"
	"io"
)

// A Finite reader reads JSON in which some programs write NaN, Infinity and -Infinity, which JSON has not: with null in their place.
type Finite struct {
	Nulls []int64 // where those stand in what was read, that were not asked for yet

	input           *bufio.Reader
	read            int64
	quoted, escaped bool   // the next byte is
	waiting         string // of a null
}

// NewFinite reads JSON of any kind, behind a byte order mark.
func NewFinite(input io.Reader) *Finite { return &Finite{input: Buffer(input)} }

func (f *Finite) Read(into []byte) (count int, err error) {
	count = copy(into, f.waiting)
	for f.waiting = f.waiting[count:]; count < len(into) && f.waiting == ""; count++ {
		if into[count], err = f.input.ReadByte(); err != nil {
			break
		}
		switch one := into[count]; {
		case f.escaped:
			f.escaped = false
		case f.quoted:
			f.escaped, f.quoted = one == '\\', one != '"'
		case one == '"':
			f.quoted = true
		case one == 'N', one == 'I', one == '-':
			for _, word := range [...]string{"NaN", "Infinity", "-Infinity"} {
				if rest, _ := f.input.Peek(len(word) - 1); one == word[0] && string(rest) == word[1:] {
					_, _ = f.input.Discard(len(rest)) // they are there
					f.Nulls = append(f.Nulls, f.read+int64(count))
					into[count], f.waiting = 'n', "ull"
				}
			}
		}
	}
	f.read += int64(count)
	if count > 0 {
		err = nil // the next read meets it again
	}
	return count, err
}

// Between tells whether such a number stood between two places of what was read, and forgets those before.
func (f *Finite) Between(start, end int64) bool {
	for len(f.Nulls) > 0 && f.Nulls[0] < start {
		f.Nulls = f.Nulls[1:]
	}
	return len(f.Nulls) > 0 && f.Nulls[0] < end
}

// NoNumber is said of a record with such a number, behind where it is.
const NoNumber = " NaN or Infinity, which is no number in JSON; it is kept with null there"

// ParseFinite parses as [Parser.Parse] does; note says that there was such a number. The text is JSON, as it was or with null.
func (p *Parser) ParseFinite(text []byte) (fields []Field, plain []byte, note string, err error) {
	if fields, err = p.Parse(text); err == nil || !bytes.ContainsAny(text, "NI") {
		return fields, text, "", err
	}
	mended := NewFinite(bytes.NewReader(text))
	plain, _ = io.ReadAll(mended) // of memory
	if len(mended.Nulls) == 0 {
		return nil, text, "", err
	}
	fields, err = p.Parse(plain)
	return fields, plain, "the line has" + NoNumber, err
}
