package correct

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

var (
	comparison = regexp.MustCompile(`(?i)^\s*["'\x60]?([A-Za-z_][\w.]*)["'\x60]?\s*` +
		`(>=|<=|==|=|>|<|:|\b(?:gte|lte|gt|lt|eq|is)\b)\s*(.+?)\s*$`)
	severalValues = regexp.MustCompile(`(?i)^(not\b.*|null|none)$|\s(or|in)\s|,\s*\w+\s*[<>=:]`)

	bracketed   = regexp.MustCompile(`^(?:filter)?\[?([A-Za-z_][\w.-]*?)\]?(?:\[\$?(\w*)\])?$`)
	leading     = regexp.MustCompile(`^\s*(>=|<=|>|<)\s*([0-9].*)$`)
	timeName    = regexp.MustCompile(`_at$|_on$|date|time`)
	plainNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)
	andWord     = regexp.MustCompile(`(?i)\s+and\s+|\s*&&?\s*|\s*;\s*`)
)

// isOneValue reports whether a text is a value, and not another condition too, or none at all.
func isOneValue(s string) bool {
	if inner := written.Unquoted(s); inner != s {
		return !strings.Contains(inner, s[:1])
	}
	return !severalValues.MatchString(s)
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

// absent reports whether a condition asks for records that have no value in its field, or for those that have one.
func absent(condition string) bool {
	switch o := rs.AsObject(condition); {
	case len(o) == 1:
		word := plainWord(o[0].Name)
		return absences[word] && rs.Kind(o[0].Value) == "boolean" || exclusions[word] && absent(o[0].Value)
	default:
		return condition == "null" || condition == `""`
	}
}

// guessedFilter returns the filter that is probably meant by one that was refused, without the one condition that cannot be said: an
// exclusion, or a text to look for; "" where a condition of it would be lost.
func guessedFilter(raw string) (guess string, excluded, sought *rs.Member) {
	if s, ok := written.Text(raw); ok {
		if o := rs.AsObject(s); o != nil {
			return guessedFilter(filterOf(s))
		}
		var all rs.Object
		parts := andWord.Split(s, maxParts+1)
		if len(parts) > maxParts {
			return "", nil, nil
		}
		for _, part := range parts {
			found := comparison.FindStringSubmatch(part)
			if found == nil || !isOneValue(found[3]) {
				return "", nil, nil
			}
			operator, _ := operatorOf(strings.ReplaceAll(found[2], ":", "="))
			all = with(all, found[1], operator, literal(found[3]))
		}
		return all.JSON(), nil, nil
	}
	o := rs.AsObject(raw)
	if list := anyOf(o); len(list) > 0 { // there is no "or": one call for each
		return filterOf(list[0]), nil, nil
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
		case absent(value):
			excluded, unsaid = &rs.Member{Name: name, Value: "null"}, unsaid+1
		case rs.Kind(value) == "object":
			for _, r := range rs.AsObject(value) {
				plain := plainWord(r.Name)
				list, _ := rs.AsArray(r.Value)
				known, certain := operatorOf(r.Name)
				denied := rs.AsObject(r.Value)
				switch {
				case r.Value == "null":
					return "", nil, nil
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
				case seeks[plain] && written.Range(r.Value) != "" && timeName.MatchString(name): // a time is no text
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
			leads, rest := leadingOf(value)
			if leads != "" {
				value = rest
			}
			all = with(all, name, leads, value)
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
		found := bracketed.FindStringSubmatch(m.Name)
		if found == nil {
			continue
		}
		if plain[i].Name = found[1]; found[2] != "" {
			plain[i].Value = rs.Object{{Name: found[2], Value: m.Value}}.JSON()
		}
	}
	return plain
}

// anyOf are the conditions of a filter of which one is to hold; none for any other filter.
func anyOf(filter rs.Object) []string {
	if len(filter) == 1 && slices.Contains([]string{"or", "$or", "OR", "should"}, filter[0].Name) {
		return filter.Array(filter[0].Name)
	}
	return nil
}

// alternatives are the values of the first condition that has several, of which one call can ask for one only.
func alternatives(raw string) []string {
	filter := rs.AsObject(raw)
	if list := anyOf(filter); len(list) > 1 {
		return list
	}
	filter, _, _ = unfolded(withoutBrackets(filter), nil)
	for _, m := range filter {
		list, _ := rs.AsArray(m.Value)
		for _, r := range rs.AsObject(m.Value) {
			if lists[plainWord(r.Name)] {
				list, _ = rs.AsArray(r.Value)
			}
		}
		if len(list) > 1 && !written.IsPeriod(list) {
			return list
		}
	}
	return nil
}

// leadingOf splits a text such as ">100"; "" where no operator leads it.
func leadingOf(raw string) (operator, value string) {
	s, _ := written.Text(raw)
	found := leading.FindStringSubmatch(s)
	if found == nil {
		return "", ""
	}
	operator, _ = operatorOf(found[1])
	return operator, literal(found[2])
}

// literal is a value of a written condition: a number, a boolean, or a text with or without quotation marks.
func literal(s string) string {
	s = strings.TrimSpace(s)
	if plainNumber.MatchString(s) || s == "true" || s == "false" {
		return s
	}
	return rs.EncodeJSON(written.Unquoted(s))
}

var tailOfSQL = regexp.MustCompile(`(?i)^(.*?)(?:\s+order\s+by\s+([\w.]+)(?:\s+(asc|desc))?)?(?:\s+limit\s+([0-9]+))?\s*;?\s*$`)

// withoutTail gives the order and the limit behind a filter that is written as SQL their own arguments.
func (t Tool) withoutTail(args rs.Object) rs.Object {
	s, ok := written.Text(args.Get("filter"))
	found := tailOfSQL.FindStringSubmatch(s)
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
