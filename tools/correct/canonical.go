package correct

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/identifier"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Canonical returns arguments in the form that the tool's schema lists. It makes certain corrections only, such as of a quoted number.
func (t Tool) Canonical(args rs.Object) rs.Object {
	args = t.withNames(t.recent(t.unwrapped(args)))
	if t.Name == "search" {
		args = foreign.Phrased(args)
	}
	if args.Has("since") && args.Has("until") {
		bounds := rs.Object{{Name: "since", Value: args.Get("since")}, {Name: "until", Value: args.Get("until")}}
		args = args.WithAll(rs.AsObject(written.InOneOrder(bounds.JSON())))
	}
	for i := range args {
		if p := t.parameter(args[i].Name); p != nil {
			args[i].Value = t.value(p, args[i].Value)
		}
	}
	switch t.Name {
	case "query_records":
		args = foreign.Sorted(args)
	case "aggregate":
		args = foreign.Computed(args)
	case "fetch", "read_record_field":
		args = t.identified(args)
	case "search":
		args = foreign.Dated(args)
	}
	return identifier.WithoutHandles(foreign.Limited(args))
}

// unwrapped returns the arguments without the object that other APIs wrap them in.
func (t Tool) unwrapped(args rs.Object) rs.Object {
	for _, m := range args {
		if !foreign.Envelopes[written.Snake(m.Name)] {
			continue
		}
		text, _ := written.Text(m.Value)
		inner, _ := written.Object(cmp.Or(text, m.Value))
		rest := slices.DeleteFunc(args.Without(m.Name), t.isNamedBy)
		if filter := inner.Get("filter"); filter != "" && rest.Has("filter") {
			inner, rest = inner.Without("filter"), filteredBy(rest, filter)
		}
		given := func(i rs.Member) bool { return rest.Includes(i.Name) }
		if len(inner) > 0 && !slices.ContainsFunc(inner, given) {
			return append(rest, inner...)
		}
	}
	return args
}

// recent makes a month and its year one argument, and a number of the latest records the limit.
func (t Tool) recent(args rs.Object) rs.Object {
	month, _ := rs.AsText(args.Get("month"))
	if year, _ := rs.AsText(args.Get("year")); month != "" && year != "" && !t.Takes("month") {
		separator := " "
		if len(month) < 3 {
			separator, month, year = "-", year, fmt.Sprintf("%02s", month)
		}
		args = args.Without("year").With("month", rs.EncodeJSON(month+separator+year))
	}
	for _, m := range args {
		number, _ := rs.AsText(m.Value)
		name := written.Snake(m.Name)
		isCount := name == "count" && written.Truth(number) == ""
		if latest[name] && (isCount || !t.Takes(m.Name)) && foreign.WholeNumber().MatchString(number) && t.Takes("limit") && !t.Takes("metric") &&
			!args.Has("limit") && !args.Has("sort") {
			args = args.Renamed(m.Name, "limit", m.Value)
		}
	}
	return args
}

// latest are names for a number of the newest records.
var latest = written.Set("last latest head newest recent most_recent count")

var toolNames = written.Set("name tool tool_name function method")

// isNamedBy reports whether an argument names the tool next to its arguments, as in {"name":"search","arguments":{…}}.
func (t Tool) isNamedBy(m rs.Member) bool {
	named, _ := written.Text(m.Value)
	return named == t.Name && toolNames[written.Snake(m.Name)]
}

// withNames renames arguments to the names that the tool lists.
func (t Tool) withNames(args rs.Object) rs.Object {
	canonical := slices.Clone(args)
	for _, m := range args {
		if t.Takes(m.Name) {
			continue
		}
		plain := strings.TrimPrefix(written.Snake(m.Name), "$")
		base, part, _ := strings.Cut(plain, "[")
		switch {
		case m.Value == foreign.Defaults[plain]:
			canonical = canonical.Without(m.Name)
			continue
		case m.Name == "_source": // of Elasticsearch; source is an alias of connection_id
			plain = "source_fields"
		case base == "fields": // of JSON:API
			plain = base
		case base == "page" && (part == "size]" || part == "limit]"):
			plain = "page_size"
		}
		isID := plain == "ids" || plain == "record_ids" || plain == "record_id"
		param, value, _ := strings.Cut(foreign.ArgumentFlags[plain], " ")
		meant := map[string]string{"true": value, "false": foreign.Opposites[value]}[strings.Trim(m.Value, `"`)]
		if text, ok := written.Text(m.Value); plain == "phrase" && ok && t.Takes("q") && !strings.Contains(text, `"`) {
			m.Value = rs.EncodeJSON(`"` + text + `"`)
		}
		switch filters := isID || plain == "query" && rs.AsObject(m.Value) != nil; {
		case filters && t.Takes("filter") && !t.Takes("q"):
			if isID {
				m.Value = rs.Object{{Name: "id", Value: m.Value}}.JSON()
			}
			canonical = filteredBy(canonical.Without(m.Name), m.Value)
		case t.Takes(plain) && !canonical.Includes(plain):
			canonical = canonical.Renamed(m.Name, plain, m.Value)
		case meant != "" && t.Takes(param) && !args.Includes(param):
			canonical = canonical.Renamed(m.Name, param, rs.EncodeJSON(meant))
		case !t.keeps(plain, m.Value, args):
			canonical = t.withAlias(canonical, m, plain)
		}
	}
	return canonical
}

// withAlias renames an argument to the parameter that its name is an alias of, if that parameter takes its value.
func (t Tool) withAlias(args rs.Object, m rs.Member, plain string) rs.Object {
	for _, p := range t.parameters {
		isID := p.Name == "id" && strings.HasSuffix(plain, "_id") && plain != "user_id" // message_id
		isAlias := slices.Contains(foreign.Aliases[p.Name], plain) ||
			!args.Has(p.Name) && (isID || slices.Contains(foreign.LackingAliases[p.Name], plain))
		list, isList := rs.AsArray(m.Value)
		several := isList && len(list) != 1 && p.Type == "string" && p.Name != "q"
		if same := args.Get(p.Name); isAlias && !several && (same == "" || same == m.Value) {
			return args.Renamed(m.Name, p.Name, m.Value)
		}
	}
	return args
}

// keeps reports whether an argument keeps its name because it means something other than the parameter it is an alias of.
func (t Tool) keeps(plain, value string, args rs.Object) bool {
	text, _ := rs.AsText(value)
	member := rs.Member{Name: plain, Value: value}
	return plain == "query" && t.Name == "search" || foreign.Joins(member) != "" || t.IsOperator(member) ||
		(plain == "in" || plain == "period") && written.NamesDays(text) ||
		plain == "record_id" && args.Has("id") || plain == "from" && t.Takes("stream") && !written.IsWord(value)
}
