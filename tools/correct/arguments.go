package correct

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Bounds of arguments that are mended: the rules compare members with each other, so their time grows with the square of both.
const (
	maxBytes     = 32 << 10
	maxCommas    = 500
	maxArguments = 60
)

// Mends reports whether arguments are mended: they are not longer than those of calls are.
func Mends(raw json.RawMessage, args rs.Object) bool {
	return len(raw) <= maxBytes && bytes.Count(raw, []byte(",")) <= maxCommas && len(args) <= maxArguments
}

// Touches returns the streams and the connection that arguments name.
func Touches(args rs.Object) (streams []string, connection string) {
	connection, _ = written.Text(args.Get("connection_id"))
	if stream, ok := written.Text(args.Get("stream")); ok {
		streams = append(streams, stream)
	}
	for _, raw := range args.Array("streams") {
		stream, _ := written.Text(raw)
		streams = append(streams, stream)
	}
	if id, ok := written.Text(args.Get("id")); ok {
		if ref, err := rs.ParseRef(id); err == nil {
			streams = append(streams, ref.Stream)
			if ref.ConnectionID != "" {
				connection = ref.ConnectionID
			}
		}
	}
	return streams, connection
}

// replaceNames writes other names into arguments. A stream that is replaced by "" is left out, as is a connection.
func replaceNames(args rs.Object, streams map[string]string, connection string) rs.Object {
	_, before := Touches(args)
	if id, ok := written.Text(args.Get("id")); ok {
		if ref, err := rs.ParseRef(id); err == nil {
			ref.Stream = streams[ref.Stream]
			if ref.ConnectionID != "" || connection != before {
				ref.ConnectionID = connection
			}
			if ref.ConnectionID != "" || connection == "" {
				args = args.Without("connection_id")
			}
			return args.With("id", rs.EncodeJSON(ref.String()))
		}
	}
	if to := streams[args.Text("stream")]; to != "" {
		args = args.With("stream", rs.EncodeJSON(to))
	} else {
		args = args.Without("stream")
	}
	if args.Has("streams") {
		var kept []string
		for _, raw := range args.Array("streams") {
			stream, _ := written.Text(raw)
			if to := streams[stream]; to != "" && !slices.Contains(kept, to) {
				kept = append(kept, to)
			}
		}
		if args = args.Without("streams"); len(kept) > 0 {
			args = args.With("streams", rs.EncodeJSON(kept))
		}
	}
	switch {
	case connection == "":
		return args.Without("connection_id")
	case connection != before:
		return args.With("connection_id", rs.EncodeJSON(connection))
	}
	return args
}

// renamed is the object with one member under another name, in its place; another member of that name is replaced.
func renamed(o rs.Object, from, to, value string) rs.Object {
	var changed rs.Object
	for _, m := range o {
		switch m.Name {
		case from:
			changed = append(changed, rs.Member{Name: to, Value: value})
		case to:
		default:
			changed = append(changed, m)
		}
	}
	return changed
}

// filtered is arguments with another filter; without one where it has no condition.
func filtered(args, filter rs.Object) rs.Object {
	if args = args.Without("filter"); len(filter) > 0 {
		args = args.With("filter", filter.JSON())
	}
	return args
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

// onlyConnection is the connection_id of arguments, if there is one.
func onlyConnection(args rs.Object) rs.Object {
	if s, ok := written.Text(args.Get("connection_id")); ok && rs.UnsafeName(s) == "" {
		return rs.Object{{Name: "connection_id", Value: rs.EncodeJSON(s)}}
	}
	return nil
}

// list is a list of names.
func list(raw string) string {
	s, lone := written.Text(raw)
	switch {
	case lone && strings.ContainsAny(s, ",["):
		if values := written.Names(s); len(values) > 0 {
			return rs.EncodeJSON(values)
		}
	case lone && s != "":
		return rs.EncodeJSON([]string{written.Unquoted(s)})
	}
	return raw
}

// only returns the one element of a list, or the value itself.
func only(raw string) string {
	if list, ok := rs.AsArray(raw); ok && len(list) == 1 {
		return list[0]
	}
	return raw
}

// looks reports whether a search has words or a period.
func looks(args rs.Object) bool {
	return args.Has("q") || args.Has("query") || args.Has("since") || args.Has("until")
}

// plan is what one call can ask of the filter of arguments.
func plan(args rs.Object) (foreign.Plan, bool) {
	return foreign.Read(args.Get("filter"), args.Text("stream"))
}
