package cite

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// A Citation identifies a quote, as answers print it: a record, one of its fields, and the SHA-256 of the text, with the range of code
// points that it was in, or with the text itself.
type Citation struct {
	ID           string `json:"id"`
	ConnectionID string `json:"connection_id"` // only if an answer shows it next to the id
	Field        string `json:"field"`
	Start        *int   `json:"start_chars"`
	End          *int   `json:"end_chars"`
	SHA256       string `json:"sha256"`
	Text         string `json:"text"`
}

// citationExample is what to send instead of an invalid citation.
const citationExample = `cin_a/messages:m1 field=body 0-80 a4c5dafce234ecf8, ` +
	`or {"id":"cin_a/messages:m1","field":"body","start_chars":0,"end_chars":80,"sha256":"a4c5dafce234ecf8"}`

// printedCitation matches a citation as the text of a search prints it: an id, and what is below it up to the colon.
var printedCitation = regexp.MustCompile(`^(\S+)(?:\s+connection_id=(\S+))?\s+field=(\S+|"(?:[^"\\]|\\.)*")` +
	`(?:\s+(\d+)-(\d+))?(?:\s+([0-9a-f]{16,64}))?:?$`)

// ParseCitation reads a citation. text, if it is not "", is the text that was quoted. The error says what is wrong and what to send
// instead.
func ParseCitation(raw, text string) (Citation, error) {
	c, printed := parsePrinted(strings.TrimSpace(raw))
	decoder := json.NewDecoder(strings.NewReader(raw))
	decoder.DisallowUnknownFields()
	_, _, ambiguous := rs.AsObject(raw).Ambiguity("id", "connection_id", "field", "start_chars", "end_chars", "sha256", "text")
	if !printed && (ambiguous || decoder.Decode(&c) != nil || decoder.Decode(new(json.RawMessage)) != io.EOF) {
		return Citation{}, fmt.Errorf("a citation is what a search prints, or one JSON object with no other members than "+
			"id, connection_id, field, start_chars, end_chars, sha256 and text, each once. Send %s", citationExample)
	}
	if text != "" && c.Text != "" && text != c.Text {
		return Citation{}, errors.New("--text and the citation's text differ. Send one of them")
	}
	c.Text = cmp.Or(text, c.Text)
	if c.ID == "" || c.Field == "" {
		return Citation{}, fmt.Errorf("id and field are required. Send %s", citationExample)
	}
	if err := cmp.Or(c.checkRange(), c.checkQuote()); err != nil {
		return Citation{}, err
	}
	if _, err := rs.ParseRef(c.ID); err != nil {
		refused := rs.AsError(err)
		return Citation{}, errors.New(refused.Error() + " " + strings.TrimSuffix(refused.Hint, "."))
	}
	return c, nil
}

// checkRange returns what is wrong with the range of a citation. The range is optional.
func (c Citation) checkRange() error {
	if c.Start == nil && c.End == nil {
		return nil
	}
	if c.Start == nil || c.End == nil || *c.Start < 0 || *c.End <= *c.Start || *c.End-*c.Start > maxCitedChars || *c.End > 1<<30 {
		return fmt.Errorf("start_chars and end_chars are no range. Send both, 0 ≤ start_chars < end_chars, at most %d apart", maxCitedChars)
	}
	return nil
}

var digest = regexp.MustCompile(`^[0-9a-f]{16,64}$`)

// checkQuote returns what is wrong with the digest and the text of a citation. At least one of them is required.
func (c Citation) checkQuote() error {
	switch {
	case c.SHA256 != "" && !digest.MatchString(c.SHA256):
		return errors.New("sha256 is not 16 to 64 lower-case hexadecimal digits. Send it as the answer prints it")
	case c.Text == "" && c.SHA256 == "":
		return fmt.Errorf("neither sha256 nor text says what was quoted. Send %s", citationExample)
	case c.Text == "" && c.Start == nil:
		return errors.New("without start_chars and end_chars the text itself is needed. Send it as --text or as the citation's text")
	case c.Text == "":
		return nil
	case render.Quotable(c.Text) == "":
		return errors.New("the text holds nothing that can be read. Send the words that were quoted")
	case !c.says(c.Text):
		return errors.New("the text is not what sha256 was made of. Send it as the answer shows it, or leave sha256 out")
	}
	return nil
}

// parsePrinted reads a citation as the text of a search prints it, even if copying has broken it into lines.
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

// unquoted returns a name without its quotes. Its white space counts, unless copying has broken the line there.
func unquoted(name string) string {
	for _, form := range []string{name, strings.Join(strings.Fields(name), " ")} {
		if text, err := strconv.Unquote(form); err == nil {
			return text
		}
	}
	return name
}

// says reports whether a text is what was quoted. The text of a field window is hashed as it is, an excerpt as one line. The digest alone
// is not enough if the quote is known: who writes a record can make two texts whose digests begin alike.
func (c Citation) says(text string) bool {
	excerpt := render.Quotable(text) // of white space it is empty, whose digest anybody knows
	if c.Text != "" && excerpt != render.Quotable(c.Text) {
		return false
	}
	return c.SHA256 == "" || strings.HasPrefix(render.Digest(text), c.SHA256) ||
		excerpt != "" && strings.HasPrefix(render.Digest(excerpt), c.SHA256)
}
