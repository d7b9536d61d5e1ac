package cite

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// A cited field is read through a session.
type cited struct {
	session  *mcp.ClientSession
	citation Citation
}

// A part is a window of the field, as it is shown.
type part struct {
	text       string
	start, end int // code points of the field
}

// read reads the field's characters from start up to end, or to the end of the field, in as many windows as it takes.
func (f cited) read(ctx context.Context, start, end int) ([]part, error) {
	var parts []part
	for start < end {
		p, more, err := f.window(ctx, start, min(end-start, windowChars))
		if err != nil || p.start != start || p.end <= start { // a start beyond the end of the field is moved back to it
			return parts, err
		}
		parts = append(parts, p)
		if !more {
			break
		}
		start = p.end
	}
	return parts, nil
}

// window is one call of read_record_field.
func (f cited) window(ctx context.Context, offset, limit int) (p part, more bool, err error) {
	arguments := map[string]any{"id": f.citation.ID, "field": f.citation.Field, "offset_chars": offset, "limit_chars": limit}
	if f.citation.ConnectionID != "" {
		arguments["connection_id"] = f.citation.ConnectionID
	}
	result, err := f.session.CallTool(ctx, &mcp.CallToolParams{Name: "read_record_field", Arguments: arguments})
	if err != nil {
		return part{}, false, err
	}
	var answer struct {
		Error struct {
			Code    rs.Code `json:"code"`
			Message string  `json:"message"`
		} `json:"error"`
		Window struct {
			Text  string `json:"text"`
			Start int    `json:"start_chars"`
			End   int    `json:"end_chars"`
			Next  *int   `json:"next_offset_chars"`
		} `json:"window"`
	}
	data, err := json.Marshal(result.StructuredContent)
	if err == nil {
		err = json.Unmarshal(data, &answer)
	}
	if err != nil {
		return part{}, false, err
	}
	if result.IsError {
		return part{}, false, &ReadError{Code: answer.Error.Code, Message: answer.Error.Message}
	}
	w := answer.Window
	return part{text: w.Text, start: w.Start, end: w.End}, w.Next != nil, nil
}

// join returns the text of parts, and the place of each of its runes in the field: -1 in a part from which characters were
// cleaned away, where the place is not known.
func join(parts []part) (text string, places []int) {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.text)
		exact := utf8.RuneCountInString(p.text) == p.end-p.start
		at := p.start
		for range p.text {
			if !exact {
				places = append(places, -1)
				continue
			}
			places = append(places, at)
			at++
		}
	}
	return b.String(), places
}

// find looks for what was quoted in a whole field. end is 0 when the text is there but its range is not known.
func (c Citation) find(parts []part) (start, end int, ok bool) {
	text, places := join(parts)
	if c.Text != "" {
		return findText(text, places, render.Quotable(c.Text))
	}
	return c.findHash([]rune(text), places)
}

// findText looks for a quote, whatever the white space.
func findText(text string, places []int, quote string) (start, end int, ok bool) {
	var line bytes.Buffer
	var at []int // the place of each rune of line
	space, n := true, 0
	for _, r := range text {
		place := places[n]
		n++
		if unicode.IsSpace(r) {
			if space {
				continue
			}
			r = ' '
		}
		space = r == ' '
		line.WriteRune(r)
		at = append(at, place)
	}
	if i := strings.Index(line.String(), quote); i >= 0 {
		first := utf8.RuneCount(line.Bytes()[:i])
		last := first + utf8.RuneCountInString(quote) - 1
		if at[first] >= 0 && at[last] >= 0 {
			return at[first], at[last] + 1, true
		}
		return 0, 0, true
	}
	return 0, 0, strings.Contains(render.Quotable(text), quote) // between tags that the field itself has
}

// findHash looks for a text of the cited length with the cited hash, as long as that takes no more than moments.
func (c Citation) findHash(text []rune, places []int) (start, end int, ok bool) {
	const most = 16 << 20 // runes to hash
	length := *c.End - *c.Start
	if length > len(text) || length*(len(text)-length) > most {
		return 0, 0, false
	}
	for i := range len(text) - length + 1 {
		if places[i] >= 0 && places[i+length-1] == places[i]+length-1 && c.hashes(string(text[i:i+length])) {
			return places[i], places[i] + length, true
		}
	}
	return 0, 0, false
}
