package correct

import (
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/identifier"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Canonical returns arguments as the tool lists them. Only what is certain is rewritten: another common name of an argument, a number in
// quotes, one value for a list of one, and the like.
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

// unwrapped are arguments without the one object that others put around them.
func (t Tool) unwrapped(args rs.Object) rs.Object {
	for _, m := range args {
		if !envelopes[written.Snake(m.Name)] {
			continue
		}
		raw := m.Value
		if s, ok := written.Text(raw); ok {
			raw = s
		}
		inner, _ := written.Object(raw)
		given := func(i rs.Member) bool { return args.Includes(i.Name) }
		if len(inner) > 0 && !slices.ContainsFunc(inner, given) {
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
		base, part, _ := strings.Cut(plain, "[")
		switch {
		case m.Name == "_source": // of Elasticsearch; a source is a connection
			plain = "source_fields"
		case base == "fields": // of JSON:API
			plain = base
		case base == "page" && (part == "size]" || part == "limit]"):
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
		flag := flags[plain]
		meant := map[string]string{"true": flag[1], "false": opposite[flag[1]]}[m.Value]
		if meant != "" && t.Takes(flag[0]) && !args.Includes(flag[0]) {
			canonical = renamed(canonical, m.Name, flag[0], rs.EncodeJSON(meant))
			continue
		}
		for _, p := range t.parameters {
			lacking := slices.Contains(lackingAliases[p.Name], plain) && !canonical.Has(p.Name)
			if !lacking && !slices.Contains(aliases[p.Name], plain) || t.keeps(plain, m.Value, args) {
				continue
			}
			list, isList := rs.AsArray(m.Value)
			several := isList && len(list) != 1 && p.Type == "string" && p.Name != "q"
			if same := canonical.Get(p.Name); !several && (same == "" || same == m.Value) {
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
	_, _, isTime := written.Days(text, time.Now().UTC())
	return plain == "query" && t.Name == "search" || plain == "in" && isTime || t.IsOperator(rs.Member{Name: plain, Value: value}) || plain == "record_id" && args.Has("id") ||
		plain == "from" && t.Takes("stream") && !written.IsWord(value)
}
