package cite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// A Citation says what was quoted, as answers print it: a record, one of its fields, and the SHA-256 of the text, with the
// range of code points in which it stood, or with the text itself.
type Citation struct {
	ID           string `json:"id"`
	ConnectionID string `json:"connection_id"` // only where an answer shows it beside the id
	Field        string `json:"field"`
	Start        *int   `json:"start_chars"`
	End          *int   `json:"end_chars"`
	SHA256       string `json:"sha256"`
	Text         string `json:"text"`
}

// citationExample is what to send instead of a citation that is none.
const citationExample = `cin_a/messages:m1 field=body 0-80 a4c5dafce234ecf8, or {"id":"cin_a/messages:m1","field":"body","start_chars":0,"end_chars":80,"sha256":"a4c5dafce234ecf8"}`

// printedCitation is a citation as the text of a search prints it: an id, and what stands below it up to the colon.
var printedCitation = regexp.MustCompile(`^(\S+)(?: connection_id=(\S+))? field=(\S+|"(?:[^"\\]|\\.)*")(?: (\d+)-(\d+))?(?: ([0-9a-f]{16,64}))?:?$`)

const (
	maxCitedChars = 1 << 20 // of one quote
	maxFieldChars = 4 << 20 // of a field that is looked through for a quote that moved
	windowChars   = 16384   // of one read
	shownChars    = 200     // of what stands in the place of a quote now
)

// ParseCitation reads a citation. text, when there is one, is the text that was quoted. Its error says what is wrong and
// what to send instead.
func ParseCitation(raw, text string) (Citation, error) {
	c, printed := parsePrinted(strings.Join(strings.Fields(raw), " "))
	decoder := json.NewDecoder(strings.NewReader(raw))
	decoder.DisallowUnknownFields()
	if !printed && (decoder.Decode(&c) != nil || decoder.Decode(new(json.RawMessage)) != io.EOF) {
		return Citation{}, fmt.Errorf("a citation is what a search prints, or one JSON object with no other members than id, connection_id, field, start_chars, end_chars, sha256 and text. Send %s", citationExample)
	}
	if text != "" {
		if c.Text != "" && c.Text != text {
			return Citation{}, errors.New("--text and the citation's text differ. Send one of them")
		}
		c.Text = text
	}
	switch {
	case c.ID == "" || c.Field == "":
		return Citation{}, fmt.Errorf("id and field are required. Send %s", citationExample)
	case (c.Start == nil) != (c.End == nil):
		return Citation{}, errors.New("start_chars and end_chars belong together. Send both, or neither and the text")
	case c.Start != nil && (*c.Start < 0 || *c.End <= *c.Start || *c.End-*c.Start > maxCitedChars || *c.End > 1<<30):
		return Citation{}, fmt.Errorf("characters %d to %d are no range. Send 0 ≤ start_chars < end_chars, at most %d apart", *c.Start, *c.End, maxCitedChars)
	case c.SHA256 != "" && (len(c.SHA256) < 16 || len(c.SHA256) > 64 || strings.Trim(c.SHA256, "0123456789abcdef") != ""):
		return Citation{}, errors.New("sha256 is not 16 to 64 lower-case hexadecimal digits. Send it as the answer prints it")
	case c.SHA256 == "" && c.Text == "":
		return Citation{}, fmt.Errorf("neither sha256 nor text says what was quoted. Send %s", citationExample)
	case c.Start == nil && c.Text == "":
		return Citation{}, errors.New("without start_chars and end_chars the text itself is needed. Send it as --text or as the citation's text")
	case c.Text != "" && render.Quotable(c.Text) == "":
		return Citation{}, errors.New("the text holds nothing that can be read. Send the words that were quoted")
	case c.Text != "" && c.SHA256 != "" && !c.hashes(c.Text):
		return Citation{}, errors.New("the text is not what sha256 was made of. Send it as the answer shows it, or leave sha256 out")
	}
	if _, err := rs.ParseRef(c.ID); err != nil {
		return Citation{}, err
	}
	return c, nil
}

// parsePrinted reads a citation as text prints it.
func parsePrinted(line string) (Citation, bool) {
	found := printedCitation.FindStringSubmatch(line)
	if found == nil {
		return Citation{}, false
	}
	c := Citation{ID: found[1], ConnectionID: unquoted(found[2]), Field: unquoted(found[3]), SHA256: found[6]}
	if start, err := strconv.Atoi(found[4]); err == nil {
		if end, err := strconv.Atoi(found[5]); err == nil {
			c.Start, c.End = &start, &end
		}
	}
	return c, true
}

