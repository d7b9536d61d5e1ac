package correct

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

var (
	comparison = written.Expression(`(?i)^\s*(?:where\s+)?["'\x60{\[]?([A-Za-z_][\w.]*)["'\x60}\]]?\s*(>=|<=|<>|!==?|==?|>|<|:|` +
		`\b(?:gte|lte|gt|lt|eq|ne|is\s+not|is|not\s+like|i?like|contains|not\s+in|in)\b)\s*(.+?)\s*$`)
	betweenForm   = written.Expression(`(?i)([A-Za-z_][\w.]*)\s+between\s+(\S+|'[^']*')\s+and\s+`)
	allOf         = written.Expression(`(?i)^\s*and\s*\(([^()]*)\)\s*$`)
	denial        = written.Expression(`(?i)^\s*not\s+`)
	noValue       = written.Expression(`(?i)^(null|none)$`)
	severalValues = written.Expression(`(?i)^(not\b.*|null|none)$|\s(or|in)\s|,\s*\w+\s*[<>=:]`)

	bracketed   = written.Expression(`^(?:filter)?\[?([A-Za-z_][\w.-]*?)\]?(?:\[\$?(\w*)\])?$`)
	leading     = written.Expression(`^\s*(>=|<=|>|<)\s*([0-9].*)$`)
	timeName    = written.Expression(`_at$|_on$|date|time`)
	plainNumber = written.Expression(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)
	andWord     = written.Expression(`(?i)\s+and\s+|\s*&&?\s*|\s*;\s*`)
)

// isOneValue reports whether a text is a value, and not another condition too, or none at all.
func isOneValue(s string) bool {
	if inner := written.Unquoted(s); inner != s {
		return !strings.Contains(inner, s[:1])
	}
	return !severalValues().MatchString(s)
}

// maxParts bounds the conditions of a filter in one text: more than a filter may have.
const maxParts = 50

// isEmpty reports whether a filter has no condition.
func isEmpty(raw string) bool {
	s, isText := written.Text(raw)
	o, err := rs.ReadObject(raw)
	list, isList := rs.AsArray(raw)
	return raw == "null" || isText && strings.TrimSpace(s) == "" || err == nil && len(o) == 0 || isList && len(list) == 0
}

// What a condition asks for that is on no value: records that have none in its field, or those that have one.
const (
	noneOf = "null"
	anyOf  = "any"
)

// absence is what a condition asks for that is on no value: noneOf, anyOf, or "" for any other condition.
func absence(condition string) string {
	o := rs.AsObject(condition)
	if len(o) != 1 {
		return map[string]string{"null": noneOf, `""`: noneOf}[condition]
	}
	word, inner := plainWord(o[0].Name), absence(o[0].Value)
	lacks := absences[word]
	switch {
	case (lacks || presences[word]) && rs.Kind(o[0].Value) == "boolean":
		lacks = lacks == (o[0].Value == "true")
	case exclusions[word] && inner != "":
		lacks = inner == anyOf
	default:
		return ""
	}
	if lacks {
		return noneOf
	}
	return anyOf
}

// conditionsIn reads the conditions of a filter that is one text, as in SQL; nil where one of them is not understood.
func conditionsIn(s string) (all rs.Object) {
	if found := allOf().FindStringSubmatch(s); found != nil {
		s = strings.ReplaceAll(found[1], ",", " and ")
	}
	parts := andWord().Split(betweenForm().ReplaceAllString(s, "$1 >= $2 and $1 <= "), maxParts+1)
	if len(parts) > maxParts {
		return nil
	}
	for _, part := range parts {
		without := denial().ReplaceAllString(part, "")
		found := comparison().FindStringSubmatch(without)
		if found == nil {
			return nil
		}
		field, word, value := found[1], written.Snake(strings.ReplaceAll(found[2], ":", "=")), literal(found[3])
		switch operator, certain := operatorOf(word); {
		case noValue().MatchString(found[3]) && (certain || exclusions[word]):
			if value = "null"; certain {
				word = operator
			}
		case strings.HasSuffix(word, "in"):
			value = listed(names(strings.Trim(found[3], "()[]")))
		case !isOneValue(found[3]):
			return nil
		case certain:
			word = operator
		}
		if without != part {
			word, value = "not", fieldOperator{operators: slices.DeleteFunc([]string{word}, func(w string) bool { return w == "" })}.condition(value)
		}
		if before := all.Object(field); all.Includes(field) && (word == "" || before == nil || before.Includes(word)) {
			return nil // one field cannot have both conditions
		}
		all = with(all, field, word, value)
	}
	return all
}

