package render

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/answer"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/item"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/marked"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// Limits of the parts of a window or blob answer, in bytes.
const (
	windowField = 2 << 10  // the resource server's description of the field
	windowText  = 20 << 10 // the text of a field window, which is sent on both channels
	blobText    = 16 << 10 // an inline blob
)

// A WindowQuery is the call that a field window answers: by Offset and Limit, or around the first match of Q. All numbers count
// characters, which are code points. Its JSON is part of a [WindowHandle].
type WindowQuery struct {
	Ref    rs.Ref `json:"-"`
	Field  string `json:"field"`
	Offset int    `json:"offset_chars,omitempty"`
	Limit  int    `json:"limit_chars,omitempty"`
	Q      string `json:"q,omitempty"`
	Before *int   `json:"before_chars,omitempty"` // nil means the resource server's default, which is not 0
	After  *int   `json:"after_chars,omitempty"`
}

// at returns the arguments that read from an offset with the same limit; nil if the offset is unknown (negative).
func (q WindowQuery) at(offset int) *write.Object {
	if offset < 0 {
		return nil
	}
	a := new(write.Object).Text("id", q.Ref.String()).Text("field", q.Field)
	return a.Put("offset_chars", strconv.Itoa(offset)).Number("limit_chars", q.Limit)
}

// Prefixes of the resource URIs of windows and blobs.
const (
	WindowURIPrefix = "pdpp://field-window/"
	BlobURIPrefix   = "pdpp://blob/"
)

// A WindowHandle is the JSON inside a pdpp://field-window/{handle} (S1-2b).
type WindowHandle struct {
	Version int    `json:"v"`    // 1
	Kind    string `json:"kind"` // "field_window"
	ID      string `json:"id"`   // a record id, as rs.ParseRef reads it
	WindowQuery
}

// URI returns the resource URI of a field window. It belongs in _meta only (S1-4a).
func (q WindowQuery) URI() string {
	return WindowURIPrefix + rs.EncodeHandle(&WindowHandle{Version: 1, Kind: "field_window", ID: q.Ref.String(), WindowQuery: q})
}

// A windowSpan is the text of a window and its place in the field, in code points. -1 is unknown.
type windowSpan struct {
	text                 string
	start, end, total    int
	next, previous       int // offsets of the adjacent windows
	matchStart, matchEnd int
	complete             bool // the window is the whole field
	matches              int  // in the field; 0 if unknown
	starts               []int
}

// Window renders a part of a text field, inline on both channels (S1-3a). Structured is
// {"id","field","window","next"}; next is the call of the following read and is absent at the end.
func Window(response *rs.Response, q WindowQuery) (Result, error) {
	const what = "read_record_field"
	o, err := answer.Decode(response, what)
	if err != nil {
		return Result{}, err
	}
	other := item.Other(o, q.Ref)
	if path := o.Object("field").Text("path"); other == "" && path != "" && path != q.Field {
		other = "field"
	}
	if other != "" {
		return Result{}, answer.Invalid(what, "is of another "+other+" than the one that was asked for")
	}
	w := o.Object("window")
	if w == nil {
		return Result{}, answer.Invalid(what, "has no window: it is "+rs.Kind(o.Get("window")))
	}
	if rs.Kind(w.Get("text")) != "string" {
		return Result{}, answer.Invalid(what, "has no text: window.text is "+rs.Kind(w.Get("text")))
	}
	s := readSpan(w, q)
	s.readMatches(o.Object("matches"))
	s.fit(windowText)
	s.endBeforeFlag()
	return Result{
		Text:       windowPage(s, q),
		Structured: windowStructured(o, s, q),
		Meta:       map[string]any{"pdpp/resource_uri": q.URI()},
	}, nil
}

// readSpan reads a window. Some resource servers count its end in UTF-16 units, although offsets and limits are code points. Such an end
// would skip text for every character outside the basic plane, so the next window begins at start plus the code points read.
func readSpan(w object, q WindowQuery) windowSpan {
	number := func(key string) int {
		if n, ok := w.Number(key); ok && n >= 0 {
			return n
		}
		return -1
	}
	s := windowSpan{
		start: number("start_chars"), end: number("end_chars"), total: number("total_chars"),
		next: number("next_offset_chars"), previous: number("previous_offset_chars"),
		matchStart: number("match_start_chars"), matchEnd: number("match_end_chars"),
	}
	s.text, _ = rs.AsText(w.Get("text"))
	runes := utf8.RuneCountInString(s.text)
	units := runes + marked.Surrogates(s.text)
	if s.start < 0 {
		s.start = q.Offset
	}
	if runes == 0 && s.total >= 0 { // the server may repeat an offset that is beyond the end
		s.start = min(s.start, s.total)
		s.end = s.start
	}
	more := s.next >= 0 || w.Flag("has_more")
	if s.end < 0 {
		s.end = s.start + runes
	}
	if claimed := s.end - s.start; runes < claimed && claimed <= units {
		s.end = s.start + runes
		more, s.next = s.total < 0 || s.end < s.total, s.end // if the length is unknown, the next window shows whether the field ends here
	}
	if s.next <= s.start { // never the same window again
		s.next = s.end
	}
	if s.total >= 0 && s.total < s.end {
		s.total = s.end
	}
	if !more || s.next <= s.start {
		s.next = -1
	}
	if s.previous >= s.start {
		s.previous = -1
	}
	if s.matchStart < s.start || s.matchEnd < s.matchStart {
		s.matchStart, s.matchEnd = -1, -1
	}
	s.complete = s.start == 0 && s.next < 0
	return s
}

