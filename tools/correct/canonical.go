package correct

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/identifier"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Canonical returns arguments in the form that the tool's schema lists. It makes certain corrections only, such as of a quoted number.
func (t Tool) Canonical(args rs.Object) rs.Object {
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
	}
	return identifier.WithoutHandles(limited(args))
}

// unwrapped returns the arguments without the object that other APIs wrap them in.
func (t Tool) unwrapped(args rs.Object) rs.Object {
	for _, m := range args {
		if !envelopes[written.Snake(m.Name)] {
			continue
		}
		text, _ := written.Text(m.Value)
		inner, _ := written.Object(cmp.Or(text, m.Value))
		rest := slices.DeleteFunc(args.Without(m.Name), func(i rs.Member) bool { return foreign.NamesTool(i, t.Name) })
		if filter := inner.Get("filter"); filter != "" && rest.Has("filter") {
			inner, rest = inner.Without("filter"), t.filteredBy(rest, filter)
		}
		given := func(i rs.Member) bool { return rest.Includes(i.Name) }
		if len(inner) > 0 && !slices.ContainsFunc(inner, given) {
			return append(rest, inner...)
		}
	}
	return args
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
		case m.Name == "_source": // of Elasticsearch; source is an alias of connection_id
			plain = "source_fields"
		case base == "fields": // of JSON:API
			plain = base
		case base == "page" && (part == "size]" || part == "limit]"):
			plain = "page_size"
		}
		isID, flag := plain == "ids" || plain == "record_ids", flags[plain]
		meant := map[string]string{"true": flag[1], "false": foreign.Opposites[flag[1]]}[m.Value]
		switch filters := isID || plain == "query" && rs.AsObject(m.Value) != nil; {
		case filters && t.Takes("filter") && !t.Takes("q"):
			if isID {
				m.Value = rs.Object{{Name: "id", Value: m.Value}}.JSON()
			}
			canonical = t.filteredBy(canonical.Without(m.Name), m.Value)
		case t.Takes(plain) && !canonical.Includes(plain):
			canonical = renamed(canonical, m.Name, plain, m.Value)
		case meant != "" && t.Takes(flag[0]) && !args.Includes(flag[0]):
			canonical = renamed(canonical, m.Name, flag[0], rs.EncodeJSON(meant))
		case !t.keeps(plain, m.Value, args):
			canonical = t.withAlias(canonical, m, plain)
		}
	}
	return canonical
}

// withAlias renames an argument to the parameter that its name is an alias of, if that parameter takes its value.
func (t Tool) withAlias(args rs.Object, m rs.Member, plain string) rs.Object {
	for _, p := range t.parameters {
		isAlias := slices.Contains(aliases[p.Name], plain) || slices.Contains(lackingAliases[p.Name], plain) && !args.Has(p.Name)
		list, isList := rs.AsArray(m.Value)
		several := isList && len(list) != 1 && p.Type == "string" && p.Name != "q"
		if same := args.Get(p.Name); isAlias && !several && (same == "" || same == m.Value) {
			return renamed(args, m.Name, p.Name, m.Value)
		}
	}
	return args
}

// keeps reports whether an argument keeps its name because it means something other than the parameter it is an alias of.
func (t Tool) keeps(plain, value string, args rs.Object) bool {
	text, _ := rs.AsText(value)
	_, _, isTime := written.Days(text, time.Now().UTC())
	return plain == "query" && t.Name == "search" || plain == "in" && isTime || t.IsOperator(rs.Member{Name: plain, Value: value}) ||
		plain == "record_id" && args.Has("id") || plain == "from" && t.Takes("stream") && !written.IsWord(value)
}

// computed converts the arguments of an aggregate to the listed form: "sum(total)" becomes a metric and its field.
func computed(args rs.Object) rs.Object {
	metric, _ := written.Text(args.Get("metric"))
	isForm := wordForms["metric"][written.Snake(metric)] != ""
	if found := foreign.MetricOfField().FindStringSubmatch(metric); found != nil && !args.Has("field") && !isForm {
		name := strings.ToLower(found[1] + found[4])
		name = cmp.Or(wordForms["metric"][name], name)
		if strings.Contains(strings.ToLower(metric), "distinct ") {
			if name != "count" && name != "count_distinct" {
				return args // distinct values can only be counted
			}
			name = "count_distinct"
		}
		metric = name
		args = args.With("metric", rs.EncodeJSON(name)).With("field", rs.EncodeJSON(found[2]+found[3]+found[5]))
	}
	if field, _ := written.Text(args.Get("field")); field == "*" && metric == "count" {
		args = args.Without("field")
	}
	if by, _ := written.Text(args.Get("group_by_time")); foreign.Granularities[cmp.Or(wordForms["granularity"][by], by)] && !args.Has("granularity") {
		args = renamed(args, "group_by_time", "granularity", rs.EncodeJSON(cmp.Or(wordForms["granularity"][by], by)))
	}
	if args.Has("granularity") && args.Has("group_by") && !args.Has("group_by_time") {
		args = renamed(args, "group_by", "group_by_time", args.Get("group_by"))
	}
	return ordered(args)
}
