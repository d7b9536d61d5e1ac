package correct

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// plainWord is a word of a filter in small letters, without the signs that other query languages put before it.
func plainWord(word string) string {
	return written.Snake(strings.TrimLeft(strings.TrimSpace(word), "$_"))
}

// operatorOf returns the operator that a word means; false if it is not certain.
func operatorOf(word string) (operator string, certain bool) {
	plain := plainWord(word)
	if slices.Contains(rs.RangeOperators, plain) {
		return plain, true
	}
	operator, certain = operators[plain]
	return operator, certain
}

// isOperator reports whether a word compares a field with something.
func isOperator(word string) bool {
	_, certain := operatorOf(word)
	plain := plainWord(word)
	return certain || lists[plain] || absences[plain] || presences[plain] || exclusions[plain] || seeks[plain] || likely[plain] != "" || ranges[plain]
}

var (
	symbolAfter  = written.Expression(`^\s*([A-Za-z_][\w.]*)\s*(!==|!=|<>|!|>=|<=|==|=|>|<)\s*$`)
	bracketed    = written.Expression(`^(?:filter)?\[?([A-Za-z_][\w.-]*?)\]?(?:\[\$?(\w*)\])?$`)
	symbolBefore = written.Expression(`(?i)^\s*(?:!|-|~|not\s)\s*\(?([A-Za-z_][\w.]*)\)?\s*$`)
)

// Words in the name of a field by which a condition is not to hold.
var (
	denials      = set("not", "no", "non", "without", "exclude", "excludes", "excluded", "excluding", "except", "isnt", "ne", "neq", "nin")
	denyingParts = []string{"un", "non", "in", "im", "dis", "ir", "de"}
)

// A fieldOperator is what a name in a filter says beside the field that it names: operators, such as status__not__in, or that the
// condition is not to hold, such as is_not_seen.
type fieldOperator struct {
	field     string
	operators []string // the outermost first; none is equality
}

// condition is what the operators say of a value, as a filter of objects has it.
func (o fieldOperator) condition(value string) string {
	for _, operator := range slices.Backward(o.operators) {
		value = rs.Object{{Name: operator, Value: value}}.JSON()
	}
	return value
}

