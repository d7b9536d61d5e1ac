package correct

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// placed finds a place for an argument that the tool does not take, or leaves it out.
func (t Tool) placed(guess rs.Object, m rs.Member) rs.Object {
	rest, plain := guess.Without(m.Name), written.Snake(m.Name)
	for _, p := range t.parameters {
		if !rest.Has(p.Name) && (plain == "connector_instance_id" && p.Name == "connection_id" || plain == "name" && p.Name == "stream" ||
			written.Distance(plain, p.Name) == 1 || len(p.Name) > 5 && written.Distance(plain, p.Name) == 2) {
			return renamed(guess, m.Name, p.Name, t.value(&p, m.Value))
		}
	}
	for _, p := range t.parameters {
		if slices.Contains(aliases[p.Name], plain) {
			return rest // the argument itself is given
		}
	}
	if sorts(plain) {
		return rest
	}
	o := rs.AsObject(m.Value)
	list, _ := rs.AsArray(m.Value)
	kind := rs.Kind(m.Value)
	compares := kind == "string" || kind == "number" || kind == "boolean" || len(list) > 0 && rs.Kind(list[0]) != "object" ||
		len(o) > 0 && !slices.ContainsFunc(o, func(r rs.Member) bool { return !foreign.IsOperator(r.Name) })
	base, _, _ := strings.Cut(plain, "[")
	if t.Takes("filter") && !beside[base] && (foreign.HasOperator(m.Name) || compares && t.Takes("stream")) {
		return t.filteredBy(rest, rs.Object{m})
	}
	return rest
}

// filteredBy is a call with one more part of its filter, in whatever form they are.
func (t Tool) filteredBy(args, part rs.Object) rs.Object {
	switch filter := args.Object("filter"); {
	case foreign.IsEmpty(args.Get("filter")):
		return args.With("filter", part.JSON())
	case filter == nil || filter.Includes(part[0].Name):
		return args.With("filter", rs.JoinArray([]string{args.Get("filter"), part.JSON()}))
	default:
		return args.With("filter", append(slices.Clone(filter), part...).JSON())
	}
}

// sorts reports whether an argument of that name says in which order records come.
func sorts(plain string) bool {
	return plain == "sort" || plain == "order" || flags[plain][0] == "order" ||
		slices.Contains(aliases["sort"], plain) || slices.Contains(aliases["order"], plain)
}

// guessed is the value that is probably meant; "" leaves the argument out.
func (t Tool) guessed(p *parameter, raw string) string {
	switch {
	case p.Type == "integer":
		n, ok := rs.AsText(raw)
		if !ok || !wholeNumber().MatchString(n) {
			return ""
		}
		number, _ := rs.Object{{Name: "n", Value: strings.TrimPrefix(n, "+")}}.Number("n")
		switch {
		case strings.HasPrefix(n, "-"), number < p.Least:
			return ""
		case number > p.Most:
			return rs.EncodeJSON(p.Most)
		}
	case p.Words != nil:
		if several, ok := rs.AsArray(list(raw)); ok && len(several) > 0 {
			raw = t.string(p, several[0])
		}
		word, _ := rs.AsText(raw)
		if likely := likelyForms[p.Name][written.Snake(word)]; likely != "" {
			return rs.EncodeJSON(likely)
		}
		if !slices.Contains(p.Words, word) {
			if near := written.Nearest(word, p.Words, 1); len(near) > 0 && !strings.ContainsAny(word, "<>=") {
				return rs.EncodeJSON(near[0])
			}
			return ""
		}
	case p.Type == "array":
		raw = chosen(raw)
		if list, ok := rs.AsArray(raw); !ok || len(list) == 0 {
			return ""
		}
	case p.Type == "string":
		if list, ok := rs.AsArray(raw); ok && len(list) > 0 {
			raw = list[0]
		}
		s, ok := written.Text(raw)
		if !ok || strings.TrimSpace(s) == "" {
			return ""
		}
		return raw
	case p.Name == "expand_limit":
		if o := rs.AsObject(raw); len(o) == 0 {
			return ""
		}
	}
	return raw
}

