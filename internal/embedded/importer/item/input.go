package item

import (
	"bufio"
	"bytes"
	"io"
	"math"
)

// An Input reads JSON, with null in the place of NaN, Infinity and -Infinity, which some programs write and JSON has not. It knows where
// lines end, and refuses to go on for longer than it may.
type Input struct {
	Left int // bytes until it refuses

	from            *bufio.Reader
	read            int64
	nulls, ends     []int64 // where such numbers and the ends of lines are, behind what was asked for last
	line            int
	quoted, escaped bool   // the next byte is
	waiting         string // of a null
}

// NewInput reads JSON of any kind, behind a byte order mark.
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
					_, _ = i.from.Discard(len(rest)) // they are there
					i.nulls = append(i.nulls, i.read+int64(count))
					into[count], i.waiting = 'n', "ull"
				}
			}
		}
	}
	i.read += int64(count)
	i.Left -= count
	if count > 0 {
		err = nil // the next read meets it again
	}
	return count, err
}

// HasNulls reports whether NaN or Infinity stood between two offsets. Offsets must not fall from call to call.
func (i *Input) HasNulls(start, end int64) bool {
	for len(i.nulls) > 0 && i.nulls[0] < start {
		i.nulls = i.nulls[1:]
	}
	return len(i.nulls) > 0 && i.nulls[0] < end
}

// LineAt is the line of an offset. Offsets must not fall from call to call.
func (i *Input) LineAt(offset int64) int {
	for len(i.ends) > 0 && i.ends[0] < offset {
		i.ends = i.ends[1:]
		i.line++
	}
	return i.line + 1
}

// NoNumber ends the note on a record that had NaN or Infinity.
const NoNumber = " NaN or Infinity, which is no number in JSON; it is kept with null there"

// ParseFinite parses as [Parser.Parse] does; note says that there was such a number. The text is JSON, as it was or with null.
func (p *Parser) ParseFinite(text []byte) (fields []Field, plain []byte, note string, err error) {
	if fields, err = p.Parse(text); err == nil || !bytes.ContainsAny(text, "NI") {
		return fields, text, "", err
	}
	mended := NewInput(bytes.NewReader(text))
	plain, _ = io.ReadAll(mended) // of memory
	if len(mended.nulls) == 0 {
		return nil, text, "", err
	}
	fields, err = p.Parse(plain)
	return fields, plain, "the line has" + NoNumber, err
}
