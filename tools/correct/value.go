package correct

import (
	"cmp"
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

func (t Tool) string(p *parameter, raw string) string {
	if p.Name == "q" || p.Name == "query" {
		return foreign.OneQuery(raw)
	}
	raw = soleItem(raw)
	s, isText := written.Text(raw)
	sent, ok := rs.AsText(raw)
	plain := foreign.Every().ReplaceAllString(written.Snake(sent), "")
	plain = cmp.Or(wordForms[p.Name][sent], wordForms[p.Name][plain], plain) // as sent first: Snake drops the sign of -1
	switch {
	case p.Name == "since" || p.Name == "until":
		if day := written.Day(p.Name, cmp.Or(written.Reordered(raw), raw)); day != "" {
			return rs.EncodeJSON(day)
		}
	case ok && slices.Contains(p.Words, plain):
		return rs.EncodeJSON(plain)
	case p.Words == nil && isText && slices.Contains(nameArguments, p.Name) && written.Unquoted(s) != "":
		return rs.EncodeJSON(written.Unquoted(s))
	}
	return raw
}

// limited makes a lone number in expand_limit the limit of the one expanded relation, and quoted limits numbers.
func limited(args rs.Object) rs.Object {
	raw := args.Get("expand_limit")
	limits := rs.AsObject(raw)
	if n, _ := rs.AsText(raw); foreign.WholeNumber().MatchString(n) && len(args.Array("expand")) == 1 {
		relation, _ := written.Text(args.Array("expand")[0])
		limits = rs.Object{{Name: relation, Value: n}}
	}
	for i, m := range limits {
		if s, ok := written.Text(m.Value); ok && foreign.WholeNumber().MatchString(s) {
			limits[i].Value = s
		}
	}
	if len(limits) > 0 && limits.JSON() != raw {
		return args.With("expand_limit", limits.JSON())
	}
	return args
}

// guessed returns the value that is probably meant, or "" to leave the argument out.
func (t Tool) guessed(p *parameter, raw string) string {
	text, isText := rs.AsText(raw)
	list, _ := rs.AsArray(list(raw))
	switch {
	case p.Type == "integer":
		if likely := likelyForms[p.Name][written.Snake(text)]; likely != "" {
			text, raw = likely, likely
		}
		number, _ := rs.Object{{Name: "n", Value: strings.TrimPrefix(text, "+")}}.Number("n")
		switch {
		case !isText || !foreign.WholeNumber().MatchString(text) || strings.HasPrefix(text, "-") || number < p.Least:
			return ""
		case number > p.Most:
			return rs.EncodeJSON(p.Most)
		}
	case p.Words != nil:
		if len(list) > 0 {
			raw = t.string(p, list[0])
		}
		word, _ := rs.AsText(raw)
		likely, near := likelyForms[p.Name][written.Snake(word)], written.Nearest(word, p.Words, 1)
		switch {
		case likely != "":
			return rs.EncodeJSON(likely)
		case slices.Contains(p.Words, word):
		case len(near) > 0 && written.Distance(written.Snake(word), near[0]) <= max(1, len(near[0])/3): // half_year does not mean year
			return rs.EncodeJSON(near[0])
		default:
			return ""
		}
	case p.Type == "array":
		raw = foreign.Chosen(raw)
		if list, ok := rs.AsArray(raw); !ok || len(list) == 0 {
			return ""
		}
	case p.Type == "string":
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

// sorted merges sort and order. sort is a field with '-' before it for descending; order is the direction of the default sort.
func sorted(args rs.Object) rs.Object {
	field, direction := foreign.Sort(args.Get("sort"))
	order := args.Text("order")
	f, d := foreign.Sort(args.Get("order"))
	if order != "asc" && order != "desc" && !args.Has("sort") && f != "" && (d != "" || strings.HasPrefix(order, "-")) { // "-total"
		field, direction, order = f, d, ""
		args = renamed(args, "order", "sort", `""`)
	}
	bare, negated := strings.CutPrefix(field, "-")
	alone := map[string]string{"asc": "asc", "desc": "desc"}[strings.TrimSuffix(strings.ToLower(field), "ending")] // without a field
	if direction == "" && (order == "asc" || order == "desc") && !negated {
		direction = order
	}
	switch {
	case field == "":
		return args
	case alone != "" && order == "" && direction == "":
		return renamed(args, "sort", "order", rs.EncodeJSON(alone))
	case alone != "":
		return args
	case direction == "":
		return args.With("sort", rs.EncodeJSON(field))
	case direction == "asc" && negated, order != "" && direction != order: // they disagree
		return args
	case direction == "desc":
		field = "-" + bare
	}
	return args.Without("order").With("sort", rs.EncodeJSON(field))
}

// sorts reports whether an argument of that name sets the order of records.
func sorts(plain string) bool {
	return plain == "sort" || plain == "order" || flags[plain][0] == "order" ||
		slices.Contains(aliases["sort"], plain) || slices.Contains(aliases["order"], plain)
}

// ordered makes the sort of an aggregate the order of its groups: "-total" is desc. A sort by something else or without a direction stays.
func ordered(args rs.Object) rs.Object {
	for _, m := range args {
		field, direction := foreign.Sort(m.Value)
		if !sorts(written.Snake(m.Name)) || field == "asc" || field == "desc" || !args.Has("group_by") && !args.Has("group_by_time") {
			continue
		}
		if bare, negated := strings.CutPrefix(field, "-"); negated && direction == "" {
			field, direction = bare, "desc"
		}
		metric, of := args.Text("metric"), args.Text("field")
		own := []string{"value", metric, metric + "_" + of, metric + "(" + of + ")", metric + "(*)", of}
		if args.Has("group_by_time") {
			own = []string{args.Text("group_by_time"), args.Text("granularity")}
		}
		if direction != "" && slices.Contains(own, field) && (m.Name == "order" || !args.Has("order")) {
			return renamed(args, m.Name, "order", rs.EncodeJSON(direction))
		}
	}
	return args
}
