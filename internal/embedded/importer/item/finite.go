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

// NewFinite reads JSON of any kind.
func NewFinite(input io.Reader) *Finite { return &Finite{input: bufio.NewReaderSize(input, 1<<16)} }

func (f *Finite) Read(into []byte) (int, error) {
	if len(into) == 0 {
		return 0, nil
	}
	if f.waiting == "" {
		if _, err := f.input.Peek(1); err != nil {
			return 0, err
		}
		start, _ := f.input.Peek(min(len(into), f.input.Buffered()))
		if count := f.plain(start); count > 0 {
			copy(into, start[:count])
			_, _ = f.input.Discard(count) // they are there
			f.read += int64(count)
			return count, nil
		}
		f.waiting = f.word()
	}
	count := copy(into, f.waiting)
	f.waiting = f.waiting[count:]
	f.read += int64(count)
	return count, nil
}

// word returns null in place of NaN or Infinity, and otherwise the next byte.
func (f *Finite) word() string {
	for _, word := range [...]string{"NaN", "Infinity", "-Infinity"} {
		if start, _ := f.input.Peek(len(word)); string(start) == word {
			_, _ = f.input.Discard(len(word)) // they are there
			f.Nulls = append(f.Nulls, f.read)
			return "null"
		}
	}
	one, _ := f.input.ReadByte() // it is there
	return string(rune(one))     // a letter or a minus
}

// plain counts the bytes up to what may be such a number.
func (f *Finite) plain(text []byte) int {
	for at, one := range text {
		switch {
		case f.escaped:
			f.escaped = false
		case f.quoted:
			f.escaped, f.quoted = one == '\\', one != '"'
		case one == '"':
			f.quoted = true
		case one == 'N', one == 'I', one == '-' && (at+1 == len(text) || text[at+1] == 'I'):
			return at
		}
	}
	return len(text)
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
