package correct

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Canonical returns arguments as the tool lists them, and whether that differs from what was sent. Only what is certain is
// rewritten: another common name of an argument, a number in quotes, one value for a list of one, and the like.
func (t Tool) Canonical(args rs.Object) (canonical rs.Object, changed bool) {
	sent := args
	args = t.withNames(t.unwrapped(args))
	for i := range args {
		if p := t.parameter(args[i].Name); p != nil {
			args[i].Value = t.value(p, args[i].Value)
		}
	}
	switch t.Name {
	case "query_records":
		args = sorted(args)
	case "aggregate":
		args = computed(args)
	case "fetch", "read_record_field":
		args = t.identified(args)
	case "search":
		args = dated(args)
	case "schema":
		if name, _ := written.Text(args.Get("stream")); name == "*" {
			args = args.Without("stream")
		}
	}
	args = withoutHandles(limited(args))
	return args, !slices.Equal(args, sent)
}

// unwrapped are arguments without the one object that others put around them.
func (t Tool) unwrapped(args rs.Object) rs.Object {
	for _, m := range args {
		raw := m.Value
		if s, ok := written.Text(raw); ok {
			raw = s
		}
		inner, _ := written.Object(raw)
		given := func(i rs.Member) bool { return args.Includes(i.Name) }
		if len(inner) > 0 && envelopes[written.Snake(m.Name)] && !slices.ContainsFunc(inner, given) {
			return append(args.Without(m.Name), inner...)
		}
	}
	return args
}

// withNames gives arguments the names that the tool lists.
func (t Tool) withNames(args rs.Object) rs.Object {
	canonical := slices.Clone(args)
	for _, m := range args {
		if t.Takes(m.Name) {
			continue
		}
		plain := strings.TrimPrefix(written.Snake(m.Name), "$")
		if m.Name == "_source" { // of Elasticsearch; a source is a connection
			plain = "source_fields"
		}
		if base, part, ok := strings.Cut(plain, "["); ok && base == "fields" { // of JSON:API
			plain = base
		} else if ok && base == "page" && (part == "size]" || part == "limit]") {
			plain = "page_size"
		}
		if (plain == "query" && rs.AsObject(m.Value) != nil || plain == "ids" || plain == "record_ids") && t.Takes("filter") && !t.Takes("q") &&
			!canonical.Includes("filter") {
			if plain != "query" {
				m.Value = rs.Object{{Name: "id", Value: m.Value}}.JSON()
			}
			canonical = renamed(canonical, m.Name, "filter", m.Value)
			continue
		}
		if t.Takes(plain) && !canonical.Includes(plain) {
			canonical = renamed(canonical, m.Name, plain, m.Value)
			continue
		}
		if flag, ok := flags[plain]; ok && t.Takes(flag[0]) && !args.Includes(flag[0]) {
			if meant := map[string]string{"true": flag[1], "false": opposite[flag[1]]}[m.Value]; meant != "" {
				canonical = renamed(canonical, m.Name, flag[0], rs.EncodeJSON(meant))
				continue
			}
		}
		for _, p := range t.parameters {
			lacking := slices.Contains(lackingAliases[p.Name], plain) && !canonical.Has(p.Name)
			if !lacking && !slices.Contains(aliases[p.Name], plain) || t.keeps(plain, m.Value, args) {
				continue
			}
			if same := canonical.Get(p.Name); same == "" || same == m.Value {
				if list, ok := rs.AsArray(m.Value); ok && p.Type == "string" && len(list) != 1 && p.Name != "q" {
					continue
				}
				canonical = renamed(canonical, m.Name, p.Name, m.Value)
				break
			}
		}
	}
	return canonical
}

// keeps reports whether an argument means something else beside the others: the record_id of a stream is not yet an id.
func (t Tool) keeps(plain, value string, args rs.Object) bool {
	text, _ := rs.AsText(value)
	_, _, isTime := written.Relative(text, time.Now().UTC())
	return plain == "query" && t.Name == "search" || plain == "in" && isTime || t.IsOperator(rs.Member{Name: plain, Value: value}) || plain == "record_id" && args.Has("id") ||
		plain == "from" && t.Takes("stream") && !written.IsWord(value)
}

var wholeNumber = written.Expression(`^[+-]?[0-9]{1,10}$`)