// operatorIn reads the operators in a name that is not one of the known fields. Without fields only what is certain is read: signs, and
// operators behind "__".
func operatorIn(name string, known []string) (fieldOperator, bool) {
	if found := symbolAfter().FindStringSubmatch(name); found != nil {
		if strings.HasPrefix(found[2], "!") {
			found[2] = "!="
		}
		return fieldOperator{found[1], []string{found[2]}}, true
	}
	if found := symbolBefore().FindStringSubmatch(name); found != nil {
		return denied(found[1], known), true
	}
	if base, rest, ok := strings.Cut(name, "__"); ok && base != "" {
		if operators := operatorWords(strings.ReplaceAll(rest, "__", "_")); operators != nil {
			return fieldOperator{base, operators}, true
		}
	}
	words := strings.Split(written.Snake(name), "_")
	if known == nil || len(words) < 2 && !strings.HasPrefix(name, "un") {
		return fieldOperator{}, false
	}
	for i := len(words) - 1; i > 0; i-- {
		if base := strings.Join(words[:i], "_"); slices.Contains(known, base) {
			if operators := operatorWords(strings.Join(words[i:], "_")); operators != nil {
				return fieldOperator{base, operators}, true
			}
		}
	}
	for i := 1; i < len(words); i++ { // ordered_before is a bound of ordered_at, as since_ordered is
		first, last := strings.Join(words[:i], "_"), strings.Join(words[i:], "_")
		for _, named := range [][2]string{{first, last}, {last, first}} {
			base, bound := named[0], boundOf(named[1])
			if at := slices.IndexFunc(endings, func(e string) bool { return slices.Contains(known, base+e) && (e == "" || timeBounds[named[1]]) }); bound != "" && at >= 0 {
				return fieldOperator{base + endings[at], []string{bound}}, true
			}
		}
	}
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

// boundOf is the operator of a range that a word means; "" for none.
func boundOf(word string) string {
	operator, _ := operatorOf(word)
	return cmp.Or(operator, likely[plainWord(word)])
}

// isWord reports whether a value is a text and neither a time nor a number: none that from, to and since bound.
func isWord(raw string) bool {
	s, ok := written.Text(raw)
	return ok && !strings.ContainsAny(s, "0123456789") && !written.IsDate(raw)
}

// timeBounds are words that bound a time and say nothing of any other field; endings are those of the names of times.
var (
	timeBounds = set("before", "after", "since", "until")
	endings    = []string{"", "_at", "_on", "_date", "_time"}
)

// denied is the operator that excludes the value of a field, which may be named without its verb: attachments is has_attachments.
func denied(name string, known []string) fieldOperator {
	for _, field := range []string{name, "is_" + name, "has_" + name} {
		if slices.Contains(known, field) {
			return fieldOperator{field, []string{"ne"}}
		}
	}
	for _, verb := range []string{"is", "has"} {
		if flag, ok := flagFields[verb+":"+strings.TrimPrefix(name, verb+"_")]; ok {
			if at := slices.IndexFunc(flag.fields, func(f string) bool { return slices.Contains(known, f) }); at >= 0 && flag.value == "true" {
				return fieldOperator{flag.fields[at], []string{"ne"}}
			}
		}
	}
	return fieldOperator{name, []string{"ne"}}
}

// operatorWords are the operators that the end of a name says, such as not_in and date_gte; nil for none.
func operatorWords(words string) []string {
	plain := strings.ToLower(strings.Trim(words, "_"))
	if isOperator(plain) || dateParts[plain] {
		return []string{plain}
	}
	first, rest, ok := strings.Cut(plain, "_")
	if !ok || !exclusions[first] && !dateParts[first] {
		return nil
	}
	if inner := operatorWords(rest); inner != nil {
		return append([]string{first}, inner...)
	}
	return nil
}

// dateParts are parts of a date that the frameworks of other languages compare.
var dateParts = set("date", "year", "month", "day", "week", "week_day", "quarter", "hour")

// inDate is the range of a time that a part of its date means, alone or compared; "" where it is not one range, such as a month of any
// year.
func inDate(part, raw string) string {
	operator := "eq"
	if compared := rs.AsObject(raw); len(compared) == 1 {
		operator, raw = plainWord(compared[0].Name), compared[0].Value
	}
	text, _ := rs.AsText(raw)
	text = strings.TrimSpace(text)
	if part == "date" && written.IsTime(rs.EncodeJSON(text)) {
		if known, certain := operatorOf(operator); certain && known != "" {
			return rs.Object{{Name: known, Value: rs.EncodeJSON(text)}}.JSON()
		} else if certain {
			return rs.EncodeJSON(text)
		}
	}
	if _, err := strconv.Atoi(text); err == nil && part != "year" {
		return ""
	}
	known, certain := operatorOf(operator)
	span := rs.AsObject(written.Range(rs.EncodeJSON(text)))
	switch {
	case !certain || !span.Has("lt") || part == "date":
		return ""
	case known == "":
		return span.JSON()
	}
	name, value := written.Bound(known, rs.EncodeJSON(text))
	return rs.Object{{Name: name, Value: value}}.JSON()
}

// denies reports whether a name says that something is not so, or bounds it, and another that may be meant by it does not.
func denies(name, meant string) bool {
	signs := func(s string) bool {
		return strings.ContainsAny(s, "!~≠") || strings.HasPrefix(s, "-") || strings.Contains(s, "<>")
	}
	words, others := strings.Split(written.Snake(name), "_"), strings.Split(written.Snake(meant), "_")
	return signs(name) && !signs(meant) || slices.ContainsFunc(words, func(word string) bool {
		if slices.Contains(others, word) {
			return false
		}
		operator, _ := operatorOf(word)
		return denials[word] || exclusions[word] || operator != "" || slices.ContainsFunc(denyingParts, func(part string) bool {
			rest, ok := strings.CutPrefix(word, part)
			return ok && len(rest) > 2 && slices.ContainsFunc(others, func(other string) bool { return other == rest })
		})
	})
}
