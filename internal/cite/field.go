package cite

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// A Call calls a tool, as [transport.Server.Call] does.
type Call func(ctx context.Context, tool string, arguments json.RawMessage) (*mcp.CallToolResult, error)

// A window is what one call of read_record_field shows.
type window struct {
	Text  string `json:"text"`
	Start int    `json:"start_chars"` // code points of the field
	End   int    `json:"end_chars"`
	Next  *int   `json:"next_offset_chars"`
}

// read reads the cited field's characters from start up to end, or to the end of the field, in as many windows as it takes. The tool may
// have removed characters from the text.
func (c Citation) read(ctx context.Context, call Call, start, end int) (text []rune, err error) {
	for windows := 0; start < end; windows++ {
		if windows == maxWindows {
			return nil, &rs.Error{Code: "invalid_response", Message: "The resource server gives the field in too many small parts."}
		}
		w, err := c.window(ctx, call, start, min(end-start, windowChars))
		if err != nil || w.Start != start || w.End <= start { // a start beyond the end of the field is moved back to it
			return text, err
		}
		text, start = append(text, []rune(w.Text)...), w.End
		if w.Next == nil {
			break
		}
	}
	return text, nil
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

// isIn reports whether a whole field contains the quote anywhere: the text, regardless of white space, or a text of the cited length with
// the cited hash, unless looking for the hash would take too long.
func (c Citation) isIn(field []rune) bool {
	if c.Text != "" {
		return strings.Contains(render.Quotable(string(field)), render.Quotable(c.Text))
	}
	const most = 16 << 20 // runes to hash
	length := *c.End - *c.Start
	if length > len(field) || length*(len(field)-length) > most {
		return false
	}
	for i := range len(field) - length + 1 {
		if c.says(string(field[i : i+length])) {
			return true
		}
	}
	return false
}