// value gives a value the type of its parameter, where it is certain which one that is.
func (t Tool) value(p *parameter, raw string) string {
	switch p.Type {
	case "integer":
		if s, ok := written.Text(raw); ok && wholeNumber().MatchString(strings.TrimSpace(s)) {
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
		if o := rs.AsObject(raw); len(o) == 1 && o.Text("text", "query", "q", "value") != "" {
			return rs.EncodeJSON(o.Text(o[0].Name))
		}
		if list, ok := rs.AsArray(raw); ok && len(list) > 0 {
			var terms []string
			for _, item := range list {
				term, ok := written.Text(item)
				if !ok {
					return raw
				}
				terms = append(terms, term)
			}
			return rs.EncodeJSON(strings.Join(terms, " "))
		}
		return raw
	}
	raw = only(raw)
	if p.Name == "since" || p.Name == "until" {
		if day := written.Day(p.Name, raw); day != "" {
			return rs.EncodeJSON(day)
		}
		return raw
	}
	if p.Words != nil {
		sent, ok := rs.AsText(raw)
		plain := written.Snake(sent)
		plain = cmp.Or(wordForms[p.Name][sent], wordForms[p.Name][plain], plain) // -1 is not 1
		if ok && slices.Contains(p.Words, plain) {
			return rs.EncodeJSON(plain)
		}
		return raw
	}
	if s, ok := written.Text(raw); ok && slices.Contains(nameArguments, p.Name) && written.Unquoted(s) != s && written.Unquoted(s) != "" {
		return rs.EncodeJSON(written.Unquoted(s))
	}
	return raw
}

var sortWithDirection = written.Expression(`(?i)^([^\s,:]+?)(?:\s+|\s*[,:]\s*)(asc|desc|ascending|descending)$`)

// sorted brings sort and order into one: sort is a field with '-' before it for descending, order the direction of the default sort.
func sorted(args rs.Object) rs.Object {
	field, direction := sortOf(args.Get("sort"))
	order, _ := written.Text(args.Get("order"))
	if args.Has("order") && order != "asc" && order != "desc" && !args.Has("sort") { // "total desc", "-total"
		if f, d := sortOf(args.Get("order")); f != "" && (d != "" || strings.HasPrefix(order, "-")) {
			field, direction, order = f, d, ""
			args = renamed(args, "order", "sort", `""`)
		}
	}
	if field == "" {
		return args
	}
	if plain := strings.TrimSuffix(strings.ToLower(field), "ending"); plain == "asc" || plain == "desc" {
		if order == "" && direction == "" {
			return renamed(args, "sort", "order", rs.EncodeJSON(plain))
		}
		return args
	}
	bare, negated := strings.CutPrefix(field, "-")
	if direction == "" && (order == "asc" || order == "desc") && !negated {
		direction = order
	}
	switch {
	case direction == "":
		return args.With("sort", rs.EncodeJSON(field))
	case direction == "asc" && negated, order != "" && direction != order: // they disagree
		return args
	case direction == "desc":
		field = "-" + bare
	}
	return args.Without("order").With("sort", rs.EncodeJSON(field))
}

// sortOf reads a sort as other APIs write it.
func sortOf(raw string) (field, direction string) {
	raw = only(raw)
	if o := rs.AsObject(raw); o != nil {
		field, direction = o.Text("field", "name", "by", "column", "property", "key"), strings.ToLower(o.Text("direction", "order", "dir"))
		if len(o) == 1 && field == "" {
			field, direction = o[0].Name, strings.ToLower(o.Text(o[0].Name))
			if n, ok := o.Number(field); ok && (n == 1 || n == -1) {
				direction = map[int]string{1: "asc", -1: "desc"}[n]
			}
		}
	} else if s, ok := written.Text(raw); ok {
		field = strings.TrimSpace(s)
		if found := sortWithDirection().FindStringSubmatch(field); found != nil {
			field, direction = found[1], strings.ToLower(found[2])
		}
	}
	if direction = strings.TrimSuffix(direction, "ending"); direction != "" && direction != "asc" && direction != "desc" {
		return "", ""
	}
	return strings.TrimPrefix(field, "+"), direction
}

var metricOfField = written.Expression(`^\s*(\w+)\s*\(\s*(?:(?i:distinct)\s+)?([\w.]+|\*)\s*\)\s*$`)

// computed brings the arguments of an aggregate into their form: "sum(total)" is a metric and its field.
func computed(args rs.Object) rs.Object {
	metric, _ := written.Text(args.Get("metric"))
	if found := metricOfField().FindStringSubmatch(metric); found != nil && !args.Has("field") {
		name := strings.ToLower(found[1])
		name = cmp.Or(wordForms["metric"][name], name)
		if strings.Contains(strings.ToLower(metric), "distinct ") {
			if name != "count" && name != "count_distinct" {
				return args // of distinct values there is a number alone
			}
			name = "count_distinct"
		}
		metric = name
		args = args.With("metric", rs.EncodeJSON(name)).With("field", rs.EncodeJSON(found[2]))
	}
	if field, _ := written.Text(args.Get("field")); field == "*" && metric == "count" {
		args = args.Without("field")
	}
	if word, ok := written.Text(args.Get("group_by_time")); ok && granularities[word] && !args.Has("granularity") {
		args = args.With("granularity", rs.EncodeJSON(word))
	}
	if args.Has("granularity") && args.Has("group_by") && !args.Has("group_by_time") {
		args = renamed(args, "group_by", "group_by_time", args.Get("group_by"))
	}
	return args
}

// limited gives a lone number for expand_limit the relation that is expanded, and numbers in quotes their type.
func limited(args rs.Object) rs.Object {
	raw := args.Get("expand_limit")
	relations := args.Array("expand")
	if n, ok := rs.AsText(raw); ok && wholeNumber().MatchString(n) && len(relations) == 1 {
		relation, _ := written.Text(relations[0])
		return args.With("expand_limit", rs.Object{{Name: relation, Value: n}}.JSON())
	}
	limits := slices.Clone(rs.AsObject(raw))
	for i, m := range limits {
		if s, ok := written.Text(m.Value); ok && wholeNumber().MatchString(s) {
			limits[i].Value = s
		}
	}
	if len(limits) > 0 && limits.JSON() != raw {
		return args.With("expand_limit", limits.JSON())
	}
	return args
}
