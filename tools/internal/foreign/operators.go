package foreign

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// operators maps words to the operator that they mean; an operator of a range is also a word for itself. A '?' before the operator marks
// words that only probably mean it, and a '!' words that deny it.
var operators = written.ByWord(map[string]string{
	"":     "eq = == === exact equals equal is value",
	"gte":  ">= min minimum ge greater_than_or_equal greater_than_or_equal_to at_least more_than_or_equal_to",
	"gt":   "> larger_than higher_than exceeds greater_than more_than over above after later_than newer_than",
	"lte":  "<= max maximum le less_than_or_equal less_than_or_equal_to at_most fewer_than_or_equal_to",
	"lt":   "< smaller_than lower_than less_than fewer_than under below before earlier_than older_than",
	"?gte": "from since start on_or_after not_before", "?lte": "to until till end on_or_before not_after",
	"!":   "ne neq not != !== <> not_equal not_equals not_equal_to does_not_equal is_not",
	oneOf: "in isin any any_of one_of", "!" + oneOf: "nin not_in",
	between: "between range", "!" + between: "not_between",
	absent:       "is_null isnull null not_exists missing is_empty empty",
	"!" + absent: "exists not_null notnull is_not_null not_empty is_not_empty has_value present",
	within: "contains like ilike match matches regex starts_with startswith ends_with endswith search icontains includes iexact istartswith " +
		"iendswith iregex has array_contains =~ ~ match_phrase match_phrase_prefix wildcard prefix regexp fuzzy substring substringof text",
	"!" + within: "not_like not_ilike not_contains does_not_contain",
	datePart:     "date year month day week week_day quarter hour",
})

// Names of the parts of a condition that is written out, such as {"field":"total","operator":">=","value":100}.
var (
	fieldParts    = written.Set("field field_path field_name column property attribute key name")
	operatorParts = written.Set("operator op comparison condition comparator cmp predicate")
	valueParts    = written.Set("value values operand val")
)

// wrappers maps what other query languages put around conditions to a kind: all, any or none of them must hold, or they look for a text.
var wrappers = written.ByWord(map[string]string{
	"all": "where filter filters query term terms range bool must constant_score and & && all all_of conditions rules query_string " +
		"simple_query_string expression expr predicate",
	"any":   "or any | || should any_of",
	"inner": "data record attributes fields properties",
	"not":   "not nor must_not exclude except none",
	"match": "match match_phrase match_phrase_prefix wildcard prefix regexp fuzzy",
})

// noise are names in filters of other languages that tune a comparison. They are not conditions.
var noise = written.Set("options boost minimum_should_match case_insensitive _name __typename")

// propertyTypes are the types that Notion writes between a property and its condition.
var propertyTypes = written.Set("rich_text title text number date select multi_select status checkbox people email url phone_number " +
	"created_time last_edited_time")

// joiners are names next to a list of conditions whose value is whether all or any of them must hold.
var joiners = written.Set("logic conjunction combinator operator op condition join mode type boolean bool match connector")

// plainWord returns a word of a filter in lower case, without the signs that other query languages put before it.
func plainWord(word string) string {
	return written.Snake(strings.TrimLeft(strings.TrimSpace(signs.Replace(word)), "$_"))
}

// A meaning is what a word of a filter means.
type meaning struct {
	operator        string
	certain, denied bool
}

// meaningOf returns what a word between a field and a value means; false if it is not an operator.
func meaningOf(word string) (m meaning, ok bool) {
	plain := plainWord(word)
	operator, ok := operators[plain]
	if isRange(plain) {
		operator, ok = plain, true
	}
	operator, denied := strings.CutPrefix(operator, "!")
	operator, likely := strings.CutPrefix(operator, "?")
	certain := ok && !denied && !likely && (operator == "" || isRange(operator))
	return meaning{operator, certain, denied}, ok
}

func isRange(operator string) bool { return slices.Contains(rs.RangeOperators, operator) }

// IsOperator reports whether a word compares a field with something.
func IsOperator(word string) bool {
	m, ok := meaningOf(word)
	return ok && m.operator != datePart
}

// restOperators are the operators that PostgREST writes before a value, as in "gte.50".
var restOperators = written.Set("eq neq gt gte lt lte")

// signs replaces the signs of mathematics by those of code.
var signs = strings.NewReplacer("≥", ">=", "≤", "<=", "≠", "!=")

var (
	symbolAfter  = written.Expression(`^\s*([A-Za-z_][\w.]*)\s*(!==|!=|<>|!|>=|<=|==|=|>|<)\s*$`)
	fieldName    = written.Expression(`^[A-Za-z_][\w.]*$`)
	bracketed    = written.Expression(`^(?:filter)?\[?([A-Za-z_][\w.-]*?)\]?(?:\[\$?(\w*)\])?$`)
	symbolBefore = written.Expression(`(?i)^\s*(?:!|-|~|not\s)\s*\(?([A-Za-z_][\w.]*)\)?\s*$`)
)