// misplaced returns the call whose filter's conditions on what is an argument of the tool are that argument; false for none.
func (t Tool) misplaced(args rs.Object) (Call, bool) {
	mended, filter := args, args.Object("filter")
	for _, m := range filter {
		name := m.Name
		if name == "stream" && t.Takes("streams") {
			name = "streams"
		}
		p := t.parameter(name)
		if p == nil || !p.allows(m.Value) || name == "q" || name == "limit" || mended.Has(name) || rs.Kind(m.Value) == "object" {
			continue
		}
		mended, filter = mended.With(name, t.value(p, m.Value)), filter.Without(m.Name)
	}
	if len(mended) == len(args) {
		return Call{}, false
	}
	return Call{t.Name, filtered(mended, filter)}, true
}

// chosen is a list of the names that an object chooses, as {"total":1,"merchant":true} does; any other value as it is.
func chosen(raw string) string {
	o := rs.AsObject(raw)
	var names []string
	if list, ok := rs.AsArray(raw); ok && len(list) > 0 && rs.AsObject(list[0]) != nil { // [{"name":"total"}]
		for _, item := range list {
			names = append(names, rs.AsObject(item).Text("name", "field", "key", "id", "column"))
		}
		if slices.Contains(names, "") {
			return raw
		}
	}
	for _, m := range o {
		if m.Value != "1" && m.Value != "true" && m.Value != "{}" {
			return raw
		}
		names = append(names, m.Name)
	}
	if names == nil {
		return raw
	}
	return listed(names)
}

// expanded takes an object of relations with their limits apart: {"attachments":{"limit":3}}.
func expanded(args rs.Object) rs.Object {
	relations := rs.AsObject(args.Get("expand"))
	var names []string
	var limits rs.Object
	for _, m := range relations {
		limit, ok := rs.AsObject(m.Value).Number("limit")
		if !ok || args.Has("expand_limit") {
			return args
		}
		names, limits = append(names, m.Name), append(limits, rs.Member{Name: m.Name, Value: strconv.Itoa(limit)})
	}
	if names == nil {
		return args
	}
	return args.With("expand", listed(names)).With("expand_limit", limits.JSON())
}

var statementForm = written.Expression(`(?is)^\s*(?:select\s+(distinct\s+)?(.+?)\s+from\s+["'\x60]?(\w+)["'\x60]?)?` +
	`\s*(?:\bwhere\b\s*)?(.*?)` +
	`(?:\s*\bgroup\s+by\s+([\w.]+))?(?:\s*\border\s+by\s+(.+?)(?:\s+(asc|desc))?)?(?:\s*\blimit\s+([0-9]+))?\s*;?\s*$`)

// statement takes a statement of SQL apart, or what follows the conditions of one: its filter stays a text. tool is the one that answers
// it. It is false where no argument is one.
func (t Tool) statement(args rs.Object) (tool string, apart rs.Object, ok bool) {
	for _, m := range args {
		s, _ := written.Text(m.Value)
		name := written.Snake(m.Name)
		holds := name == "filter" || name == "sql" || name == "statement" || slices.Contains(words, name)
		if !t.Takes("filter") || t.Takes("q") || !holds || len(s) > foreign.LongestText {
			continue
		}
		found := statementForm().FindStringSubmatch(s)
		if found == nil || found[2]+found[5]+found[6]+found[8] == "" {
			continue
		}
		apart = args.Without(m.Name)
		add := func(name, value string) {
			if value != "" && !apart.Has(name) {
				apart = apart.With(name, rs.EncodeJSON(value))
			}
		}
		add("stream", found[3])
		add("filter", strings.TrimSpace(found[4]))
		tool = t.Name
		var fields []string
		for _, column := range written.Names(found[2]) {
			if of := metricOfField().FindStringSubmatch(column); of != nil {
				if tool == "aggregate" && t.Name != tool || apart.Has("metric") && t.Name != "aggregate" {
					return "", nil, false // it has several numbers
				}
				tool = "aggregate"
				add("metric", column)
			} else if column != "*" {
				fields = append(fields, column)
			}
		}
		switch {
		case found[1] != "" && len(fields) == 1:
			tool, found[5] = "aggregate", fields[0]
		case tool != "aggregate" && found[5] == "" && len(fields) > 0 && !apart.Has("fields"):
			apart = apart.With("fields", listed(fields))
		}
		if found[5] != "" {
			tool = "aggregate"
			add("group_by", found[5])
		}
		if tool == "aggregate" {
			add("metric", "count")
		}
		if found[6] != "" {
			add("sort", map[bool]string{true: "-"}[strings.EqualFold(found[7], "desc")]+found[6])
		}
		if found[8] != "" && !apart.Has("limit") {
			apart = apart.With("limit", found[8])
		}
		return tool, apart, true
	}
	return "", nil, false
}
