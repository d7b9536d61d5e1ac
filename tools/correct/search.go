package correct

import (
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// words are names of an argument that looks for words and is not a field of a stream.
var words = append([]string{"q", "query"}, aliases["q"][1:7]...)

// worded is the search for the words that a call of another tool looks for in a stream; false where it looks for none.
func (t Tool) worded(args rs.Object) (Call, bool) {
	if !t.Takes("stream") || !t.Takes("filter") || !args.Has("stream") {
		return Call{}, false
	}
	for _, m := range args {
		q, ok := written.Text(t.string(&parameter{Name: "q", Type: "string"}, m.Value))
		if t.Takes(m.Name) || !ok || q == "" || !slices.Contains(words, written.Snake(m.Name)) {
			continue
		}
		search := rs.Object{{Name: "q", Value: rs.EncodeJSON(q)}, {Name: "streams", Value: list(args.Get("stream"))}}.WithAll(onlyConnection(args))
		return Call{"search", search.WithAll(members(args, "filter", "since", "until", "time_zone", "limit"))}, true
	}
	return Call{}, false
}

// members are those of some names that an object has.
func members(o rs.Object, names ...string) (kept rs.Object) {
	for _, m := range o {
		if slices.Contains(names, m.Name) {
			kept = append(kept, m)
		}
	}
	return kept
}

// searchFor is the search for a text that a filter cannot look for. The other conditions of the filter stay.
func searchFor(args rs.Object, sought rs.Member) (Call, bool) {
	s, ok := rs.AsText(sought.Value)
	s = strings.TrimSpace(strings.Trim(strings.TrimSpace(s), "%*^$."))
	if !ok || s == "" {
		return Call{}, false
	}
	query := rs.Object{{Name: "q", Value: rs.EncodeJSON(s)}, {Name: "streams", Value: rs.JoinArray([]string{args.Get("stream")})}}
	return Call{"search", query.WithAll(onlyConnection(args)).WithAll(members(args, "filter"))}, true
}

// groupedBy groups by a field of which no filter excludes a value: a number keeps what it is of, records are counted. It is false for a
// call that is grouped already.
func (t Tool) groupedBy(args rs.Object, excluded rs.Member) (Call, bool) {
	absent := excluded.Value == "null"
	if t.Name != "aggregate" && absent || args.Has("group_by") || args.Has("group_by_time") {
		return Call{}, false
	}
	grouped := rs.Object{{Name: "stream", Value: args.Get("stream")}, {Name: "metric", Value: `"count"`}}.
		WithAll(onlyConnection(args)).WithAll(members(args, "metric", "field", "filter", "time_zone")).With("group_by", rs.EncodeJSON(excluded.Name))
	if absent { // those without a value may be few
		grouped = grouped.With("limit", "100")
	}
	return Call{"aggregate", grouped}, true
}
