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
	input   *bufio.Reader
	line    int  // how many were read
	many    bool // an mbox file
	ended   bool
	message []byte
	from    []byte // the line above the message that is read next
}

// NewReader reads the messages of a file.
func NewReader(input *bufio.Reader) item.Records {
	r := &reader{input: input}
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
	begin, from := max(r.line, 1), r.from
	if err := r.read(); err != nil {
		return item.Item{}, err
	}
	switch {
	case len(r.message) > MaxMessage:
		return item.Item{}, item.Unusable(begin, "a message longer than %d MiB", MaxMessage>>20)
	case !r.many && len(bytes.TrimSpace(r.message)) == 0:
		return item.Item{}, io.EOF // an empty file
	}
	one, err := readMessage(r.message, from)
	if err != nil {
		return item.Item{}, item.Unusable(begin, "%s", err)
	}
	one.Line = begin
	return one, nil
}

// enter goes to the first message.
func (r *reader) enter() error {
	for {
		one, err := r.input.ReadByte()
		if err != nil {
			return err
		}
		if one == '\n' {
			r.line++
		} else if one != '\r' {
			_ = r.input.UnreadByte() // it was read
			break
		}
	}
	start, _ := r.input.Peek(1 << 10)
	if r.many = bytes.HasPrefix(start, []byte("From ")); r.many {
		r.from = bytes.Clone(utf8text.FirstLine(start))
		return r.passLine()
	}
	if !headerLine().Match(utf8text.FirstLine(start)) {
		return item.UnusableError{Reason: `not mail: it begins neither with a line "From ADDRESS DATE" nor with a header`}
	}
	return nil
}

func (r *reader) passLine() error {
	_, err := r.input.ReadSlice('\n')
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = r.input.ReadSlice('\n')
	}
	if r.line++; errors.Is(err, io.EOF) {
		return nil // the message is empty, which readMessage tells
	}
	return err
}

// read takes the lines up to the next message.
func (r *reader) read() error {
	r.message = r.message[:0]
	lineStart, afterEmpty := true, false
	for {
		part, err := r.input.ReadSlice('\n')
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		if r.many && lineStart {
			if afterEmpty && bytes.HasPrefix(part, []byte("From ")) {
				part = bytes.Clone(part) // before Peek, which overwrites it
				if next, _ := r.input.Peek(1 << 10); Separates(part, next) {
					r.line++
					r.from, r.message = part, trimLine(r.message)
					return nil
				}
			}
			if quotedFrom().Match(part) {
				part = part[1:]
			}
		}
		if len(r.message) <= MaxMessage {
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

// IsMbox reports whether a file that begins like this is an mbox.
func IsMbox(_ string, start []byte) bool { return fromLine().Match(utf8text.FirstLine(start)) }

// Separates reports whether a line of an mbox that follows an empty one begins a message, by what comes after it.
func Separates(line, next []byte) bool { return fromLine().Match(line) && headerLine().Match(next) }

// trimLine takes the empty line away that stands between two messages.
func trimLine(message []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(message, []byte("\n")), []byte("\r"))
}
