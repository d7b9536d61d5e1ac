package cite

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// windowsOf returns a Call that reads a field in windows of at most size characters, and counts the reads.
func windowsOf(field string, size int, reads *int) Call {
	return func(_ context.Context, _ string, arguments json.RawMessage) (*mcp.CallToolResult, error) {
		*reads++
		var sent struct {
			Offset int `json:"offset_chars"`
			Limit  int `json:"limit_chars"`
		}
		if err := json.Unmarshal(arguments, &sent); err != nil {
			return nil, err
		}
		text := []rune(field)
		start := min(sent.Offset, len(text))
		end := min(start+min(sent.Limit, size), len(text))
		next := "null"
		if end < len(text) {
			next = fmt.Sprint(end)
		}
		return &mcp.CallToolResult{StructuredContent: json.RawMessage(fmt.Sprintf(
			`{"window":{"text":%s,"start_chars":%d,"end_chars":%d,"next_offset_chars":%s}}`, rs.EncodeJSON(string(text[start:end])), start, end, next,
		))}, nil
	}
}

// The digest of an empty text is no quote: every field has white space somewhere.
func TestTheDigestOfNothingIsNowhere(t *testing.T) {
	for _, digits := range []int{16, 64} {
		citation, err := ParseCitation("notes:n1 field=body 3-4 "+render.Digest("")[:digits], "")
		if err != nil {
			t.Fatal(err)
		}
		for _, field := range []string{"The boiler is off.", "But…"} {
			if v, err := Verify(t.Context(), windowsOf(field, windowChars, new(int)), citation); err != nil || v.Verdict != Changed {
				t.Errorf("%q: %v %v", field, v, err)
			}
		}
	}
}

// A window of white space alone is cited by the digest of the white space itself.
func TestAWindowOfWhiteSpaceIsUnchanged(t *testing.T) {
	citation, err := ParseCitation("notes:n1 field=body 3-5 "+render.Digest("\n\n"), "")
	if err != nil {
		t.Fatal(err)
	}
	if v, err := Verify(t.Context(), windowsOf("The\n\nboiler", windowChars, new(int)), citation); err != nil || v.Verdict != Unchanged {
		t.Errorf("%v %v", v, err)
	}
}

// A resource server that gives a long field in tiny parts is not asked for all of them.
func TestAFieldInTinyPartsIsNotReadForever(t *testing.T) {
	citation, err := ParseCitation(`{"id":"notes:n1","field":"body","text":"valve"}`, "")
	if err != nil {
		t.Fatal(err)
	}
	reads := 0
	_, err = Verify(t.Context(), windowsOf(strings.Repeat("x", 1<<16), 1, &reads), citation)
	if refused := rs.AsError(err); refused.Code != "invalid_response" || reads != maxWindows {
		t.Errorf("%v after %d reads", err, reads)
	}
}

// A reader of a citation must see what is checked: no member occurs twice, or in another case.
func TestACitationHasEachMemberOnce(t *testing.T) {
	for _, raw := range []string{
		`{"id":"notes:n1","field":"body","text":"yes","text":"no"}`,
		`{"id":"notes:n1","ID":"notes:n2","field":"body","text":"yes"}`,
		`{"id":"notes:n1","Field":"body","text":"yes"}`,
	} {
		if c, err := ParseCitation(raw, ""); err == nil || !strings.Contains(err.Error(), "each once") {
			t.Errorf("%s: %+v %v", raw, c, err)
		}
	}
}

// The error for a malformed id says what to send, in sentences of which the caller ends the last.
func TestAMalformedIDIsExplained(t *testing.T) {
	_, err := ParseCitation(`{"id":"n1","field":"body","text":"yes"}`, "")
	if err == nil || !strings.Contains(err.Error(), "exactly as search or query_records printed it") || strings.HasSuffix(err.Error(), "..") {
		t.Errorf("%v", err)
	}
}

// White space in the printed name of a field tells it from another field; white space around it does not matter.
func TestAPrintedNameIsReadExactly(t *testing.T) {
	for raw, field := range map[string]string{
		`notes:n1 field="a  b" 0-3 0123456789abcdef:`:              "a  b",
		"  notes:n1\n   field=\"a b\"   0-3\n 0123456789abcdef:  ": "a b",
		"notes:n1 field=\"a\n  b\" 0-3 0123456789abcdef":           "a b",
		"notes:n1 field=body 0-3 0123456789abcdef":                 "body",
	} {
		if c, err := ParseCitation(raw, ""); err != nil || c.Field != field || *c.End != 3 || c.SHA256 != "0123456789abcdef" {
			t.Errorf("%q: %+v %v", raw, c, err)
		}
	}
}

// Who writes a record can make two texts whose digests begin alike. One is no proof of the other if the quote itself is known.
func TestATextWithALikeDigestIsNoQuote(t *testing.T) {
	quote, other := "The valve is fine.", ""
	for n := 0; !strings.HasPrefix(render.Digest(other), render.Digest(quote)[:2]); n++ { // two digits take the place of sixteen
		other = fmt.Sprintf("The valve leaks %03d.", n)
	}
	start, end := 0, len(other)
	citation := Citation{ID: "notes:n1", Field: "body", Start: &start, End: &end, SHA256: render.Digest(quote)[:2], Text: quote}
	if v, err := Verify(t.Context(), windowsOf(other, windowChars, new(int)), citation); err != nil || v.Verdict != Changed {
		t.Errorf("%v %v", v, err)
	}
}
