package item

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// MaxFields is the most fields of a stream that are described. The store has a column for each, and a stream with more is rather a map that
// was written as records.
const MaxFields = 1000

// maxName is the longest name of a field or a stream, in bytes. The questions of a survey are such names.
const maxName = 1000

// IsName reports whether a text is short enough for a name.
func IsName(text string) bool { return len(text) <= maxName }

// Name returns as much of a text as a name can have.
func Name(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxName)], "")
}

// MaxLine is the longest line, in bytes.
const MaxLine = 16 << 20

// ErrTooLong is the error for a line that was skipped because it is longer than the limit.
var ErrTooLong = fmt.Errorf("longer than %d MiB", MaxLine>>20)

// ReadAll reads a file that is one record. One longer than MaxLine is an [UnusableError].
func ReadAll(file io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(file, MaxLine+1))
	if err == nil && len(text) > MaxLine {
		err = UnusableError{Reason: ErrTooLong.Error()}
	}
	return text, err
}

// Lines reads lines with their line ends, and can take some back.
type Lines struct {
	Number  int                          // of the line that was read last
	Most    int                          // the longest line, in bytes
	Within  func(line int) (in, on bool) // in: the line is read, else it is empty; on: false ends the input; nil: all are read
	input   *bufio.Reader
	buffer  []byte
	waiting [][]byte // taken back, the next one last; nil: a line that was too long
}

// NewLines reads the lines of a file.
func NewLines(input *bufio.Reader) *Lines { return &Lines{Most: MaxLine, input: input} }

// Next returns a line that is valid until the next call, ErrTooLong for a line that it skipped, or io.EOF.
func (l *Lines) Next() ([]byte, error) {
	l.Number++
	if last := len(l.waiting) - 1; last >= 0 {
		line := l.waiting[last]
		l.waiting = l.waiting[:last]
		if line == nil {
			return nil, ErrTooLong
		}
		return line, nil
	}
	l.buffer = l.buffer[:0]
	tooLong, isIn, isOn := false, true, true
	if l.Within != nil {
		isIn, isOn = l.Within(l.Number)
	}
	for isOn {
		part, err := l.input.ReadSlice('\n')
		if err == nil && isIn && !tooLong && len(l.buffer) == 0 && len(part) <= l.Most { // most lines
			return part, nil
		}
		if tooLong = tooLong || len(l.buffer)+len(bytes.TrimRight(part, "\r\n")) > l.Most; !tooLong {
			l.buffer = append(l.buffer, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		case !isIn && err == nil:
			return []byte("\n"), nil
		case tooLong:
			return nil, ErrTooLong
		case len(l.buffer) == 0:
			return nil, io.EOF
		}
		return l.buffer, nil
	}
	return nil, io.EOF
}

// Back takes back the lines that were read last, to return them again. It keeps the slices.
func (l *Lines) Back(lines ...[]byte) {
	l.Number -= len(lines)
	for _, line := range slices.Backward(lines) {
		l.waiting = append(l.waiting, line)
	}
}

// Peek returns the next line without reading past it: nil at the end, and for a line that is too long.
func (l *Lines) Peek() []byte {
	next, err := l.Next()
	if err != nil && !errors.Is(err, ErrTooLong) {
		l.Number--
		return nil
	}
	next = bytes.Clone(next)
	l.Back(next)
	return next
}

// Joined joins the texts that are not empty.
func Joined(texts []string, with string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" }), with)
}

// SplitOutsideQuotes splits a line at the separators that are not between quotation marks.
func SplitOutsideQuotes(line string, separator rune) (parts []string) {
	quoted, start := false, 0
	for at, one := range line {
		switch {
		case one == '"':
			quoted = !quoted
		case one == separator && !quoted:
			parts = append(parts, line[start:at])
			start = at + 1
		}
	}
	return append(parts, line[start:])
}