// fit truncates the window between characters so that it takes at most max bytes on either channel and no more lines than hosts show. It
// adjusts the end and the next offset.
func (s *windowSpan) fit(max int) {
	const handles = 8 // lines around the text
	runes := []rune(s.text[:clean.RuneIndex(s.text, max+1)])
	n := sort.Search(len(runes), func(n int) bool {
		text := string(runes[:n+1])
		lines := write.QuoteLines(text)
		return write.Size(lines)-len("> \n") > max || write.Escaped(text) > max || len(lines) > write.TextLines-handles
	})
	if n == len(runes) {
		return
	}
	s.text, s.end = string(runes[:n]), s.start+n
	s.next, s.complete = s.end, false
	if s.matchEnd > s.end {
		s.matchStart, s.matchEnd = -1, -1
	}
}

// endBeforeFlag moves the end of a window that stops inside an emoji flag to before the flag, because parts of a flag are not shown.
func (s *windowSpan) endBeforeFlag() {
	cut := clean.OpenFlag(s.text)
	if s.next < 0 || cut == 0 || cut == len(s.text) {
		return
	}
	s.end -= utf8.RuneCountInString(s.text[cut:])
	s.text, s.next = s.text[:cut], s.end
}

func windowStructured(o object, s windowSpan, q WindowQuery) string {
	field := o.Get("field")
	if rs.Kind(field) != "object" {
		field = new(write.Object).Plain("path", q.Field).JSON()
	}
	text := clean.Lines(s.text)
	out := new(write.Object).Plain("id", q.Ref.String()).Put("field", write.Truncate(field, windowField)).Open("window", '{')
	out.Plain("text", text).Plain("sha256", marked.Digest(text)).Put("start_chars", write.JSON(s.start)).Put("end_chars", write.JSON(s.end))
	out.Put("total_chars", numberOrNull(s.total)).Put("complete", write.JSON(s.complete))
	out.Put("next_offset_chars", numberOrNull(s.next)).Put("previous_offset_chars", numberOrNull(s.previous))
	if s.matchStart >= 0 {
		out.Put("match_start_chars", write.JSON(s.matchStart)).Put("match_end_chars", write.JSON(s.matchEnd))
	}
	if s.matches > 1 {
		out.Put("match_count", write.JSON(s.matches)).Put("match_starts_chars", write.JSON(s.starts))
	}
	const tool = "read_record_field"
	out.Close('}').Put("next", write.ToolCall(tool, q.at(s.next).JSON())).Put("next_match", write.ToolCall(tool, s.nextMatch(q).JSON()))
	return out.Optional("warning", s.beyond(q)).JSON()
}

func numberOrNull(n int) string {
	if n < 0 {
		return "null"
	}
	return write.JSON(n)
}

func (s windowSpan) beyond(q WindowQuery) string {
	behind := s.text == "" && q.Offset > 0
	if s.total < 0 {
		return write.When(behind, fmt.Sprintf("offset_chars %d is not before the end of the field.", q.Offset))
	}
	return write.When(behind && q.Offset >= s.total,
		fmt.Sprintf("offset_chars %d is beyond the end: the field has %s.", q.Offset, write.Plural(s.total, "character")))
}

// windowPage returns the place of the window, the calls that read further, the digest to check a quote, the quoted text, and again the
// calls that read further.
func windowPage(s windowSpan, q WindowQuery) string {
	head := q.Ref.String() + " field " + clean.Name(q.Field) + ": "
	if s.complete {
		head += fmt.Sprintf("complete, %d characters", s.end)
	} else if head += fmt.Sprintf("characters %d to %d", s.start, s.end); s.total >= 0 {
		head += fmt.Sprintf(" of %d", s.total)
	}
	head += write.When(s.matchStart >= 0, fmt.Sprintf("; match at %d to %d", s.matchStart, s.matchEnd)+s.otherMatches()) +
		write.When(s.next < 0 && !s.complete, "; the end of the field")
	const tool = "read_record_field"
	next, previous := write.Lead("next part: ", q.at(s.next).Call(tool)), write.Lead("previous part: ", q.at(s.previous).Call(tool))
	match := write.Lead("next match: ", s.nextMatch(q).Call(tool))
	lines := []string{cmp.Or(s.beyond(q), "The text is empty.")}
	if s.text != "" {
		digest := "sha256 " + marked.Digest(clean.Lines(s.text)) + " of this text"
		lines = slices.Concat([]string{digest}, write.QuoteLines(s.text), []string{next, match})
	}
	return strings.Join(write.NotEmpty(append([]string{clean.Clip(head, write.LineChars), next, match, previous}, lines...)...), "\n")
}

func (s *windowSpan) readMatches(matches object) {
	s.matches, _ = matches.Number("count")
	for _, raw := range matches.Array("starts") {
		if n, err := strconv.Atoi(raw); err == nil {
			s.starts = append(s.starts, n)
		}
	}
}

// nextMatch returns the call that reads the first match after the window; nil if there is none or its place is unknown.
func (s windowSpan) nextMatch(q WindowQuery) *write.Object {
	const around = 200 // characters before the match, and after its start
	at := slices.IndexFunc(s.starts, func(start int) bool { return start >= s.end })
	if at < 0 {
		return nil
	}
	q.Limit = 2*around + utf8.RuneCountInString(q.Q)
	return q.at(max(s.starts[at]-around, s.end))
}

// otherMatches says where the other matches are, if there are several.
func (s windowSpan) otherMatches() string {
	if s.matches < 2 {
		return ""
	}
	others := write.EachOf(s.starts, len(s.starts), func(start int) string {
		return write.When(start != s.matchStart, strconv.Itoa(start))
	})
	more := write.When(s.matches > len(s.starts), ", …")
	return fmt.Sprintf(" (1 of %d; others at %s%s)", s.matches, strings.Join(others, ", "), more)
}
