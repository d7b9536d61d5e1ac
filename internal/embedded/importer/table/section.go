package table

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// A Section is one of the tables of such a file. Those of the same columns are one.
type Section struct {
	Name  string // its title, or which one it is; empty: the first, if it has none
	Lines []Span
}

// A Span is of lines, of which the last is not in it.
type Span struct{ From, To int }

// Only returns a file with the lines of its other sections empty, to the last line of this one.
func (s Section) Only(file io.Reader) io.Reader {
	return &sectionLines{bufio.NewReader(file), s.Lines, 1, nil}
}

// sectionLines reads the lines of a section.
type sectionLines struct {
	input *bufio.Reader
	spans []Span
	line  int
	ready []byte
}

func (s *sectionLines) Read(into []byte) (int, error) {
	for len(s.ready) == 0 {
		part, err := s.input.ReadSlice('\n')
		for len(s.spans) > 0 && s.line >= s.spans[0].To {
			s.spans = s.spans[1:]
		}
		switch isIn := len(s.spans) > 0 && s.line >= s.spans[0].From; {
		case len(s.spans) == 0:
			return 0, io.EOF
		case isIn:
			s.ready = part
		case err == nil:
			s.ready = []byte("\n")
		}
		if err == nil {
			s.line++
		} else if !errors.Is(err, bufio.ErrBufferFull) && len(s.ready) == 0 {
			return 0, err
		}
	}
	count := copy(into, s.ready)
	s.ready = s.ready[count:]
	return count, nil
}

// narrow reads a file until a line is too long for what is looked for.
type narrow struct {
	input io.Reader
	line  int // bytes of it
}

func (n *narrow) Read(into []byte) (int, error) {
	if n.line > preambleBytes {
		return 0, item.ErrTooLong
	}
	count, err := n.input.Read(into)
	if end := bytes.LastIndexByte(into[:count], '\n'); end >= 0 {
		n.line = -end - 1
	}
	n.line += count
	return count, err
}
