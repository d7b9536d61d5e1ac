package importer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
)

// maxMessage is how long a message may be with its attachments, in bytes. It is in memory while it is read.
const maxMessage = 64 << 20

var (
	// fromLine is the line above each message of an mbox file: an address and a date as asctime writes it, perhaps with a zone (RFC 4155).
	fromLine = regexp.MustCompile(`^From \S.* (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d{1,2} \d{1,2}:\d{2}(?::\d{2})? .*\d{4}\b`)
	// headerLine begins the header of a message, which may be quoted in an odd mailbox.
	headerLine = regexp.MustCompile(`^>?[!-9;-~]+[ \t]*:`)
	// quotedFrom is a line of a message that would have looked like a fromLine.
	quotedFrom = regexp.MustCompile(`^>+From `)
)

// A mailReader reads messages from an mbox file, or the one of an .eml file.
//
// A message begins at a line "From ADDRESS DATE" that is the first of the file or follows an empty line, and is followed by a header; such a
// line in the middle of a letter does not. A line that was quoted with ">" on the way into the file is restored (the form called mboxrd).
type mailReader struct {
	input   *bufio.Reader
	line    int // how many were read
	begun   bool
	many    bool // an mbox file
	ended   bool
	message []byte
}

func newMailReader(input *bufio.Reader) *mailReader { return &mailReader{input: input} }

func (r *mailReader) next() (item, error) {
	if !r.begun {
		r.begun = true
		if err := r.enter(); err != nil {
			return item{}, err
		}
	}
	if r.ended {
		return item{}, io.EOF
	}
	begin := max(r.line, 1)
	if err := r.read(); err != nil {
		return item{}, err
	}
	switch {
	case len(r.message) > maxMessage:
		return item{}, unusable{begin, fmt.Sprintf("a message longer than %d MiB", maxMessage>>20)}
	case !r.many && len(bytes.TrimSpace(r.message)) == 0:
		return item{}, io.EOF // an empty file
	}
	one, err := readMessage(r.message)
	if err != nil {
		return item{}, unusable{begin, err.Error()}
	}
	one.line = begin
	return one, nil
}

// enter goes to the first message.
func (r *mailReader) enter() error {
	for {
		start, err := r.input.Peek(1)
		if len(start) == 0 {
			r.ended = true
			if errors.Is(err, io.EOF) {
				return io.EOF
			}
			return err
		}
		if start[0] != '\n' && start[0] != '\r' {
			break
		}
		if start[0] == '\n' {
			r.line++
		}
		_, _ = r.input.Discard(1) // it is there
	}
	start, _ := r.input.Peek(1 << 10)
	if r.many = bytes.HasPrefix(start, []byte("From ")); r.many {
		return r.passLine()
	}
	if !headerLine.Match(firstLine(start)) {
		r.ended = true
		return unusable{reason: `not mail: it begins neither with a line "From ADDRESS DATE" nor with a header`}
	}
	return nil
}

func (r *mailReader) passLine() error {
	for {
		_, err := r.input.ReadSlice('\n')
		switch {
		case err == nil:
			r.line++
			return nil
		case errors.Is(err, io.EOF):
			return nil // the message is empty, which readMessage tells
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// read takes the lines up to the next message.
func (r *mailReader) read() error {
	r.message = r.message[:0]
	lineStart, afterEmpty := true, false
	for {
		part, err := r.input.ReadSlice('\n')
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		if r.many && lineStart {
			if afterEmpty && r.separates(part) {
				r.line++
				r.message = trimLine(r.message)
				return nil
			}
			if quotedFrom.Match(part) {
				part = part[1:]
			}
		}
		if len(r.message) <= maxMessage {
			r.message = append(r.message, part...)
		}
		afterEmpty = lineStart && len(bytes.TrimRight(part, "\r\n")) == 0
		lineStart = err == nil
		if lineStart {
			r.line++
		}
		if errors.Is(err, io.EOF) {
			r.ended = true
			return nil
		}
	}
}

// separates tells the line between two messages. The line after it is only looked at.
func (r *mailReader) separates(line []byte) bool {
	if !bytes.HasPrefix(line, []byte("From ")) || !fromLine.Match(line) {
		return false
	}
	start, _ := r.input.Peek(1 << 10)
	return headerLine.Match(start)
}

// trimLine takes the empty line away that stands between two messages.
func trimLine(message []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(message, []byte("\n")), []byte("\r"))
}
