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

// A Call calls a tool, as [transport.Server.Call] does.
type Call func(ctx context.Context, tool string, arguments json.RawMessage) (*mcp.CallToolResult, error)

// A passage is a part of a field as it is shown, from which characters may have been cleaned away.
type passage struct {
	text []rune
	end  int // code points of the field up to its end
}

// A window is what one call of read_record_field shows.
type window struct {
	Text  string `json:"text"`
	Start int    `json:"start_chars"` // code points of the field
	End   int    `json:"end_chars"`
	Next  *int   `json:"next_offset_chars"`
}

// read reads the cited field's characters from start up to end, or to the end of the field, in as many windows as it takes.
func (c Citation) read(ctx context.Context, call Call, start, end int) (p passage, err error) {
	for start < end {
		w, err := c.window(ctx, call, start, min(end-start, windowChars))
		if err != nil || w.Start != start || w.End <= start { // a start beyond the end of the field is moved back to it
			return p, err
		}
		p.text, p.end, start = append(p.text, []rune(w.Text)...), w.End, w.End
		if w.Next == nil {
			break
		}
	}
	return p, nil
}

func (c Citation) window(ctx context.Context, call Call, offset, limit int) (window, error) {
	arguments := rs.Object{
		rs.NewMember("id", c.ID), rs.NewMember("field", c.Field), rs.NewMember("offset_chars", offset), rs.NewMember("limit_chars", limit),
	}
	if c.ConnectionID != "" {
		arguments = append(arguments, rs.NewMember("connection_id", c.ConnectionID))
	}
	result, err := call(ctx, "read_record_field", json.RawMessage(arguments.JSON()))
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
	structured, _ := result.StructuredContent.(json.RawMessage)
	err = json.Unmarshal(structured, &answer)
	if err == nil && result.IsError {
		err = &rs.Error{Code: answer.Error.Code, Message: answer.Error.Message}
	}
	return answer.Window, err
}

// find looks for what was quoted in a whole field. end is 0 when the text is there but its range is not known: it is counted in the field,
// from which characters were cleaned away.
func (c Citation) find(p passage) (start, end int, ok bool) {
	if c.Text != "" {
		start, end, ok = p.findText(render.Quotable(c.Text))
	} else {
		start, end, ok = c.findHash(p.text)
	}
	if len(p.text) != p.end {
		return 0, 0, ok
	}
	return start, end, ok
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
		line, at = append(line, r), append(at, i)
	}
	before, _, found := strings.Cut(string(line), quote)
	if !found { // perhaps between tags that the field itself has
		return 0, 0, strings.Contains(render.Quotable(string(p.text)), quote)
	}
	first := utf8.RuneCountInString(before)
	return at[first], at[first+utf8.RuneCountInString(quote)-1] + 1, true
}

// findHash looks for a text of the cited length with the cited hash, as long as that takes no more than moments.
func (c Citation) findHash(text []rune) (start, end int, ok bool) {
	const most = 16 << 20 // runes to hash
	length := *c.End - *c.Start
	if length > len(text) || length*(len(text)-length) > most {
		return 0, 0, false
	}
	for i := range len(text) - length + 1 {
		if c.says(string(text[i : i+length])) {
			return i, i + length, true
		}
	}
	return 0, 0, false
}
