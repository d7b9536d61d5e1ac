// Package objects reads JSON objects: one to a line, or in an array.
package objects

import (
	"bufio"
	"bytes"
	"errors"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// NewLines reads one JSON object per line.
func NewLines(input *bufio.Reader) item.Records {
	lines, parser := item.NewLines(input), item.NewParser()
	return item.Each(func() (item.Item, error) {
		for {
			text, err := lines.Next()
			if errors.Is(err, item.ErrTooLong) {
				return item.Item{}, item.Unusable(lines.Number, "%s", err)
			}
			if err != nil {
				return item.Item{}, err
			}
			if text = bytes.Trim(text, " \t\r\n"); len(text) == 0 {
				continue
			}
			fields, text, note, err := parser.ParseFinite(text)
			if err != nil {
				return item.Item{}, item.Unusable(lines.Number, "%s", err)
			}
			return item.Item{Line: lines.Number, Text: text, Fields: fields, Note: note}, nil
		}
	})
}
