package foreign

import (
	"regexp"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// The parts of a filter that is a text: of SQL, OData, Lucene and the formulas of tables. Each matches at the start of the rest.
var (
	orSign       = written.Expression(`(?i)^(?:or\b|\|\|?)`)
	andSign      = written.Expression(`(?i)^(?:and\b|&&?|;)`)
	notSign      = written.Expression(`(?i)^(?:not\b|!|~)`)
	bracket      = written.Expression(`(?i)^(and|or|not)?\s*\(`)
	comparison   = written.Expression(`^(?:(\w+)\s*\(\s*\{?([A-Za-z_][\w.]*)\}?\s*,|(?:df\.)?([A-Za-z_]\w*)(?:\.str)?\.(\w+)\s*\()`)
	fieldCall    = written.Expression(`(?i)^(?:lower|upper|trim|date|tolower|toupper)\s*\(\s*([A-Za-z_][\w.]*)\s*\)`)
	fieldSign    = written.Expression("^(?:df\\.|df\\[['\"])?[\"`{\\[]?([A-Za-z_][\\w.]*)(?:['\"]\\]|[\"`}\\]])?")
	operatorSign = written.Expression(`^(?:(>=|<=|<>|!==?|===?|=~|=|>|<|:|~)|\[\$?(\w+)\]\s*=)`)
	wordsOf      = written.Expression(`^([A-Za-z_]+)\b(?:\s+([A-Za-z]+)\b)?(?:\s+([A-Za-z]+)\b)?(?:\s+([A-Za-z]+)\b)?(?:\s+([A-Za-z]+)\b)?`)
	boundSign    = written.Expression(`^(?:>=|<=|>|<)`)
	quotedSign   = written.Expression(`(?i)^(?:datetime(?:offset)?|date|timestamp|guid)?\s*(?:'((?:[^'\\]|''|\\.)*)'|"((?:[^"\\]|""|\\.)*)")`)
	bareSign     = written.Expression(`^[^\s(),;&|'"\[\]{}]+`)
	wordSign     = written.Expression(`^[^\s(),;&|'"<>=!:~\[\]{}]+`)
	clauseSign   = written.Expression(`(?i)^(?:(?:order|group)\s+by\b|limit\s+[0-9])`)
	spanSign     = written.Expression(`^([\[{])\s*(\S+)\s+(?i:to)\s+([^\s\]}]+)\s*([\]}])`)
	nextField    = written.Expression(`^(?:[+-]?[A-Za-z_][\w.]*\s*(?:>=|<=|<>|!=|=|>|<|:))`)
)

// A filterText parses a text from its start.
type filterText struct {
	reader *filterReader
	rest   string
	field  string // the field that is compared, if the text is its value
	depth  int
	within int // how many functions are open: commas separate their arguments
}

// longestText is the most bytes of a text that is read as conditions.
const longestText = 4 << 10

// maxWords bounds the words of a value without quotation marks.
const maxWords = 40

func (r *filterReader) text(s string) expression {
	if len(s) > longestText {
		return nil
	}
	if s = strings.TrimSpace(signs.Replace(s)); len(s) > 6 && strings.EqualFold(s[:6], "where ") {
		s = s[6:]
	}
	return (&filterText{reader: r, rest: s}).whole()
}

func (t *filterText) whole() expression {
	e := t.any()
	if t.space(); t.rest != "" {
		return nil
	}
	return e
}

func (t *filterText) space() { t.rest = strings.TrimLeft(t.rest, " \t\r\n") }

// take consumes what matches at the start, and returns its submatches; nil if nothing matches.
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

// head returns as much of the rest as one part of it may have: the cost of a regular expression grows with its text, even if it matches
// only at the start.
func (t *filterText) head() string { return t.rest[:min(len(t.rest), 500)] }

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

// all reads conditions that must all hold. In the notation of a search, such as Lucene's, no word needs to join them.
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
	if field, word := t.called(); word != "" {
		m, _ := meaningOf(word)
		value := t.operand(m, false)
		if !t.takes(")") {
			return nil
		}
		return t.reader.operated(field, word, value, 0)
	}
	field := t.field
	if field == "" {
		field = t.name()
	}
	word := t.operator()
	if field == "" || word == "" {
		return nil
	}
	return t.compared(field, word)
}

// called reads a function or a method that compares a field, up to its value, such as "contains(merchant," and "merchant.str.contains(".
func (t *filterText) called() (field, word string) {
	found := comparison().FindStringSubmatch(t.head())
	if found == nil || !IsOperator(operatorOf(found[1]+found[4])) {
		return "", ""
	}
	t.take(comparison)
	return found[2] + found[3], operatorOf(found[1] + found[4])
}

