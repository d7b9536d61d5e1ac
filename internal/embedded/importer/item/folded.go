package item

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Folded reads the content lines of calendars and contacts: a line that begins with a space or a tab goes on where the one before ended.
type Folded struct {
	Number int // where the line begins that was read last
	lines  *Lines
}

// NewFolded reads the content lines of a file.
func NewFolded(input *bufio.Reader) *Folded { return &Folded{lines: NewLines(input)} }

// Stop passes over the rest of the file.
func (f *Folded) Stop() { f.lines.Stop() }

// Back gives the line back that was read last.
func (f *Folded) Back(line string) { f.lines.Back([]byte(line + "\r\n")) }

// Next returns a content line, [UnusableError] for one that was too long, or io.EOF.
func (f *Folded) Next() (string, error) {
	text, err := f.next()
	if errors.Is(err, ErrTooLong) {
		err = UnusableError{Line: f.lines.Number, Reason: err.Error()}
	}
	return string(text), err
}

func (f *Folded) next() ([]byte, error) {
	first, err := f.lines.Next()
	f.Number = f.lines.Number
	if err != nil {
		return nil, err
	}
	text := bytes.Clone(bytes.TrimRight(first, "\r\n"))
	for {
		more, err := f.lines.Next()
		if errors.Is(err, io.EOF) {
			f.lines.Number--
			return text, nil
		}
		if err != nil {
			return nil, err // of a line that is too long, the one before is lost too
		}
		if more[0] != ' ' && more[0] != '\t' || len(text)+len(more) > MaxLine {
			f.lines.Back(bytes.Clone(more))
			return text, nil
		}
		text = append(text, bytes.TrimRight(more[1:], "\r\n")...)
	}
}