func unquoted(name string) string {
	if text, err := strconv.Unquote(name); err == nil {
		return text
	}
	return name
}

// hashes reports whether a text is what was quoted: the text of a field window is hashed as it is, an excerpt as one line.
func (c Citation) hashes(text string) bool {
	return strings.HasPrefix(render.Digest(text), c.SHA256) || strings.HasPrefix(render.Digest(render.Quotable(text)), c.SHA256)
}

// says reports whether a text is what was quoted.
func (c Citation) says(text string) bool {
	if c.SHA256 != "" {
		return c.hashes(text)
	}
	return render.Quotable(text) == render.Quotable(c.Text)
}

// The outcomes of a check.
const (
	Unchanged = "unchanged" // the field still says it
	Changed   = "changed"   // the field says something else there, and says it nowhere
	NotFound  = "not found" // the record, the field or the text is not to be seen
)

// A Verdict says whether a record still says what was quoted.
type Verdict struct {
	Verdict string `json:"verdict"`
	ID      string `json:"id"`
	Field   string `json:"field"`
	Start   *int   `json:"start_chars,omitempty"` // where the text stands now
	End     *int   `json:"end_chars,omitempty"`
	Detail  string `json:"detail,omitempty"`
}

// String is the verdict as one line.
func (v Verdict) String() string {
	line := v.Verdict + ": " + v.ID + " field " + v.Field
	if v.Start != nil {
		line += fmt.Sprintf(", characters %d to %d", *v.Start, *v.End)
	}
	if v.Detail != "" {
		line += "; " + v.Detail
	}
	return line
}

// A ReadError is a tool's refusal that says nothing about the quote.
type ReadError struct {
	Code    rs.Code
	Message string
}

// Error returns code and message.
func (e *ReadError) Error() string { return string(e.Code) + ": " + e.Message }

// Verify reads what a citation names, through the same tool as a model, and says whether it is still what was quoted. Its
// error is a *ReadError when the tool refused for a reason that is not the record's.
func Verify(ctx context.Context, session *mcp.ClientSession, c Citation) (Verdict, error) {
	f := cited{session: session, citation: c}
	v := Verdict{ID: c.ID, Field: c.Field, Verdict: Unchanged}
	there := ""
	if c.Start != nil {
		parts, err := f.read(ctx, *c.Start, *c.End)
		if err != nil {
			return unreadable(v, err)
		}
		there, _ = join(parts)
		if there != "" && c.says(there) {
			v.Start, v.End = c.Start, c.End
			return v, nil
		}
	}
	parts, err := f.read(ctx, 0, maxFieldChars)
	if err != nil {
		return unreadable(v, err)
	}
	if start, end, ok := c.find(parts); ok {
		if end > 0 {
			v.Start, v.End = &start, &end
		}
		if c.Start != nil {
			v.Detail = fmt.Sprintf("moved from %d to %d", *c.Start, *c.End)
		}
		return v, nil
	}
	total := 0
	for _, p := range parts {
		total = p.end
	}
	switch {
	case c.Start == nil:
		v.Verdict, v.Detail = NotFound, fmt.Sprintf("the text is not among the field's %d characters", total)
	case there == "":
		v.Verdict, v.Detail = Changed, fmt.Sprintf("the field has %d characters now, the quote stood at %d to %d", total, *c.Start, *c.End)
	default:
		v.Verdict, v.Detail = Changed, fmt.Sprintf("characters %d to %d now read %q", *c.Start, *c.End, clip(render.Quotable(there)))
	}
	return v, nil
}

func clip(line string) string {
	if runes := []rune(line); len(runes) > shownChars {
		return string(runes[:shownChars]) + "…"
	}
	return line
}

// gone are the codes of what a grant does not show (any more). A resource server does not tell apart what is not granted
// from what does not exist.
var gone = map[rs.Code]bool{
	rs.NotFound: true, "field_not_granted": true, "unknown_field": true, "field_not_text": true, "connection_not_found": true,
	"grant_stream_not_allowed": true, "context.stream_not_allowed": true, "context.instance_mismatch": true,
}

func unreadable(v Verdict, err error) (Verdict, error) {
	var refusal *ReadError
	if errors.As(err, &refusal) && gone[refusal.Code] {
		v.Verdict, v.Detail = NotFound, refusal.Error()
		return v, nil
	}
	return Verdict{}, err
}

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
