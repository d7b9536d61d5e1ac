package correct

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// operatorOf returns the operator that a word means; false if it is not certain.
func operatorOf(word string) (operator string, certain bool) {
	plain := strings.ToLower(strings.TrimLeft(strings.TrimSpace(word), "$_"))
	if slices.Contains(rs.RangeOperators, plain) {
		return plain, true
	}
	operator, certain = operators[plain]
	if !certain {
		operator, certain = operators[snake(plain)]
	}
	return operator, certain
}

// filterOf returns a filter in its own form: by field a value, or an object of range operators. What is not certain stays as it is.
func filterOf(raw string) string {
	if list, ok := rs.AsArray(raw); ok {
		return conjunction(list, raw)
	}
	o := rs.AsObject(raw)
	if o == nil {
		return raw
	}
	if field, condition, ok := spelled(o); ok {
		return rs.Object{{Name: field, Value: condition}}.JSON()
	}
	if inner := unwrapped(o); inner != nil {
		return filterOf(rs.JoinArray(inner))
	}
	if len(o) == 1 && (strings.EqualFold(o[0].Name, "and") || strings.EqualFold(o[0].Name, "$and")) {
		if list, ok := rs.AsArray(o[0].Value); ok {
			return conjunction(list, raw)
		}
	}
	changed := slices.Clone(o)
	for i := range changed {
		changed[i].Value = condition(changed[i].Value)
	}
	return changed.JSON()
}

// condition is what one field is compared with.
func condition(raw string) string {
	if list, ok := rs.AsArray(raw); ok && len(list) == 1 && rs.Kind(list[0]) != "object" {
		return list[0]
	}
	o := rs.AsObject(raw)
	var ranges rs.Object
	for _, m := range o {
		operator, ok := operatorOf(m.Name)
		switch {
		case strings.EqualFold(strings.TrimPrefix(m.Name, "$"), "in") && len(o) == 1 && only(m.Value) != m.Value:
			return only(m.Value)
		case !ok || ranges.Includes(operator):
			return raw
		case operator == "" && len(o) == 1:
			return m.Value
		case operator == "":
			return raw
		case m.Value == "null" && len(o) > 1:
			continue // a null argument counts as absent
		}
		ranges = append(ranges, rs.Member{Name: operator, Value: m.Value})
	}
	if len(ranges) == 0 {
		return raw
	}
	return ranges.JSON()
}

// spelled reads a condition that names its parts: {"field":"total","operator":">=","value":100}.
func spelled(o rs.Object) (field, comparison string, ok bool) {
	if len(o) != 3 && (len(o) != 2 || !o.Includes("value")) {
		return "", "", false
	}
	word := "eq"
	for _, m := range o {
		s, isText := text(m.Value)
		switch name := strings.ToLower(m.Name); name {
		case "field", "field_path", "column", "property", "key", "name":
			if len(o) == 2 && name != "field" && name != "field_path" {
				return "", "", false // without an operator these can be fields of the stream
			}
			field = s
		case "operator", "op", "comparison", "condition":
			if word = s; !isText {
				return "", "", false
			}
		case "value":
			comparison = m.Value
		default:
			return "", "", false
		}
	}
	if field == "" || comparison == "" {
		return "", "", false
	}
	comparison = condition(rs.Object{{Name: word, Value: comparison}}.JSON())
	_, certain := operatorOf(word)
	return field, comparison, certain
}

// conjunction joins the conditions of a list, all of which must hold. If two cannot stand in one object, raw is returned.
func conjunction(list []string, raw string) string {
	var all rs.Object
	for _, item := range list {
		conditions := rs.AsObject(filterOf(item))
		if len(conditions) == 0 {
			return raw
		}
		for _, m := range conditions {
			if before := rs.AsObject(all.Get(m.Name)); before != nil && rs.AsObject(m.Value) != nil {
				for _, r := range rs.AsObject(m.Value) {
					if before.Includes(r.Name) {
						return raw
					}
					before = append(before, r)
				}
				all = all.With(m.Name, before.JSON())
				continue
			}
			if all.Includes(m.Name) {
				return raw
			}
			all = append(all, m)
		}
	}
	if len(all) == 0 {
		return raw
	}
	return all.JSON()
}

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
	if inner := unquoted(s); inner != s {
		return !strings.Contains(inner, s[:1])
	}
	return !severalValues.MatchString(s)
}

// maxParts bounds the conditions of a filter in one text: more than a filter may have.
const maxParts = 50

// isEmpty reports whether a filter has no condition.
func isEmpty(raw string) bool {
	s, isText := text(raw)
	o, err := rs.ReadObject(raw)
	list, isList := rs.AsArray(raw)
	return raw == "null" || isText && strings.TrimSpace(s) == "" || err == nil && len(o) == 0 || isList && len(list) == 0
}

// absent reports whether a condition asks for records that have no value in its field, or for those that have one.
func absent(condition string) bool {
	switch o := rs.AsObject(condition); {
	case len(o) == 1:
		word := strings.ToLower(strings.TrimPrefix(o[0].Name, "$"))
		return absences[word] && rs.Kind(o[0].Value) == "boolean" || exclusions[word] && absent(o[0].Value)
	default:
		return condition == "null" || condition == `""`
	}
}

