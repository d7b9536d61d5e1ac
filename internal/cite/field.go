package cite

import (
	"context"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// A passage is a part of a field as it is shown, from which characters may have been cleaned away.
type passage struct {
	text   []rune
	places []int // of each rune in the field, in code points; -1 in a window from which characters were cleaned away
	end    int   // code points of the field up to its end
}

// A window is what one call of read_record_field shows.
type window struct {
	Text  string `json:"text"`
	Start int    `json:"start_chars"` // code points of the field
	End   int    `json:"end_chars"`
	Next  *int   `json:"next_offset_chars"`
}

// read reads the cited field's characters from start up to end, or to the end of the field, in as many windows as it takes.
func (c Citation) read(ctx context.Context, session *mcp.ClientSession, start, end int) (p passage, err error) {
	for start < end {
		w, err := c.window(ctx, session, start, min(end-start, windowChars))
		if err != nil || w.Start != start || w.End <= start { // a start beyond the end of the field is moved back to it
			return p, err
		}
		text := []rune(w.Text)
		for i := range text {
			place := -1
			if len(text) == w.End-w.Start {
				place = w.Start + i
			}
			p.places = append(p.places, place)
		}
		p.text, p.end, start = append(p.text, text...), w.End, w.End
		if w.Next == nil {
			break
		}
	}
	return p, nil
}

func (c Citation) window(ctx context.Context, session *mcp.ClientSession, offset, limit int) (window, error) {
	arguments := map[string]any{"id": c.ID, "field": c.Field, "offset_chars": offset, "limit_chars": limit}
	if c.ConnectionID != "" {
		arguments["connection_id"] = c.ConnectionID
	}
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "read_record_field", Arguments: arguments})
	if err != nil {
		return window{}, err
	}
	var answer struct {
		Error struct {
			Code    rs.Code `json:"code"`
			Message string  `json:"message"`
		} `json:"error"`
		Window window `json:"window"`
	}
	data, err := json.Marshal(result.StructuredContent)
	if err == nil {
		err = json.Unmarshal(data, &answer)
	}
	if err == nil && result.IsError {
		err = &ReadError{Code: answer.Error.Code, Message: answer.Error.Message}
	}
	return answer.Window, err
}

// find looks for what was quoted in a whole field. end is 0 when the text is there but its range is not known.
func (c Citation) find(p passage) (start, end int, ok bool) {
	if c.Text != "" {
		return p.findText(render.Quotable(c.Text))
	}
	return c.findHash(p)
}

// findText looks for a quote, whatever the white space.
func (p passage) findText(quote string) (start, end int, ok bool) {
	var line []rune
	var at []int // the place of each rune of line
	for i, r := range p.text {
		if unicode.IsSpace(r) {
			if len(line) == 0 || line[len(line)-1] == ' ' {
				continue
			}
			r = ' '
		}
		line, at = append(line, r), append(at, p.places[i])
	}
	before, _, found := strings.Cut(string(line), quote)
	if !found { // perhaps between tags that the field itself has
		return 0, 0, strings.Contains(render.Quotable(string(p.text)), quote)
	}
	first := utf8.RuneCountInString(before)
	last := first + utf8.RuneCountInString(quote) - 1
	if at[first] < 0 || at[last] < 0 {
		return 0, 0, true
	}
	return at[first], at[last] + 1, true
}

// findHash looks for a text of the cited length with the cited hash, as long as that takes no more than moments.
func (c Citation) findHash(p passage) (start, end int, ok bool) {
	const most = 16 << 20 // runes to hash
	length := *c.End - *c.Start
	if length > len(p.text) || length*(len(p.text)-length) > most {
		return 0, 0, false
	}
	for i := range len(p.text) - length + 1 {
		if at := p.places[i]; at >= 0 && p.places[i+length-1] == at+length-1 && c.hashes(string(p.text[i:i+length])) {
			return at, at + length, true
		}
	}
	return 0, 0, false
}