// Words, and beginnings of words, that negate a condition in the name of its field.
var (
	denials      = written.Set("not no non without exclude excludes excluded excluding except but isnt ne neq nin nicht kein ohne sauf sans")
	denyingParts = []string{"un", "non", "in", "im", "dis", "ir", "de"}
)

// A fieldOperator is a name in a filter, split into the field and what else it includes: operators, as in status__not__in, or a negation,
// as in is_not_seen.
type fieldOperator struct {
	field     string
	operators []string // the outermost first; none means equality
}

// condition returns the operators and a value as nested JSON objects.
func (o fieldOperator) condition(value string) string {
	for _, operator := range slices.Backward(o.operators) {
		value = rs.Object{{Name: operator, Value: value}}.JSON()
	}
	return value
}

// namesWord reports whether a value is a word although the operator, such as from, probably bounds a time.
func (o fieldOperator) namesWord(value string) bool {
	m, _ := meaningOf(append(o.operators, "")[0])
	return len(o.operators) == 1 && isRange(m.operator) && !m.certain && written.IsWord(value) && !written.IsTimeName(o.field)
}

// HasOperator reports whether the name of a field certainly includes an operator, or is a word that negates conditions.
func HasOperator(name string) bool {
	_, ok := operatorIn(name, nil)
	return ok || strings.Contains(name, "[") || wrappers[plainWord(name)] == "not"
}

// operatorIn reads the operators in a name that is not one of the known fields. Without known fields it reads only what is certain: signs,
// and operators after "__".
func operatorIn(name string, known []string) (fieldOperator, bool) {
	before, after := symbolBefore().FindStringSubmatch(name), symbolAfter().FindStringSubmatch(name)
	base, rest, _ := strings.Cut(name, "__")
	behind := operatorsOf(strings.ReplaceAll(rest, "__", "_"))
	words := strings.Split(written.Snake(name), "_")
	switch {
	case after != nil && strings.HasPrefix(after[2], "!"):
		return fieldOperator{after[1], []string{"!="}}, true
	case after != nil:
		return fieldOperator{after[1], []string{after[2]}}, true
	case before != nil:
		return denied(before[1], known), true
	case base != "" && behind != nil:
		return fieldOperator{base, behind}, true
	case known == nil || len(name) > written.LongestName || len(words) < 2 && !strings.HasPrefix(name, "un"):
		return fieldOperator{}, false
	}
	if o, ok := operatorAmong(words, known); ok {
		return o, true
	}
	return denialAmong(words, known)
}

// operatorAmong reads an operator before or after a field in the words of a name: total_gte and min_total; ordered_before and
// since_ordered are bounds of ordered_at.
func operatorAmong(words, known []string) (fieldOperator, bool) {
	for i := len(words) - 1; i > 0; i-- {
		first, last := strings.Join(words[:i], "_"), strings.Join(words[i:], "_")
		for _, named := range [][2]string{{first, last}, {last, first}} {
			base, operators := named[0], operatorsOf(named[1])
			at := slices.IndexFunc(endings, func(e string) bool { return (e == "" || timeBounds[named[1]]) && slices.Contains(known, base+e) })
			if at >= 0 && operators != nil && (base == first || BoundOf(named[1]) != "") {
				return fieldOperator{base + endings[at], operators}, true
			}
		}
	}
	return fieldOperator{}, false
}

// denialAmong reads a word that negates the condition among the words of a name, such as is_not_seen and unseen.
func denialAmong(words, known []string) (fieldOperator, bool) {
	for i, word := range words {
		others := slices.Concat(words[:i], words[i+1:])
		if strings.HasPrefix(word, "un") && len(word) > 3 {
			others = slices.Concat(words[:i], []string{word[2:]}, words[i+1:])
		} else if !denials[word] {
			continue
		}
		if o := denied(strings.Join(others, "_"), known); slices.Contains(known, o.field) {
			return o, true
		}
	}
	return fieldOperator{}, false
}

// BoundOf returns the operator of a range that a word means; "" for none.
func BoundOf(word string) string {
	if m, _ := meaningOf(word); isRange(m.operator) {
		return m.operator
	}
	return ""
}

// timeBounds are words that bound a time and have no meaning for any other field; endings are those of the names of times.
var (
	timeBounds = written.Set("before after since until from gte gt lte lt")
	endings    = []string{"", "_at", "_on", "_date", "_time"}
)

// denied returns the operator that excludes the value of a field. The name may lack its verb: attachments is has_attachments.
func denied(name string, known []string) fieldOperator {
	for _, field := range []string{name, "is_" + name, "has_" + name} {
		if slices.Contains(known, field) {
			return fieldOperator{field, []string{"!="}}
		}
	}
	return fieldOperator{name, []string{"!="}}
}

