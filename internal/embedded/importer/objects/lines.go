// Package objects reads JSON objects: one to a line, or in an array.
package objects

import (
	"bufio"
	"bytes"
	"errors"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// A lineReader reads a JSON object to a line.
type lineReader struct {
	lines  *item.Lines
	parser *item.Parser
}

// NewLines reads a JSON object to a line.
func NewLines(input *bufio.Reader) item.Reader {
	return &lineReader{item.NewLines(input), item.NewParser()}
}

func (r *lineReader) Next() (item.Item, error) {
	for {
		text, err := r.lines.Next()
		if errors.Is(err, item.ErrTooLong) {
			return item.Item{}, item.Unusable(r.lines.Number, "%s", err)
		}
		if err != nil {
			return item.Item{}, err
		}
		if text = bytes.Trim(text, " \t\r\n"); len(text) == 0 {
			continue
		}
		fields, text, note, err := r.parser.ParseFinite(text)
		if err != nil {
			return item.Item{}, item.Unusable(r.lines.Number, "%s", err)
		}
		return item.Item{Line: r.lines.Number, Text: text, Fields: fields, Note: note}, nil
	}
}
