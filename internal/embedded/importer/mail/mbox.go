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

// MaxMessage is how long a message may be with its attachments, in bytes. It is in memory while it is read.
const MaxMessage = 64 << 20

// A reader reads messages from an mbox file, or the one of an .eml file.
//
// A message begins at a line "From ADDRESS DATE" that is the first of the file or follows an empty line, and is followed by a header; such
// a line in the middle of a message does not. A line that was quoted with ">" on the way into the file is restored (the form called
// mboxrd).
type reader struct {
	lines   *item.Lines
	many    bool // an mbox file
	ended   bool
	message []byte
	tooLong bool   // the message is
	from    []byte // the line above the message that is read next
}

// NewReader reads the messages of a file.
func NewReader(input *bufio.Reader) item.Records {
	r := &reader{lines: item.NewLines(input)}
	r.lines.Most = MaxMessage
	return item.Read(r.enter, r.next)
}

// FromApple returns the message of a file of Apple Mail (.emlx): a line with its length in bytes stands above it, and its flags below.
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
	for afterEmpty := false; ; {
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
		case r.many && afterEmpty && bytes.HasPrefix(line, []byte("From ")):
			line = bytes.Clone(line) // the next one is read into its place
			if Separates(line, r.lines.Peek()) {
				// without the empty line between two messages
				r.from, r.message = line, bytes.TrimSuffix(bytes.TrimSuffix(r.message, []byte("\n")), []byte("\r"))
				return nil
			}
		case r.many && quotedFrom().Match(line):
			line = line[1:]
		}
		if r.tooLong = r.tooLong || len(r.message)+len(line) > MaxMessage; !r.tooLong {
			r.message = append(r.message, line...)
		}
		afterEmpty = len(bytes.TrimRight(line, "\r\n")) == 0
	}
}

// IsMbox reports whether a file that begins like this is an mbox.
func IsMbox(_ string, start []byte) bool { return fromLine().Match(utf8text.FirstLine(start)) }

// Separates reports whether a line of an mbox that follows an empty one begins a message, by what comes after it.
func Separates(line, next []byte) bool { return fromLine().Match(line) && headerLine().Match(next) }