// guessedFilter returns the filter that is probably meant by one that was refused, without the one condition that cannot be said: an
// exclusion, or a text to look for; "" where a condition of it would be lost.
func guessedFilter(raw string) (guess string, excluded, sought *rs.Member) {
	if s, ok := text(raw); ok {
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
	for _, word := range []string{"or", "$or", "OR", "should"} {
		if list := o.Array(word); len(o) == 1 && len(list) > 0 { // there is no "or": one call for each
			return filterOf(list[0]), nil, nil
		}
	}
	var all rs.Object
	unsaid := 0 // conditions that no filter says
	for _, m := range o {
		name, operator := m.Name, ""
		if found := bracketed.FindStringSubmatch(m.Name); found != nil {
			name = found[1]
			operator, _ = operatorOf(found[2])
		}
		switch value := m.Value; {
		case absent(value):
			excluded, unsaid = &rs.Member{Name: name, Value: "null"}, unsaid+1
		case rs.Kind(value) == "object":
			for _, r := range rs.AsObject(value) {
				plain := strings.ToLower(strings.TrimPrefix(r.Name, "$"))
				list, _ := rs.AsArray(r.Value)
				known, certain := operatorOf(r.Name)
				plain = strings.TrimLeft(plain, "_")
				switch {
				case r.Value == "null":
					return "", nil, nil
				case certain:
					all = with(all, name, known, r.Value)
				case lists[plain] && len(list) > 0:
					all = with(all, name, "", list[0])
				case plain == "between" && len(list) == 2:
					all = with(with(all, name, "gte", list[0]), name, "lte", list[1])
				case likely[plain] != "":
					all = with(all, name, likely[plain], r.Value)
				case exclusions[plain] && len(rs.AsObject(r.Value)) == 1 && complements[rs.AsObject(r.Value)[0].Name] != "":
					all = with(all, name, complements[rs.AsObject(r.Value)[0].Name], rs.AsObject(r.Value)[0].Value)
				case exclusions[plain]:
					excluded, unsaid = &rs.Member{Name: name, Value: r.Value}, unsaid+1
				case seeks[plain] && spanOf(r.Value) != "" && timeName.MatchString(name): // a time is no text
					all = all.With(name, spanOf(r.Value))
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
			case isPeriod(list):
				all = with(with(all, name, "gte", list[0]), name, "lte", list[1])
			default:
				all = with(all, name, operator, list[0])
			}
		default:
			if leads, rest := leadingOf(value); leads != "" {
				operator, value = leads, rest
			}
			all = with(all, name, operator, value)
		}
	}
	if unsaid > 1 {
		return "", nil, nil
	}
	return all.JSON(), excluded, sought
}

// alternatives are the values of the first condition that has several, of which one call can ask for one only.
func alternatives(raw string) []string {
	filter := rs.AsObject(raw)
	for _, word := range []string{"or", "$or", "OR", "should"} {
		if list := filter.Array(word); len(filter) == 1 && len(list) > 1 {
			return list
		}
	}
	for _, m := range filter {
		list, _ := rs.AsArray(m.Value)
		for _, r := range rs.AsObject(m.Value) {
			if lists[strings.ToLower(strings.TrimPrefix(r.Name, "$"))] {
				list, _ = rs.AsArray(r.Value)
			}
		}
		if len(list) > 1 && !isPeriod(list) {
			return list
		}
	}
	return nil
}

// Hint says what the call of [Tool.Guess] leaves of the arguments for another call; "" if it leaves nothing.
func (t Tool) Hint(args rs.Object) string {
	if values := alternatives(args.Get("filter")); len(values) > 0 {
		return fmt.Sprintf("A filter takes one value a field, so this needs a call for each of the %d; the one below is the first.", len(values))
	}
	if id, _ := text(args.Get("id")); id != "" && t.Takes("id") && !strings.Contains(id, ":") {
		connection, _ := text(args.Get("connection_id"))
		stream, _ := text(args.Get("stream"))
		return ownID(id, connection, stream)
	}
	if metrics, ok := rs.AsArray(list(args.Get("metric"))); ok && len(metrics) > 1 && t.Takes("metric") {
		return fmt.Sprintf("aggregate computes one metric, so this needs a call for each of the %d; the one below is the first.", len(metrics))
	}
	if word, _ := text(args.Get("granularity")); strings.Contains(word, "week") && likelyForms["granularity"][snake(word)] == "day" {
		return "No group is a weekday: the call below groups by day, and the days of each weekday are to be added up."
	}
	if call, ok := t.worded(args); ok && t.Name != call.Tool && t.Takes("metric") {
		return "aggregate looks for no words: search finds the records that have them."
	}
	for _, m := range args.Object("filter") {
		if !absent(m.Value) {
			continue
		}
		if _, excluded, _ := guessedFilter(args.Get("filter")); excluded != nil && t.Takes("metric") && !args.Has("group_by") && !args.Has("group_by_time") {
			return "No filter finds what has no value; in the call below, the group null is the records without " + clean(m.Name) + "."
		}
		return "No filter finds what has no value: leave that condition out and look at " + clean(m.Name) + " in the records."
	}
	if slices.ContainsFunc(args, func(m rs.Member) bool { return !t.Takes(m.Name) && pages[snake(m.Name)] }) && t.Takes("cursor") {
		return "Pages have no numbers: each answer prints the call for the next page, with its cursor. The call below reads the first."
	}
	return ""
}

// leadingOf splits a text such as ">100"; "" where no operator leads it.
func leadingOf(raw string) (operator, value string) {
	s, _ := text(raw)
	found := leading.FindStringSubmatch(s)
	if found == nil {
		return "", ""
	}
	operator, _ = operatorOf(found[1])
	return operator, literal(found[2])
}

// with adds a condition to a filter.
func with(filter rs.Object, field, operator, value string) rs.Object {
	if operator == "" {
		return filter.With(field, value)
	}
	return filter.With(field, filter.Object(field).With(operator, value).JSON())
}

// literal is a value of a written condition: a number, a boolean, or a text with or without quotation marks.
func literal(s string) string {
	s = strings.TrimSpace(s)
	if plainNumber.MatchString(s) || s == "true" || s == "false" {
		return s
	}
	return rs.EncodeJSON(unquoted(s))
}
