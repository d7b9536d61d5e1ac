package services

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// cells are the pieces of a page that begin with a mark, of which one is in memory at a time.
type cells struct {
	above   string // what stands before the first
	scanner *bufio.Scanner
}

func newCells(file io.Reader, mark []byte) *cells {
	c := &cells{scanner: bufio.NewScanner(file)}
	c.scanner.Buffer(nil, item.MaxLine)
	c.scanner.Split(func(data []byte, atEnd bool) (int, []byte, error) {
		if at := bytes.Index(data, mark); at >= 0 {
			return at + len(mark), data[:at], nil
		}
		if atEnd && len(data) > 0 {
			return len(data), data, nil
		}
		return 0, nil, nil
	})
	if c.scanner.Scan() {
		c.above = utf8text.Mend(c.scanner.Text())
	}
	return c
}

// next returns what follows the mark of the next piece.
func (c *cells) next() (string, error) {
	if c.scanner.Scan() {
		return utf8text.Mend(c.scanner.Text()), nil
	}
	err := c.scanner.Err()
	if err == nil {
		return "", io.EOF
	}
	if errors.Is(err, bufio.ErrTooLong) {
		c.scanner = bufio.NewScanner(strings.NewReader(""))
		return "", item.UnusableError{Reason: "what follows is left out: " + item.ErrTooLong.Error()}
	}
	return "", err
}
