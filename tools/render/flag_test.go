package render

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

const scotland = "\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F"

// D19: tag characters are shown inside an emoji flag and nowhere else.
func TestTagCharactersLiveInFlagsOnly(t *testing.T) {
	for name, row := range map[string]struct{ in, want string }{
		"a flag is kept whole":                   {"go " + scotland + "!", "go " + scotland + "!"},
		"two flags in a row are kept":            {scotland + scotland, scotland + scotland},
		"tags after plain text are dropped":      {"a\U000E0067\U000E007F", "a"},
		"tags without an end are dropped":        {"\U0001F3F4\U000E0067\U000E0062 x", "\U0001F3F4 x"},
		"a black flag alone is kept":             {"\U0001F3F4", "\U0001F3F4"},
		"a long hidden message is no flag":       {"\U0001F3F4" + hidden(40) + "\U000E007F", "\U0001F3F4"},
		"a cancel tag alone after it is dropped": {"\U0001F3F4\U000E007F", "\U0001F3F4"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := oneLine(row.in); got != row.want {
				t.Errorf("oneLine = %q, want %q", got, row.want)
			}
			if got := manyLines(row.in); got != row.want {
				t.Errorf("manyLines = %q, want %q", got, row.want)
			}
		})
	}
}

func hidden(n int) string {
	text := ""
	for range n {
		text += "\U000E0061"
	}
	return text
}

func TestAWindowNeverEndsInsideAFlag(t *testing.T) {
	runes := []rune("ab" + scotland)
	cut := string(runes[:5]) // "ab", the black flag and two tags
	body := fmt.Sprintf(`{"field":{"path":"f"},"window":{"text":%q,"start_chars":0,"end_chars":5,"total_chars":%d,"complete":false,"next_offset_chars":5}}`, "PLACE", len(runes))
	quoted, err := json.Marshal(cut)
	if err != nil {
		t.Fatal(err)
	}
	result, err := Window(answer(strings.Replace(body, `"PLACE"`, string(quoted), 1)), WindowQuery{Ref: rs.Ref{Stream: "s", RecordID: "r"}, Field: "f", Limit: 5})
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Window struct {
			Text string `json:"text"`
			Next int    `json:"next_offset_chars"`
		} `json:"window"`
	}
	if err := json.Unmarshal(result.Structured, &got); err != nil {
		t.Fatal(err)
	}
	if got.Window.Text != "ab" || got.Window.Next != 2 {
		t.Errorf("got %q and next %d, want \"ab\" and 2", got.Window.Text, got.Window.Next)
	}
}
