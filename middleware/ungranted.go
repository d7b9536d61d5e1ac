package middleware

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// leavesOut returns what an answer leaves out because it is not granted; nil for nothing. That is the streams that correctCall has left
// out, and records from times outside the grant, which resource servers omit silently. A time limit leaves out nothing of an answer if the
// call asks only for times within the limit, or for a page in the middle of a list: one that has more pages, does not begin at the limit
// and names no time.
func leavesOut(ctx context.Context, t correct.Tool, reply tools.Reply) *render.Ungranted {
	limits, _ := auth.PrincipalFrom(ctx).Limits()
	if len(limits) == 0 || !t.Takes("filter") && t.Name != "schema" && t.Name != "list_streams" {
		return reply.Ungranted
	}
	args := reply.Call.Arguments
	hasMore := reply.Response.Object().Flag("has_more") && t.Takes("sort") && !args.Has("count") // a list that has more pages
	var streams []string
	var times []rs.TimeLimit
	for _, limit := range limits {
		asked := askedTime(args, limit.Field)
		isElsewhere := hasMore && asked == (timeRange{}) && !beginsAtLimit(args, limit)
		if concerns(limit, args) && !asked.within(limit) && !isElsewhere {
			streams = append(streams, limit.Stream)
			times = append(times, limit)
		}
	}
	if len(times) == 0 {
		return reply.Ungranted
	}
	u := &render.Ungranted{Times: times}
	if omitted := reply.Ungranted; omitted != nil {
		u.Streams, streams = omitted.Streams, omitted.Streams
	}
	u.Connect = toConnect(ctx, rs.Missing{Streams: streams, AllTimes: true})
	return u
}

// concerns reports whether a limit applies to the streams and the connection that a call names. A call that names none means all.
func concerns(limit rs.TimeLimit, args rs.Object) bool {
	streams, connection := correct.Touches(args)
	return (len(streams) == 0 || slices.Contains(streams, limit.Stream)) &&
		(connection == "" || len(limit.Connections) == 0 || slices.Contains(limit.Connections, connection))
}

// beginsAtLimit reports whether the first page of a list may lack records because of a limit: oldest first if the grant has a start, newest
// first if it has an end, or any order by another field.
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

// A timeRange is the time that a call asks for. A zero bound means no bound.
type timeRange struct{ from, until time.Time }

// askedTime returns the bounds that a call sets on a time field, by its filter or by the since and until of a search. If the field is
// unknown (""), it ignores filters: they may be on another field.
func askedTime(args rs.Object, field string) timeRange {
	asked := timeRange{timeOf(args, "since"), endOf(args, "until")}
	filter := args.Object("filter")
	switch bounds := filter.Object(field); {
	case bounds != nil:
		asked.from = cmp.Or(timeOf(bounds, "gte"), timeOf(bounds, "gt"), asked.from)
		asked.until = cmp.Or(endOf(bounds, "lte"), timeOf(bounds, "lt"), asked.until)
	case filter.Includes(field):
		asked = timeRange{timeOf(filter, field), endOf(filter, field)}
	}
	return asked
}

func timeOf(o rs.Object, name string) time.Time {
	text, _ := rs.AsText(o.Get(name))
	at, _ := rs.ReadTime(text)
	return at
}

// endOf returns the time in a member as an upper bound: a date means the end of that day.
func endOf(o rs.Object, name string) time.Time {
	at, text := timeOf(o, name), o.Text(name)
	if !at.IsZero() && len(text) == len(time.DateOnly) {
		at = at.AddDate(0, 0, 1)
	}
	return at
}

func (t timeRange) within(limit rs.TimeLimit) bool {
	since, _ := rs.ReadTime(limit.Since)
	until, _ := rs.ReadTime(limit.Until)
	return (since.IsZero() || !t.from.IsZero() && !t.from.Before(since)) && (until.IsZero() || !t.until.IsZero() && !t.until.After(until))
}