// operatorsOf returns the operators that the end of a name means, such as not_in and date_gte; nil for none.
func operatorsOf(words string) []string {
	plain := strings.ToLower(strings.Trim(words, "_"))
	if _, ok := meaningOf(plain); ok {
		return []string{plain}
	}
	first, rest, ok := strings.Cut(plain, "_")
	if m, _ := meaningOf(first); !ok || !m.denied && m.operator != datePart {
		return nil
	}
	if inner := operatorsOf(rest); inner != nil {
		return append([]string{first}, inner...)
	}
	return nil
}

// inDate returns the range of a time that a part of its date means; "" if that is not one range, such as a month of any year.
func inDate(part, raw string) string {
	operator := "eq"
	if compared := rs.AsObject(raw); len(compared) == 1 {
		operator, raw = plainWord(compared[0].Name), compared[0].Value
	}
	text, _ := rs.AsText(raw)
	text = strings.TrimSpace(text)
	compares, _ := meaningOf(operator)
	if part == "date" && compares.certain && written.IsTime(rs.EncodeJSON(text)) {
		return rs.Object{{Name: cmp.Or(compares.operator, "eq"), Value: rs.EncodeJSON(text)}}.JSON()
	}
	if _, err := strconv.Atoi(text); err == nil && part != "year" {
		return ""
	}
	span := rs.AsObject(written.Range(rs.EncodeJSON(text)))
	switch {
	case !compares.certain || !span.Has("lt") || part == "date":
		return ""
	case compares.operator == "":
		return span.JSON()
	}
	name, value := written.Bound(compares.operator, rs.EncodeJSON(text))
	return rs.Object{{Name: name, Value: value}}.JSON()
}

// Denies reports whether a name negates or bounds something, and meant, the name that may be meant by it, does not.
func Denies(name, meant string) bool {
	signs := func(s string) bool {
		return strings.ContainsAny(s, "!~≠") || strings.HasPrefix(s, "-") || strings.Contains(s, "<>") || strings.Contains(s, "other than")
	}
	words, others := strings.Split(written.Snake(name), "_"), strings.Split(written.Snake(meant), "_")
	return signs(name) && !signs(meant) || slices.ContainsFunc(words, func(word string) bool {
		if slices.Contains(others, word) {
			return false
		}
		m, _ := meaningOf(word)
		return denials[word] || m.denied || m.certain && m.operator != "" || slices.ContainsFunc(denyingParts, func(part string) bool {
			rest, ok := strings.CutPrefix(word, part)
			return ok && len(rest) > 2 && slices.ContainsFunc(others, func(other string) bool { return other == rest })
		})
	})
}

// spelled reads a condition that names its parts: {"field":"total","operator":">=","value":100}, or, within its field, the last two.
func spelled(o rs.Object) (field, word, value string, ok bool) {
	word = "eq"
	for _, m := range o {
		s, isText := written.Text(m.Value)
		switch name := strings.ToLower(m.Name); {
		case fieldParts[name] && field == "" && isText:
			if len(o) == 2 && name != "field" && name != "field_path" {
				return "", "", "", false // without an operator these can be fields of the stream
			}
			field = s
		case operatorParts[name] && isText:
			word = s
		case valueParts[name] && value == "":
			value = m.Value
		default:
			return "", "", "", false
		}
	}
	return field, word, value, value != "" && IsOperator(word)
}

// literal returns a value in the text of a condition as JSON: a number, a boolean, null, or a text.
func literal(s string) string {
	s = strings.TrimSpace(s)
	switch lower := strings.ToLower(s); {
	case written.IsNumber(s):
		return s
	case lower == "true" || lower == "false" || lower == "null":
		return lower
	case lower == "none" || lower == "nil":
		return "null"
	}
	return rs.EncodeJSON(written.Unquoted(s))
}

var literalForm = written.Expression(`'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[\w$][\w.$+-]*`)

// asJSON returns an object in the notation of Python or JavaScript as JSON, such as "{'total': {'gte': 40}, paid: True}"; "" for any
// other text.
func asJSON(s string) string {
	if s = strings.TrimSpace(s); !strings.HasPrefix(s, "{") || len(s) > longestText {
		return ""
	}
	return literalForm().ReplaceAllStringFunc(s, func(part string) string {
		switch {
		case part[0] == '\'':
			return rs.EncodeJSON(strings.ReplaceAll(part[1:len(part)-1], `\'`, `'`))
		case part == "None" || part == "undefined":
			return "null"
		case part == "True" || part == "False":
			return strings.ToLower(part)
		case json.Valid([]byte(part)):
			return part
		}
		return rs.EncodeJSON(part)
	})
}
