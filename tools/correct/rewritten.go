package correct

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
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
		return instead("query_records", args, rs.Object{{Name: "fields", Value: listed(fields)}, {Name: "limit", Value: "100"}})
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
		if value := inForm(m, refused.Message); value != "" {
			filter, found = filter.With(m.Name, value), true
		}
	}
	if !found {
		return Call{}, false
	}
	return Call{t.Name, args.With("filter", filter.JSON())}, true
}

// inForm is a condition in the form that a filter takes, where a resource server refused it with a message; "" for one that stays as it is.
func inForm(m rs.Member, message string) string {
	compact := func(raw string) string {
		if written.IsTimeName(m.Name) {
			return written.CompactDay(raw)
		}
		return ""
	}
	if bounds := rs.AsObject(m.Value); bounds != nil {
		mended := bounds
		for _, r := range bounds {
			operator, value := written.Bound(r.Name, r.Value)
			if value = cmp.Or(compact(r.Value), value); value == "" {
				continue
			}
			if operator != r.Name {
				mended = mended.Without(r.Name)
			}
			mended = mended.With(operator, value)
		}
		if slices.Equal(mended, bounds) {
			return ""
		}
		return mended.JSON()
	}
	p, ok := foreign.Read(rs.Object{m}.JSON(), "")
	numbers := written.Numbers(m.Value)
	flag := map[string]string{"0": "false", "1": "true"}[m.Value]
	switch {
	case ok && p.Calls == 1 && p.Filter.Object(m.Name) != nil: // "> 5"
		return p.Filter.Get(m.Name)
	case numbers != nil && strings.Contains(message, "number"):
		return rs.Object{{Name: "gte", Value: numbers[0]}, {Name: "lte", Value: numbers[1]}}.JSON()
	case flag != "" && strings.Contains(message, "boolean"):
		return flag
	}
	return cmp.Or(compact(m.Value), written.Range(m.Value), written.Value(m.Value))
}

// CurrencyLeftOut says that a filter compares with an amount that has a currency; "" where it does not.
func CurrencyLeftOut(args rs.Object) string {
	if slices.ContainsFunc(valuesOf(args.Object("filter")), func(raw string) bool { _, ok := written.WithoutCurrency(raw); return ok }) {
		return "An amount is a number: the call below leaves out its currency, which is a field of its own if the records have several."
	}
	return ""
}

// valuesOf are the values that a filter compares with.
func valuesOf(filter rs.Object) (values []string) {
	for _, m := range filter {
		values = append(values, m.Value)
		for _, bound := range rs.AsObject(m.Value) {
			values = append(values, bound.Value)
		}
	}
	return values
}

// Restarted returns the call from the first page on.
func (t Tool) Restarted(args rs.Object) Call {
	if args.Has("changes_since") && !args.Has("cursor") {
		return Call{t.Name, args.With("changes_since", `"beginning"`)}
	}
	return Call{t.Name, args.Without("cursor")}
}

// ChangesSinceDay returns the day or time that a call was sent as changes_since, which is no date; false where it has none.
func ChangesSinceDay(args rs.Object) (string, bool) {
	raw := args.Get("changes_since")
	if day := written.Day("since", raw); day != "" {
		return day, true
	}
	day, _ := written.Text(raw)
	return day, written.IsTime(raw)
}

// SinceDay returns the call that reads the records from a day on by a field of the stream, or by a search where none is known.
func (t Tool) SinceDay(args rs.Object, day, field string) Call {
	if filter, ok := foreign.Compared(args.Object("filter"), field, "gte", rs.EncodeJSON(day)); ok && field != "" {
		return Call{t.Name, args.Without("changes_since", "cursor").With("filter", filter.JSON())}
	}
	return instead("search", args, rs.Object{{Name: "since", Value: rs.EncodeJSON(day)}}, "filter", "limit", "time_zone")
}

var otherDate = written.Expression(`^[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}$`)

// MistakesDate reports whether a filter has a date of which it is not certain which one is meant, or words where a time is looked for.
func MistakesDate(args rs.Object) bool {
	filter := args.Object("filter")
	return slices.ContainsFunc(valuesOf(filter), func(raw string) bool {
		s, ok := written.Text(raw)
		return ok && otherDate().MatchString(s)
	}) || slices.ContainsFunc(filter, func(m rs.Member) bool {
		return written.IsTimeName(m.Name) && slices.ContainsFunc(valuesOf(rs.Object{m}), written.IsWord)
	})
}

// NoSuchDay says of a date in a call that there is no such day; "" where there is none of that kind.
func NoSuchDay(args rs.Object) string {
	for _, raw := range append(valuesOf(args.Object("filter")), args.Get("since"), args.Get("until")) {
		if last, ok := written.LastOfMonth(raw); ok {
			return "There is no day " + quote.JSON(raw) + ": that month ends with " + last + ", which the call below has."
		}
	}
	return ""
}

// period is the search for arguments of which some bound a time, if their values are days or times; else what the fields are is to be
// looked up.
func (t Tool) period(args rs.Object) Call {
	var search rs.Object
	month, _ := rs.AsText(args.Get("month"))
	if year, _ := rs.AsText(args.Get("year")); month != "" && year != "" {
		separator := " "
		if len(month) < 3 {
			separator, month, year = "-", year, month
		}
		args = args.Without("year").With("month", rs.EncodeJSON(month+separator+year))
	}
	for _, m := range args {
		bounds, ok := boundsOf(m)
		switch name := written.Snake(m.Name); {
		case bounds != nil:
			search = append(search, bounds...)
		case name == "stream":
			search = append(search, rs.Member{Name: "streams", Value: list(m.Value)})
		case ok || !slices.Contains([]string{"q", "query", "streams", "connection_id", "limit"}, name):
			return t.LookUp(args)
		default:
			search = append(search, rs.Member{Name: name, Value: m.Value})
		}
	}
	return Call{"search", search}
}
