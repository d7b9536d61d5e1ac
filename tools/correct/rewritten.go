package correct

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Unfiltered returns the call that reads without what a resource server refuses a token at all: records of a period by a search, which
// looks through them, instead of a number the fields that it was to be filtered by, and anything else without the arguments.
func (t Tool) Unfiltered(args rs.Object, refused *rs.Error) Call {
	filter := args.Object("filter")
	if t.Name == "aggregate" && len(filter) > 0 { // a number over all records would be taken for the one that was asked for
		fields := make([]string, len(filter))
		for i, m := range filter {
			fields[i] = m.Name
		}
		list := rs.Object{{Name: "stream", Value: args.Get("stream")}, {Name: "fields", Value: listed(fields)}, {Name: "limit", Value: "100"}}
		return Call{"query_records", list.WithAll(onlyConnection(args))}
	}
	if t.Name != "query_records" || refused.Param != "filter" || len(filter) != 1 {
		return Call{t.Name, args.Without("filter", "expand", "expand_limit")}
	}
	search := rs.Object{{Name: "streams", Value: list(args.Get("stream"))}}
	for _, r := range rs.AsObject(filter[0].Value) {
		value, _ := written.Text(r.Value)
		day, err := time.Parse(time.DateOnly, value)
		switch name := map[string]string{"gte": "since", "lte": "until", "lt": "until"}[r.Name]; {
		case name == "" || err != nil:
			return Call{t.Name, args.Without("filter")}
		case r.Name == "lt":
			search = append(search, rs.Member{Name: name, Value: rs.EncodeJSON(day.AddDate(0, 0, -1).Format(time.DateOnly))})
		default:
			search = append(search, rs.Member{Name: name, Value: r.Value})
		}
	}
	if len(search) == 1 {
		return Call{t.Name, args.Without("filter")}
	}
	return Call{"search", search.WithAll(onlyConnection(args))}
}

// Rewritten returns the call that a resource server probably takes instead of one that it refused, where no name needs to be known
// for that: with dates and booleans in their usual form, without a view that it refuses, with a filter's condition on what is an
// argument as that argument.
func (t Tool) Rewritten(args rs.Object, refused *rs.Error) (Call, bool) {
	if call, ok := t.misplaced(args); ok {
		return call, true
	}
	if refused.Code != "invalid_request" {
		return Call{}, false
	}
	if refused.Param == "view" || args.Has("view") && strings.Contains(refused.Message, "view") {
		return Call{t.Name, args.Without("view")}, true
	}
	if count, _ := written.Text(args.Get("count")); count == "estimated" && strings.Contains(refused.Message, "count") {
		return Call{t.Name, args.With("count", `"exact"`)}, true
	}
	filter, found := args.Object("filter"), false
	for _, m := range filter {
		compact := func(raw string) string {
			if timeName().MatchString(m.Name) {
				return written.CompactDay(raw)
			}
			return ""
		}
		if o := rs.AsObject(m.Value); o != nil {
			for _, r := range o {
				operator, value := written.Bound(r.Name, r.Value)
				if value = cmp.Or(compact(r.Value), value); value != "" {
					if operator != r.Name {
						o = o.Without(r.Name)
					}
					o, found = o.With(operator, value), true
				}
			}
			filter = filter.With(m.Name, o.JSON())
		} else if p, ok := planOf(rs.Object{{Name: "filter", Value: rs.Object{m}.JSON()}}); ok && p.calls == 1 && p.filter.Object(m.Name) != nil { // "> 5"
			filter, found = filter.With(m.Name, p.filter.Get(m.Name)), true
		} else if two := written.Numbers(m.Value); two != nil && strings.Contains(refused.Message, "number") {
			filter, found = filter.With(m.Name, rs.Object{{Name: "gte", Value: two[0]}, {Name: "lte", Value: two[1]}}.JSON()), true
		} else if flag, ok := map[string]string{"0": "false", "1": "true"}[m.Value]; ok && strings.Contains(refused.Message, "boolean") {
			filter, found = filter.With(m.Name, flag), true
		} else if value := cmp.Or(compact(m.Value), written.Range(m.Value), written.Value(m.Value)); value != "" {
			filter, found = filter.With(m.Name, value), true
		}
	}
	if !found {
		return Call{}, false
	}
	return Call{t.Name, args.With("filter", filter.JSON())}, true
}

// NamesCurrency reports whether a filter compares with an amount that has a currency.
func NamesCurrency(args rs.Object) bool {
	return slices.ContainsFunc(args.Object("filter"), func(m rs.Member) bool {
		bounds := append(rs.AsObject(m.Value), rs.Member{Value: m.Value})
		return slices.ContainsFunc(bounds, func(bound rs.Member) bool { _, ok := written.WithoutCurrency(bound.Value); return ok })
	})
}

// Restarted returns the call from the first page on.
func (t Tool) Restarted(args rs.Object) Call {
	if args.Has("changes_since") && !args.Has("cursor") {
		return Call{t.Name, args.With("changes_since", `"beginning"`)}
	}
	return Call{t.Name, args.Without("cursor")}
}

// Relative returns the call with dates in place of times that are named by their distance from now, as bounds of a search and in a filter;
// false where there is none.
func (t Tool) Relative(args rs.Object, now time.Time) (Call, bool) {
	found := false
	dated := args
	day := func(t time.Time) string { return rs.EncodeJSON(t.Format(time.DateOnly)) }
	for _, name := range []string{"since", "until"} {
		s, _ := written.Text(args.Get(name))
		first, last, ok := written.Relative(s, now)
		switch {
		case !ok || !t.Takes(name):
			continue
		case name == "since":
			over := last.Before(now.AddDate(0, 0, -1)) || last.After(now) && !first.Before(now.Truncate(24*time.Hour))
			if dated = dated.With(name, day(first)); !last.IsZero() && !args.Has("until") && over {
				dated = dated.With("until", day(last))
			}
		case last.IsZero():
			dated = dated.With(name, day(first))
		default:
			dated = dated.With(name, day(last))
		}
		found = true
	}
	filter := args.Object("filter")
	for _, m := range filter {
		if s, isText := written.Text(m.Value); isText {
			if first, last, ok := written.Relative(s, now); ok && (!written.IsMonth(s) || timeName().MatchString(m.Name)) { // else "May" may be a person
				bounds := rs.Object{{Name: "gte", Value: day(first)}}
				if !last.IsZero() {
					bounds = append(bounds, rs.Member{Name: "lte", Value: day(last)})
				}
				filter, found = filter.With(m.Name, bounds.JSON()), true
			}
			continue
		}
		bounds := rs.AsObject(m.Value)
		for _, bound := range bounds {
			s, _ := written.Text(bound.Value)
			first, last, ok := written.Relative(s, now)
			if !ok {
				continue
			}
			if (bound.Name == "gt" || bound.Name == "lte") && !last.IsZero() {
				first = last // after it, or until its end
			}
			bounds, found = bounds.With(bound.Name, day(first)), true
		}
		if bounds != nil {
			filter = filter.With(m.Name, bounds.JSON())
		}
	}
	if len(filter) > 0 {
		dated = dated.With("filter", filter.JSON())
	}
	return Call{t.Name, dated}, found
}
