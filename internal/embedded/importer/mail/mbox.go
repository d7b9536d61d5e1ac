package mail

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// MaxMessage is the maximum size of a message with its attachments, in bytes. A message is in memory while it is read.
const MaxMessage = 64 << 20

// A reader reads the messages of an mbox file, or the only one of an .eml file.
//
// A message begins at a line "From ADDRESS DATE" that is the first of the file, or that precedes a header and is not itself in the header
// of a message; some programs write no empty line above it. Any other line like this is part of a message. A line that is quoted with ">"
// for the file is restored (mboxrd).
type reader struct {
	lines   *item.Lines
	many    bool // an mbox file
	ended   bool
	message []byte
	tooLong bool   // the message exceeds MaxMessage
	from    []byte // the "From " line of the next message
}

// NewReader reads the messages of a file.
func NewReader(input *bufio.Reader) item.Records {
	r := &reader{lines: item.NewLines(input)}
	r.lines.Most = MaxMessage
	return item.Read(r.enter, r.next)
}

// FromApple returns the message in a file of Apple Mail (.emlx). A line above it has its length in bytes, and its flags follow it.
func FromApple(input *bufio.Reader) *bufio.Reader {
	line, _ := input.ReadString('\n')
	length, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	if err != nil {
		return bufio.NewReader(io.MultiReader(strings.NewReader(line), input))
	}
	return bufio.NewReader(io.LimitReader(input, length))
}

func (r *reader) next() (item.Item, error) {
	if r.ended {
		return item.Item{}, io.EOF
	}
	begin, from := max(r.lines.Number, 1), r.from
	if err := r.read(); err != nil {
		return item.Item{}, err
	}
	if r.tooLong {
		return item.Item{}, item.Unusable(begin, "a message longer than %d MiB", MaxMessage>>20)
	}
	one, err := readMessage(r.message, from)
	if err != nil {
		return item.Item{}, item.Unusable(begin, "%s", err)
	}
	one.Line = begin
	return one, nil
}

func (r *reader) enter() error {
	first, err := r.lines.Next()
	for err == nil && len(bytes.TrimRight(first, "\r\n")) == 0 {
		first, err = r.lines.Next()
	}
	switch {
	case err != nil && !errors.Is(err, item.ErrTooLong):
		return err
	case bytes.HasPrefix(first, []byte("From ")):
		r.many, r.from = true, bytes.Clone(first)
	case headerLine().Match(first):
		r.lines.Back(bytes.Clone(first))
	default:
		return item.UnusableError{Reason: `not mail: it begins neither with a line "From ADDRESS DATE" nor with a header`}
	}
	return nil
}

func (r *reader) read() error {
	r.message, r.tooLong = r.message[:0], false
	for afterEmpty, inBody := false, false; ; {
		line, err := r.lines.Next()
		r.ended = errors.Is(err, io.EOF)
		switch {
		case r.ended:
			return nil
		case errors.Is(err, item.ErrTooLong):
			r.tooLong = true
			continue
		case err != nil:
			return err
		case r.many && inBody && bytes.HasPrefix(line, []byte("From ")):
			line = bytes.Clone(line) // Peek reuses its buffer
			if Separates(line, r.lines.Peek()) {
				if r.from = line; afterEmpty { // which is between two messages
					r.message = bytes.TrimSuffix(bytes.TrimSuffix(r.message, []byte("\n")), []byte("\r"))
				}
				return nil
			}
		case r.many && quotedFrom().Match(line):
			line = line[1:]
		}
		if r.tooLong = r.tooLong || len(r.message)+len(line) > MaxMessage; !r.tooLong {
			r.message = append(r.message, line...)
		}
		afterEmpty = len(bytes.TrimRight(line, "\r\n")) == 0
		inBody = inBody || afterEmpty
	}
}

// IsMbox reports whether a file that begins like this is an mbox.
func IsMbox(_ string, start []byte) bool { return fromLine().Match(utf8text.FirstLine(start)) }

// Separates reports whether a line of an mbox begins a message; next is the line after it.
func Separates(line, next []byte) bool { return fromLine().Match(line) && headerLine().Match(next) }
