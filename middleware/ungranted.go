package middleware

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// outsideTime says that an answer leaves out records of times that the grant does not have, which resource servers do without a word.
// It is said where the call asks for such times, counts, lists all that there is, or begins where the limit cuts; nil elsewhere, and where
// no limit is known.
func outsideTime(ctx context.Context, t correct.Tool, args rs.Object, response *rs.Response) *render.Ungranted {
	limits, _ := auth.PrincipalFrom(ctx).Limits()
	if len(limits) == 0 || !t.Takes("filter") && t.Name != "schema" && t.Name != "list_streams" {
		return nil
	}
	more := response.Object().Flag("has_more")
	streams, connection := correct.Touches(args)
	u := &render.Ungranted{}
	var about []string
	for _, limit := range limits {
		if len(streams) > 0 && !slices.Contains(streams, limit.Stream) ||
			connection != "" && len(limit.Connections) > 0 && !slices.Contains(limit.Connections, connection) {
			continue
		}
		asked := askedTime(args, limit.Field)
		if asked.within(limit) || asked == (span{}) && more && t.Takes("sort") && !args.Has("count") && !beginsAtLimit(args, limit) {
			continue
		}
		about = append(about, limit.Stream)
		u.Times = append(u.Times, limit)
	}
	if len(u.Times) == 0 {
		return nil
	}
	u.Connect = toConnect(ctx, rs.Missing{Streams: about, AllTimes: true})
	return u
}

// beginsAtLimit reports whether the first page of a list has what is nearest to a limit: the oldest records of those since a time, the
// newest of those until one, the first of any in another order.
func beginsAtLimit(args rs.Object, limit rs.TimeLimit) bool {
	field, descending := strings.CutPrefix(args.Text("sort"), "-")
	if field == "" {
		descending = args.Text("order") != "asc"
	}
	switch {
	case args.Has("cursor"):
		return false
	case field != "" && field != limit.Field:
		return true
	case descending:
		return limit.Until != ""
	}
	return limit.Since != ""
}

// A span is the time from and until which a call asks for; zero for no bound.
type span struct{ from, until time.Time }

// askedTime reads the bounds of a call on a field: those of its filter, and of a search. Where the field is not known, those of no filter
// count: they may be on another.
func askedTime(args rs.Object, field string) span {
	asked := span{timeOf(args, "since"), endOf(args, "until")}
	filter := args.Object("filter")
	switch bounds := filter.Object(field); {
	case bounds != nil:
		asked.from = cmp.Or(timeOf(bounds, "gte"), timeOf(bounds, "gt"), asked.from)
		asked.until = cmp.Or(endOf(bounds, "lte"), timeOf(bounds, "lt"), asked.until)
	case filter.Includes(field):
		asked = span{timeOf(filter, field), endOf(filter, field)}
	}
	return asked
}

// timeOf is the time of a member; zero where it has none.
func timeOf(o rs.Object, name string) time.Time {
	text, _ := rs.AsText(o.Get(name))
	at, _ := rs.ReadTime(text)
	return at
}

// endOf is the time until which a member asks: a day without a time is the whole of it.
func endOf(o rs.Object, name string) time.Time {
	at, text := timeOf(o, name), o.Text(name)
	if !at.IsZero() && len(text) == len(time.DateOnly) {
		at = at.AddDate(0, 0, 1)
	}
	return at
}

// within reports whether nothing is asked for that a limit leaves out.
func (s span) within(limit rs.TimeLimit) bool {
	since, _ := rs.ReadTime(limit.Since)
	until, _ := rs.ReadTime(limit.Until)
	return (since.IsZero() || !s.from.IsZero() && !s.from.Before(since)) && (until.IsZero() || !s.until.IsZero() && !s.until.After(until))
}
