package correct

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// value converts a value to the type of its parameter if the conversion is certain.
func (t Tool) value(p *parameter, raw string) string {
	switch p.Type {
	case "integer":
		if s, ok := written.Text(raw); ok && foreign.WholeNumber().MatchString(strings.TrimSpace(s)) {
			n, _ := strconv.Atoi(strings.TrimSpace(s))
			return strconv.Itoa(n)
		}
	case "array":
		return list(raw)
	case "string":
		return t.string(p, raw)
	case "object":
		if p.Name == "filter" {
			return foreign.Canonical(raw)
		}
	}
	return raw
}

// nameArguments have a name or an id as their value. White space or quotation marks around it are never meant.
var nameArguments = []string{"stream", "connection_id", "field", "id", "group_by", "group_by_time", "time_zone", "sort"}

// every matches the word before the name of a unit of time, as in "per month".
var every = written.Expression(`^(?:per|by|each|every|calendar)_`)

func (t Tool) string(p *parameter, raw string) string {
	if (p.Name == "q" || p.Name == "query") && !t.Takes("field") {
		return strings.ReplaceAll(strings.ReplaceAll(foreign.OneQuery(raw), "<mark>", ""), "</mark>", "") // copied from an excerpt
	}
	raw = soleItem(raw)
	s, isText := written.Text(raw)
	sent, ok := rs.AsText(raw)
	plain := every().ReplaceAllString(written.Snake(sent), "")
	plain = cmp.Or(foreign.WordForms[p.Name][sent], foreign.WordForms[p.Name][plain], plain) // as sent first: Snake drops the sign of -1
	switch {
	case p.Name == "since" || p.Name == "until":
		if day := written.Day(p.Name, cmp.Or(written.Reordered(raw), raw)); day != "" {
			return rs.EncodeJSON(day)
		}
	case isText && p.Name == "cursor" && s != "":
		return rs.EncodeJSON(written.Cursor(s))
	case p.Name == "order" && t.Takes("sort") && foreign.Quantities[written.Snake(sent)]: // it needs a field
	case ok && slices.Contains(p.Words, plain):
		return rs.EncodeJSON(plain)
	case p.Words == nil && isText && (p.Name == "q" || slices.Contains(nameArguments, p.Name)) && written.Unquoted(s) != "":
		return rs.EncodeJSON(written.Unquoted(s))
	}
	return raw
}

// guessed returns the value that is probably meant, or "" to leave the argument out.
func (t Tool) guessed(p *parameter, raw string) string {
	switch {
	case p.Type == "integer":
		return p.guessedNumber(raw)
	case p.Words != nil:
		return t.guessedWord(p, raw)
	case p.Type == "array":
		if list, _ := rs.AsArray(foreign.Chosen(raw)); len(list) == 0 {
			return ""
		}
		return foreign.Chosen(raw)
	case p.Type == "string":
		raw = foreign.TextIn(p.Name, raw)
		if list, ok := rs.AsArray(raw); ok && len(list) > 0 {
			raw = list[0]
		}
		if s, _ := written.Text(raw); strings.TrimSpace(s) == "" {
			return ""
		}
	case p.Name == "expand_limit" && len(rs.AsObject(raw)) == 0:
		return ""
	}
	return raw
}

// guessedNumber is guessed for an integer.
func (p *parameter) guessedNumber(raw string) string {
	text, isText := rs.AsText(raw)
	if likely := foreign.LikelyForms[p.Name][written.Snake(text)]; likely != "" {
		text, raw = likely, likely
	}
	if count, ok := strings.CutPrefix(text, "top "); ok {
		text, raw = count, count
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil && n == math.Trunc(n) && math.Abs(n) < 1e10 { // 1e3
		text = strconv.Itoa(int(n))
		raw = text
	}
	number, _ := rs.Object{{Name: "n", Value: strings.TrimPrefix(text, "+")}}.Number("n")
	switch {
	case !isText || !foreign.WholeNumber().MatchString(text) || strings.HasPrefix(text, "-") || number < p.Least:
		return ""
	case number > p.Most:
		return rs.EncodeJSON(p.Most)
	}
	return raw
}

// guessedWord is guessed for a parameter that takes one of a few words.
func (t Tool) guessedWord(p *parameter, raw string) string {
	if list, _ := rs.AsArray(list(raw)); len(list) > 0 {
		raw = t.string(p, list[0])
	}
	word, _ := rs.AsText(raw)
	likely, near := foreign.LikelyForms[p.Name][written.Snake(word)], written.Nearest(word, p.Words, 1)
	switch {
	case likely != "":
		return rs.EncodeJSON(likely)
	case slices.Contains(p.Words, word):
		return raw
	case len(near) > 0 && written.Distance(written.Snake(word), near[0]) <= max(1, len(near[0])/3): // half_year does not mean year
		return rs.EncodeJSON(near[0])
	}
	return ""
}
