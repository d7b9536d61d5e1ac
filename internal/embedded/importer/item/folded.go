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

// LastRead is the number of the last line of the file that was read.
func (f *Folded) LastRead() int { return f.lines.Number }

// Stop passes over the rest of the file.
func (f *Folded) Stop() { f.lines.Stop() }

// Back gives the line back that was read last.
func (f *Folded) Back(line string) { f.lines.Back([]byte(line + "\r\n")) }

// Next returns a content line, ErrTooLong for one that was passed over, or io.EOF.
func (f *Folded) Next() (string, error) {
	first, err := f.lines.Next()
	f.Number = f.lines.Number
	if err != nil {
		return "", err
	}
	text := bytes.Clone(bytes.TrimRight(first, "\r\n"))
	for {
		more, err := f.lines.Next()
		if errors.Is(err, io.EOF) {
			f.lines.Number--
			return string(text), nil
		}
		if err != nil {
			return "", err // of a line that is too long, the one before is lost too
		}
		if more[0] != ' ' && more[0] != '\t' || len(text)+len(more) > MaxLine {
			f.lines.Back(bytes.Clone(more))
			return string(text), nil
		}
		text = append(text, bytes.TrimRight(more[1:], "\r\n")...)
	}
}
