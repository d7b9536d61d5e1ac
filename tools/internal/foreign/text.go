package foreign

import (
	"regexp"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// The parts of a filter that is a text: of SQL, OData, Lucene, Python and the formulas of tables. Each stands at the start of what is left.
var (
	rowsOf       = written.Expression(`(?is)^\s*(?:where\s+(.*)|\w+(?:\.loc)?\[([^'"].*)\]|\w+\.query\(["'](.*)["']\))\s*$`)
	orSign       = written.Expression(`(?i)^(?:or\b|\|\|?)`)
	andSign      = written.Expression(`(?i)^(?:and\b|&&?|;)`)
	notSign      = written.Expression(`(?i)^(?:not\b|!|~)`)
	bracket      = written.Expression(`(?i)^(and|or|not)?\s*\(`)
	textFunction = written.Expression(`(?i)^(contains|startswith|endswith|like|ilike|match)\s*\(\s*\{?([A-Za-z_][\w.]*)\}?\s*,([^()]*)\)`)
	fieldCall    = written.Expression(`(?i)^(?:lower|upper|trim|date|tolower|toupper)\s*\(\s*([A-Za-z_][\w.]*)\s*\)`)
	fieldMethod  = written.Expression(`^([A-Za-z_]\w*(?:\.\w+)*?)(?:\.str|\.dt)?\.(\w+)\s*\(([^()]*|\[[^\[\]]*\])\)`)
	fieldIndex   = written.Expression(`^\w+(?:\.loc)?\[\s*["']([\w. ]+)["']\s*\]`)
	fieldSign    = written.Expression("^(?:\"([A-Za-z_][\\w.]*)\"|`([A-Za-z_][\\w.]*)`|" +
		"\\{([A-Za-z_][\\w.]*)\\}|\\[([A-Za-z_][\\w.]*)\\]|([A-Za-z_][\\w.]*))")
	operatorSign = written.Expression(`(?i)^(?:(>=|<=|<>|!==?|===?|=~|=|>|<|:|~)|\[\$?(\w+)\]\s*=|` +
		`(?:is\s+)?((?:greater|more|larger|higher|less|fewer|smaller|lower)\s+than(?:\s+or\s+equal(?:\s+to)?)?|at\s+least|at\s+most|` +
		`over|under|above|below|exceeds|before|after|since|until)\b|(is\s+not|is|not\s+in|in|` +
		`not\s+(?:i?like|contains|between)|i?like|contains|between|eq|neq?|gte?|ge|lte?|le|matches|starts\s*with|ends\s*with)\b)`)
	boundSign  = written.Expression(`^(?:>=|<=|>|<)`)
	quotedSign = written.Expression(`(?i)^(?:datetime(?:offset)?|date|timestamp|guid)?\s*(?:'((?:[^'\\]|''|\\.)*)'|"((?:[^"\\]|""|\\.)*)")`)
	bareSign   = written.Expression(`^[^\s(),;&|'"\[\]{}]+`)
	wordSign   = written.Expression(`^[^\s(),;&|'"<>=!:~\[\]{}]+`)
	spanSign   = written.Expression(`^[\[{]\s*(\S+)\s+(?i:to)\s+([^\s\]}]+)\s*[\]}]`)
	nextField  = written.Expression(`^(?:[+-]?[A-Za-z_][\w.]*\s*(?:>=|<=|<>|!=|=|>|<|:))`)
)

// A filterText is a text that is read from its start.
type filterText struct {
	reader *filterReader
	rest   string
	field  string // that is compared, in a text that is its value
	depth  int
	within int // functions, of which commas divide the arguments
}

// LongestText bounds the texts that are read as conditions or a statement.
const LongestText = 4 << 10

// maxWords bounds a value without quotation marks.
const maxWords = 40

// text reads a filter that is one text.
func (r *filterReader) text(s string) expression {
	if len(s) > LongestText {
		return nil
	}
	if rows := rowsOf().FindStringSubmatch(s); rows != nil {
		s = strings.Join(rows[1:], "")
	}
	return (&filterText{reader: r, rest: s}).whole()
}

// textOf reads a value of a field that is a condition, such as ">= 5 and < 9"; nil for any other.
func (r *filterReader) textOf(field, s string) expression {
	t := &filterText{reader: r, rest: s, field: field}
	if word, value, ok := strings.Cut(s, ":"); ok && BoundOf(word) != "" {
		return r.operated(field, word, literal(value), 0)
	}
	if !t.is(boundSign) || !strings.ContainsAny(t.rest, "0123456789") {
		return nil
	}
	return t.whole()
}

func (t *filterText) whole() expression {
	e := t.any()
	if t.space(); t.rest != "" {
		return nil
	}
	return e
}

func (t *filterText) space() { t.rest = strings.TrimLeft(t.rest, " \t\r\n") }

// take takes what matches at the start, and returns its parts; nil for nothing.
func (t *filterText) take(part func() *regexp.Regexp) []string {
	t.space()
	head := t.head()
	found := part().FindStringSubmatch(head)
	if found == nil || len(found[0]) == len(head) && len(head) < len(t.rest) {
		return nil
	}
	t.rest = t.rest[len(found[0]):]
	return found
}

// head is as much of what is left as one part of it may have: a regular expression costs by the length of its text, even where it matches
// at the start alone.
func (t *filterText) head() string { return t.rest[:min(len(t.rest), 500)] }

// is reports whether something stands at the start.
func (t *filterText) is(part func() *regexp.Regexp) bool {
	t.space()
	return part().MatchString(t.head())
}

func (t *filterText) takes(sign string) bool {
	t.space()
	rest, ok := strings.CutPrefix(t.rest, sign)
	t.rest = rest
	return ok
}

// any reads alternatives.
func (t *filterText) any() expression {
	e := t.all()
	for e != nil && t.take(orSign) != nil {
		e = e.or(t.all())
	}
	return e
}

// all reads conditions that all hold. Those of a search stand beside each other without a word.
func (t *filterText) all() expression {
	e := t.one()
	for e != nil {
		colon := t.field == "" && t.is(nextField) && strings.HasSuffix(nextField().FindString(t.head()), ":")
		if t.take(andSign) == nil && !colon && (t.within > 0 || !t.takes(",")) {
			break
		}
		e = e.and(t.one())
	}
	return e
}

// one reads a condition, or what stands in brackets.
func (t *filterText) one() expression {
	if t.depth++; t.depth > maxNesting*4 {
		return nil
	}
	if found := t.take(bracket); found != nil {
		return t.joined(strings.ToLower(found[1]))
	}
	t.takes("+")
	if t.space(); len(t.rest) > 1 && t.rest[0] == '-' && t.is(nextField) || t.take(notSign) != nil {
		t.rest = strings.TrimPrefix(t.rest, "-")
		return t.one().not()
	}
	if found := t.take(textFunction); found != nil {
		return t.method(found[2], found[1], found[3])
	}
	field := t.field
	if field == "" {
		if found := t.take(fieldMethod); found != nil {
			return t.method(found[1], found[2], found[3])
		}
		field = t.name()
	}
	found := t.take(operatorSign)
	if field == "" || found == nil {
		return nil
	}
	word := written.Snake(strings.Join(strings.Fields(strings.Join(found[1:], "")), "_"))
	if word == ":" {
		word = "="
	}
	return t.compared(field, word)
}

// joined reads what is in brackets, or the arguments of AND(…), OR(…) or NOT(…).
func (t *filterText) joined(word string) expression {
	t.within++
	defer func() { t.within-- }()
	e := t.any()
	for e != nil && t.takes(",") {
		e = joined([]expression{e, t.any()}, word == "or")
	}
	switch closed := t.takes(")"); {
	case !closed:
		return nil
	case word == "not":
		return e.not()
	}
	return e
}

// method reads total.between(1, 5), merchant.str.contains('a') and the like.
func (t *filterText) method(field, word, arguments string) expression {
	field = t.ofRow(field)
	word = strings.TrimPrefix(strings.ToLower(word), "is")
	values := rs.JoinArray((&filterText{rest: "[" + strings.Trim(strings.TrimSpace(arguments), "[]") + "]"}).values("]"))
	if list, _ := rs.AsArray(values); len(list) == 1 && word != "in" {
		values = list[0]
	}
	switch word {
	case "null", "na", "notnull", "notna":
		word, values = strings.Replace(word, "na", "null", 1), "true"
	}
	return t.reader.operated(field, word, values, 0)
}

// name reads a field.
func (t *filterText) name() string {
	for _, form := range []func() *regexp.Regexp{fieldIndex, fieldCall, fieldSign} {
		if found := t.take(form); found != nil {
			return t.ofRow(strings.Join(found[1:], ""))
		}
	}
	return ""
}

// ofRow is a field without its stream, or the variable that programs hold rows in.
func (t *filterText) ofRow(field string) string {
	before, name, dotted := strings.Cut(field, ".")
	if dotted && (rowNames[before] || before == t.reader.stream) {
		return name
	}
	return field
}

// compared reads what a field is compared with.
func (t *filterText) compared(field, word string) expression {
	if strings.HasSuffix(word, "between") {
		lower := t.value()
		if t.take(andSign) == nil {
			t.takes(",")
		}
		upper := t.value()
		if lower == "" || upper == "" {
			return nil
		}
		return t.reader.operated(field, word, rs.JoinArray([]string{lower, upper}), 0)
	}
	if span := t.take(spanSign); span != nil {
		return t.span(field, span[1], span[2])
	}
	t.space()
	end := map[string]string{"(": ")", "[": "]"}[t.rest[:min(len(t.rest), 1)]]
	if end != "" && (strings.HasSuffix(word, "in") || word == "=") {
		values := t.values(end)
		if len(values) == 0 {
			return nil
		}
		return t.reader.operated(field, map[bool]string{true: "in", false: word}[word == "="], rs.JoinArray(values), 0)
	}
	value := t.value()
	if several := []string{value}; strings.HasSuffix(word, "in") && value != "" {
		for t.takes(",") {
			several = append(several, t.value())
		}
		if slices.Contains(several, "") {
			return nil
		}
		value = rs.JoinArray(several)
	}
	switch text, _ := written.Text(value); {
	case value == "":
		return nil
	case word == "=" && text == "*":
		return t.reader.operated(field, "exists", "true", 0)
	case word == "=" && len(text) > 1 && strings.HasSuffix(text, "*"):
		word = "startswith"
	}
	return t.reader.operated(field, word, value, 0)
}

// span is the range of Lucene, in which "*" is no bound.
func (t *filterText) span(field, lower, upper string) expression {
	e := everything
	for i, bound := range []string{lower, upper} {
		if bound != "*" {
			e = e.and(t.reader.operated(field, []string{"gte", "lte"}[i], literal(bound), 0))
		}
	}
	return e.turned()
}

// values reads a list in brackets; nil where it is none.
func (t *filterText) values(end string) (values []string) {
	t.space()
	t.rest = t.rest[1:]
	for !t.takes(end) {
		value := t.value()
		if value == "" || len(values) > maxConditions {
			return nil
		}
		values = append(values, value)
		if !t.takes(",") {
			t.take(orSign)
		}
	}
	return values
}

// value reads a value as JSON: a quoted text, or words up to the next sign; "" for none.
func (t *filterText) value() string {
	if found := t.take(quotedSign); found != nil {
		return rs.EncodeJSON(strings.NewReplacer(`''`, `'`, `""`, `"`, `\'`, `'`, `\"`, `"`).Replace(found[1] + found[2]))
	}
	found := t.take(bareSign)
	if found == nil {
		return ""
	}
	words := found[0]
	for range maxWords {
		next := strings.ToLower(wordSign().FindString(strings.TrimSpace(t.head())))
		if next == "" || next == "and" || next == "or" || next == "not" || t.is(nextField) {
			return literal(words)
		}
		if found = t.take(wordSign); found == nil {
			return ""
		}
		words += " " + found[0]
	}
	return ""
}
