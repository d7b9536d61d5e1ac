package correct

import (
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// instead is a call of another tool, or of this one, on the stream of arguments: with arguments of its own, and of these the connection and
// those of some names.
func instead(tool string, args, own rs.Object, names ...string) Call {
	streams := args.Array("streams")
	if stream := args.Get("stream"); stream != "" {
		streams, _ = rs.AsArray(list(stream))
	}
	switch {
	case len(streams) == 0:
	case tool == "search":
		own = append(own, rs.Member{Name: "streams", Value: rs.JoinArray(streams)})
	default:
		own = append(rs.Object{{Name: "stream", Value: streams[0]}}, own...)
	}
	return Call{tool, own.WithAll(onlyConnection(args)).WithAll(members(args, names...))}
}

// LookUp is the call that says what is missing: which streams there are, or what the fields of one are.
func (t Tool) LookUp(args rs.Object) Call {
	if id := args.Get("id"); t.Name == "read_record_field" {
		if _, err := rs.ParseRef(args.Text("id")); err == nil {
			return Call{"fetch", rs.Object{{Name: "id", Value: id}}}
		}
	}
	look := rs.Object{}
	if t.Takes("id") {
		return Call{"schema", look}
	}
	if s := args.Text("stream"); s != "" && rs.UnsafeName(s) == "" {
		look = rs.Object{{Name: "stream", Value: rs.EncodeJSON(s)}}
	}
	return Call{"schema", look.WithAll(onlyConnection(args))}
}

// InStream returns the call with the stream that its filter needs.
func (t Tool) InStream(args rs.Object, stream string) Call {
	if t.Takes("streams") && !looks(args) { // for nothing: the records that it filters are meant
		return Call{"query_records", args.Without("mode", "streams").With("stream", rs.EncodeJSON(stream))}
	}
	if t.Takes("streams") {
		return Call{t.Name, args.With("streams", rs.EncodeJSON([]string{stream}))}
	}
	return Call{t.Name, args.With("stream", rs.EncodeJSON(stream))}
}

// Restarted returns the call from the first page on.
func (t Tool) Restarted(args rs.Object) Call {
	if args.Has("changes_since") && !args.Has("cursor") {
		return Call{t.Name, args.With("changes_since", `"beginning"`)}
	}
	return Call{t.Name, args.Without("cursor")}
}

// searchFor is the search for a text that a filter cannot look for. The other conditions of the filter stay.
func searchFor(args rs.Object, sought rs.Member) (Call, bool) {
	s, ok := rs.AsText(sought.Value)
	s = strings.TrimSpace(strings.Trim(strings.TrimSpace(s), "%*^$."))
	if !ok || s == "" {
		return Call{}, false
	}
	if q, _ := queryOf(args); q != "" {
		s = q + " " + s
	}
	return instead("search", args, rs.Object{{Name: "q", Value: rs.EncodeJSON(s)}}, "filter", "since", "until"), true
}

// Sought is the search for the text that the filter of a call looks for within a field; false for any other filter.
func (t Tool) Sought(args rs.Object) (Call, bool) {
	p, ok := plan(args)
	if !ok || p.Sought == nil || !args.Has("stream") {
		return Call{}, false
	}
	return searchFor(filtered(args, p.Filter), *p.Sought)
}

// groupedBy groups by a field of which no filter excludes a value: a number keeps what it is of, records are counted. It is false for a
// call that is grouped already.
func (t Tool) groupedBy(args rs.Object, excluded rs.Member) (Call, bool) {
	absent := excluded.Value == foreign.NoneOf || excluded.Value == foreign.AnyOf
	if t.Name != "aggregate" && absent || args.Has("group_by") || args.Has("group_by_time") {
		return Call{}, false
	}
	call := instead("aggregate", args, rs.Object{{Name: "metric", Value: `"count"`}}, "metric", "field", "filter", "time_zone")
	if call.Arguments = call.Arguments.With("group_by", rs.EncodeJSON(excluded.Name)); absent { // those without a value may be few
		call.Arguments = call.Arguments.With("limit", "100")
	}
	return call, true
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
