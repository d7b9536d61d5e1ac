package item

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxFields is how many fields of a stream are described. A stream with more is rather a map that was written as records, and the store
// has a column for each.
const MaxFields = 1000

// MaxLine is how long a line may be, in bytes.
const MaxLine = 16 << 20

// ErrTooLong is of a line that was passed over.
var ErrTooLong = fmt.Errorf("longer than %d MiB", MaxLine>>20)

// ReadAll reads a file that is one record.
func ReadAll(file io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(file, MaxLine+1))
	if err == nil && len(text) > MaxLine {
		err = UnusableError{Reason: ErrTooLong.Error()}
	}
	return text, err
}

// Lines reads lines with their ends, and can give some back.
type Lines struct {
	Number  int                          // of the line that was read last
	Most    int                          // how long a line may be, in bytes
	Within  func(line int) (in, on bool) // whether a line is read, or else empty, and one behind it may be; nil: all are
	input   *bufio.Reader
	buffer  []byte
	waiting [][]byte // given back; nil: a line that was too long
}

// NewLines reads the lines of a file.
func NewLines(input *bufio.Reader) *Lines { return &Lines{input: input, Most: MaxLine} }

// Next returns a line that is valid until the next call, ErrTooLong for one that was passed over, or io.EOF.
func (l *Lines) Next() ([]byte, error) {
	l.Number++
	if len(l.waiting) > 0 {
		line := l.waiting[0]
		l.waiting = l.waiting[1:]
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

// Back gives lines back that were read last. They are kept.
func (l *Lines) Back(lines ...[]byte) {
	l.Number -= len(lines)
	l.waiting = append(lines, l.waiting...)
}

// Folded reads the content lines of calendars and contacts: a line that begins with a space or a tab goes on where the one before ended.
type Folded struct {
	Number int // where the line begins that was read last
	lines  *Lines
}

// NewFolded reads the content lines of a file.
func NewFolded(input *bufio.Reader) *Folded { return &Folded{lines: NewLines(input)} }

// Back gives the line back that was read last.
func (f *Folded) Back(line string) { f.lines.Back([]byte(line + "\r\n")) }

// Next returns a content line, [UnusableError] for one that was too long, or io.EOF.
func (f *Folded) Next() (string, error) {
	first, err := f.lines.Next()
	f.Number = f.lines.Number
	text := bytes.Clone(bytes.TrimRight(first, "\r\n"))
	for err == nil {
		var more []byte
		if more, err = f.lines.Next(); errors.Is(err, io.EOF) {
			f.lines.Number--
			return string(text), nil
		}
		if err == nil && (more[0] != ' ' && more[0] != '\t' || len(text)+len(more) > MaxLine) {
			f.lines.Back(bytes.Clone(more))
			return string(text), nil
		}
		if err == nil {
			text = append(text, bytes.TrimRight(more[1:], "\r\n")...)
		}
	}
	if errors.Is(err, ErrTooLong) { // the line before is lost too
		err = Unusable(f.lines.Number, "%s", err)
	}
	return "", err
}