// guessedFilter returns the filter that is probably meant by one that was refused, without the one condition that cannot be said: an
// exclusion, or a text to look for; "" where a condition of it would be lost.
func guessedFilter(raw string) (guess string, excluded, sought *rs.Member) {
	if s, ok := written.Text(raw); ok {
		if o := rs.AsObject(s); len(o) > 0 {
			return guessedFilter(filterOf(s))
		}
		if all := conditionsIn(s); all != nil {
			return guessedFilter(all.JSON())
		}
		return "", nil, nil
	}
	o := rs.AsObject(raw)
	if o == nil {
		return "", nil, nil
	}
	if list := alternativesOf(o); len(list) > 0 { // there is no "or": one call for each
		if plain, ok := byProperty(rs.AsObject(list[0])); ok {
			return plain.JSON(), nil, nil
		}
		return filterOf(list[0]), nil, nil
	}
	if plain, ok := byProperty(o); ok {
		o = plain
	}
	o, _, ok := unfolded(withoutBrackets(o), nil)
	if !ok {
		return "", nil, nil
	}
	var all rs.Object
	unsaid := 0 // conditions that no filter says
	for _, m := range o {
		name := m.Name
		switch value := m.Value; {
		case absence(value) != "":
			excluded, unsaid = &rs.Member{Name: name, Value: absence(value)}, unsaid+1
		case rs.Kind(value) == "object":
			for _, r := range rs.AsObject(value) {
				plain := plainWord(r.Name)
				list, _ := rs.AsArray(r.Value)
				known, certain := operatorOf(r.Name)
				denied := rs.AsObject(r.Value)
				switch {
				case r.Value == "null":
					return "", nil, nil
				case plain == "options": // of a $regex
				case certain:
					all = with(all, name, known, r.Value)
				case lists[plain] && len(list) > 0:
					all = with(all, name, "", list[0])
				case ranges[plain] && len(list) == 2:
					all = with(with(all, name, "gte", list[0]), name, "lte", list[1])
				case likely[plain] != "":
					all = with(all, name, likely[plain], r.Value)
				case exclusions[plain] && len(denied) == 1 && complements[denied[0].Name] != "":
					all = with(all, name, complements[denied[0].Name], denied[0].Value)
				case exclusions[plain] && (r.Value == "true" || r.Value == "false"):
					all = with(all, name, "", strconv.FormatBool(r.Value == "false"))
				case dateParts[plain] && inDate(plain, r.Value) != "":
					all = all.With(name, inDate(plain, r.Value))
				case exclusions[plain]:
					excluded, unsaid = &rs.Member{Name: name, Value: r.Value}, unsaid+1
				case seeks[plain] && written.Range(r.Value) != "" && timeName().MatchString(name): // a time is no text
					all = all.With(name, written.Range(r.Value))
				case seeks[plain]:
					sought, unsaid = &rs.Member{Name: name, Value: r.Value}, unsaid+1
				default:
					return "", nil, nil
				}
			}
		case rs.Kind(value) == "array":
			list, _ := rs.AsArray(value)
			switch {
			case len(list) == 0:
				return "", nil, nil
			case written.IsPeriod(list):
				all = with(with(all, name, "gte", list[0]), name, "lte", list[1])
			default:
				all = with(all, name, "", list[0])
			}
		default:
			if bounds := leadingOf(value); bounds != nil {
				value = bounds.JSON()
			}
			all = with(all, name, "", value)
		}
	}
	if unsaid > 1 {
		return "", nil, nil
	}
	return all.JSON(), excluded, sought
}