// operatorOf returns the operator in a word such as IS_AFTER.
func operatorOf(word string) string {
	word = strings.ToLower(word)
	if bound := strings.TrimPrefix(word, "is_"); BoundOf(bound) != "" {
		return bound
	}
	return word
}

// joined reads the conditions in brackets, or the arguments of AND(…), OR(…) or NOT(…).
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

// name reads a field, without the stream before it.
func (t *filterText) name() string {
	found := t.take(fieldCall)
	if found == nil {
		found = t.take(fieldSign)
	}
	if found == nil {
		return ""
	}
	if before, name, dotted := strings.Cut(found[1], "."); dotted && before == t.reader.stream {
		return name
	}
	return found[1]
}

// operator reads a sign, or the most words that mean one operator, such as "is greater than"; "" for none.
func (t *filterText) operator() string {
	if found := t.take(operatorSign); found != nil {
		return strings.Replace(found[1]+found[2], ":", "=", 1)
	}
	head := t.head()
	words := wordsOf().FindStringSubmatchIndex(head)
	for end := len(words) - 1; end > 1; end -= 2 {
		if words[end] < 0 {
			continue
		}
		word := operatorOf(strings.Join(strings.Fields(head[:words[end]]), "_"))
		if IsOperator(word) {
			t.rest = t.rest[words[end]:]
			return word
		}
	}
	return ""
}

func (t *filterText) compared(field, word string) expression {
	m, _ := meaningOf(word)
	if span := t.take(spanSign); span != nil {
		return t.inSpan(field, m, span)
	}
	t.space()
	listed := word == "=" && (strings.HasPrefix(t.rest, "(") || strings.HasPrefix(t.rest, "["))
	value := t.operand(m, listed)
	text, _ := written.Text(value)
	if word == ">" && written.Computed(text) != "" {
		word = ">=" // that day has its time in it
	}
	switch {
	case isRange(m.operator) && !m.certain && written.IsWord(value): // "from Anna"
		return nil
	case listed:
		word = oneOf
	case word == "=" && text == "*":
		word, value = "exists", "true"
	case word == "=" && len(text) > 1 && strings.HasSuffix(text, "*"):
		word = "startswith"
	}
	return t.reader.operated(field, word, value, 0)
}

// inSpan returns the conditions on a field for a range of a Lucene query, in which "*" is an open end and braces exclude their ends.
func (t *filterText) inSpan(field string, m meaning, span []string) expression {
	operators := map[string]string{"[": "gte", "{": "gt", "]": "lte", "}": "lt"}
	if m.operator != "" && m.operator != oneOf && m.operator != between {
		return nil
	}
	e := everything
	for i, bound := range span[2:4] {
		if bound != "*" {
			e = e.and(t.reader.operated(field, operators[span[1+3*i]], literal(bound), 0))
		}
	}
	if e = e.turned(); m.denied {
		return e.not()
	}
	return e
}

// operand reads the value of an operator as JSON, or a list of values; "" for none.
func (t *filterText) operand(m meaning, listed bool) string {
	switch {
	case m.operator == absent:
		return "true"
	case m.operator == between:
		lower := t.value()
		if t.take(andSign) == nil {
			t.takes(",")
		}
		if upper := t.value(); lower != "" && upper != "" {
			return rs.JoinArray([]string{lower, upper})
		}
	case m.operator == oneOf || listed:
		if values := t.values(); values != nil {
			return rs.JoinArray(values)
		}
	default:
		return t.value()
	}
	return ""
}

// values reads a list, in brackets or with commas only. It returns nil for anything else.
func (t *filterText) values() (values []string) {
	end := ""
	switch {
	case t.takes("("):
		end = ")"
	case t.takes("["):
		end = "]"
	}
	for len(values) <= maxConditions {
		value := t.value()
		if value == "" {
			return nil
		}
		values = append(values, value)
		if more := t.takes(",") || end != "" && t.take(orSign) != nil; !more {
			if !t.takes(end) {
				return nil
			}
			return values
		}
	}
	return nil
}

// value reads a value as JSON: a quoted text, or words up to the next sign; "" for none.
func (t *filterText) value() string {
	if found := t.take(quotedSign); found != nil {
		return rs.EncodeJSON(strings.NewReplacer(`''`, `'`, `""`, `"`, `\'`, `'`, `\"`, `"`).Replace(found[1] + found[2]))
	}
	if computed := written.Computed(t.head()); computed != "" {
		t.rest = t.rest[len(computed):]
		return rs.EncodeJSON(strings.TrimSpace(computed))
	}
	found := t.take(bareSign)
	if found == nil {
		return ""
	}
	words := found[0]
	for range maxWords {
		if t.is(clauseSign) { // not a part of a filter
			return ""
		}
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