// withoutBrackets is a filter with the operators that its fields have in brackets inside their conditions.
func withoutBrackets(filter rs.Object) rs.Object {
	plain := slices.Clone(filter)
	for i, m := range filter {
		found := bracketed().FindStringSubmatch(m.Name)
		if found == nil {
			continue
		}
		if plain[i].Name = found[1]; found[2] != "" {
			plain[i].Value = rs.Object{{Name: found[2], Value: m.Value}}.JSON()
		}
	}
	return plain
}

// alternativesOf are the conditions of a filter of which one is to hold; none for any other filter.
func alternativesOf(filter rs.Object) []string {
	if len(filter) == 1 && slices.Contains([]string{"or", "$or", "OR", "should"}, filter[0].Name) {
		return filter.Array(filter[0].Name)
	}
	return nil
}

// alternatives are the values of the first condition that has several, of which one call can ask for one only.
func alternatives(raw string) []string {
	filter := rs.AsObject(raw)
	if s, ok := written.Text(raw); ok {
		filter = conditionsIn(s)
	}
	if list := alternativesOf(filter); len(list) > 1 {
		return list
	}
	if plain, ok := byProperty(filter); ok {
		filter = plain
	}
	filter, _, _ = unfolded(withoutBrackets(filter), nil)
	for _, m := range filter {
		list, _ := rs.AsArray(m.Value)
		for _, r := range rs.AsObject(m.Value) {
			if lists[plainWord(r.Name)] {
				list, _ = rs.AsArray(r.Value)
			}
		}
		if len(list) > 1 && rs.Kind(list[0]) != "object" && !written.IsPeriod(list) { // objects may all have to hold
			return list
		}
	}
	return nil
}

// leadingOf are the bounds of a text such as ">100" or "> 50 and < 60"; nil where no operator leads each.
func leadingOf(raw string) (bounds rs.Object) {
	s, _ := written.Text(raw)
	for _, part := range andWord().Split(s, 3) {
		found := leading().FindStringSubmatch(part)
		if found == nil || !isOneValue(found[2]) {
			return nil
		}
		operator, _ := operatorOf(found[1])
		bounds = bounds.With(operator, literal(found[2]))
	}
	return bounds
}

// literal is a value of a written condition: a number, a boolean, or a text with or without quotation marks.
func literal(s string) string {
	s = strings.TrimSpace(s)
	if plainNumber().MatchString(s) || s == "true" || s == "false" {
		return s
	}
	return rs.EncodeJSON(written.Unquoted(s))
}

var tailOfSQL = written.Expression(`(?i)^(.*?)(?:\s+order\s+by\s+([\w.]+)(?:\s+(asc|desc))?)?(?:\s+limit\s+([0-9]+))?\s*;?\s*$`)

// withoutTail gives the order and the limit behind a filter that is written as SQL their own arguments.
func (t Tool) withoutTail(args rs.Object) rs.Object {
	s, ok := written.Text(args.Get("filter"))
	found := tailOfSQL().FindStringSubmatch(s)
	if !ok || found == nil || found[2] == "" && found[4] == "" {
		return args
	}
	args = args.With("filter", rs.EncodeJSON(strings.TrimPrefix(found[1], "WHERE ")))
	if found[2] != "" && t.Takes("sort") && !args.Has("sort") {
		field := found[2]
		if strings.EqualFold(found[3], "desc") {
			field = "-" + field
		}
		args = args.With("sort", rs.EncodeJSON(field))
	}
	if found[4] != "" && t.Takes("limit") && !args.Has("limit") {
		args = args.With("limit", found[4])
	}
	return args
}
