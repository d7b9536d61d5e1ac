package correct

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Sources lists what a schema document grants.
func Sources(s *rs.Schema) []rs.GrantedStream {
	var all []rs.GrantedStream
	for _, stream := range s.Streams {
		if len(stream.Connections) == 0 {
			all = append(all, rs.GrantedStream{Stream: stream.Name, Connection: rs.Connection{ConnectorKey: stream.ConnectorKey}})
		}
		for _, connection := range stream.Connections {
			all = append(all, rs.GrantedStream{Stream: stream.Name, Connection: connection})
		}
	}
	return all
}

// A Grant is what the names of a call are compared with.
type Grant struct {
	Sources []rs.GrantedStream
	// OneConnection is set where a read needs a connection if several have its stream (S0-R8).
	OneConnection bool
}

// Named returns the arguments with the id of the connection that they name by its display name or connector, if exactly one has it; without
// one if all connections of their streams are of that connector, and the tool reads all of them together.
func (g Grant) Named(t Tool, args rs.Object) (rs.Object, bool) {
	streams, connection := Touches(args)
	found := ""
	for _, s := range g.Sources {
		if s.Connection.ID == connection {
			return nil, false
		}
		if connection == "" || !strings.EqualFold(s.Connection.DisplayName, connection) {
			continue
		}
		if found != "" && found != s.Connection.ID {
			return nil, false
		}
		found = s.Connection.ID
	}
	of := g.ofConnector(connection, streams)
	switch {
	case connection == "" || found == "" && len(of) == 0:
		return nil, false
	case found == "" && len(of) == 1:
		found = of[0].ID
	case found == "" && (len(streams) != 1 || len(of) < len(g.connectionsOf(streams[0])) || t.Takes("id") || g.OneConnection && !t.Takes("streams")):
		return nil, false
	}
	same := map[string]string{}
	for _, stream := range streams {
		same[stream] = stream
	}
	return replaceNames(args, same, found), true
}

// Missing returns the error that says which stream or connection of a call the grant does not have, which are nearest, and the call
// that is probably meant; nil if the grant has all that is named.
func (g Grant) Missing(t Tool, args rs.Object) *rs.Error {
	streams, connection := Touches(args)
	if len(g.Sources) == 0 {
		return nil
	}
	if connection != "" && !g.hasConnection(connection) {
		return g.missingConnection(t, args)
	}
	for _, stream := range streams {
		if !g.has(stream, connection) {
			return g.missingStream(t, args, stream)
		}
	}
	return nil
}

// Ungranted returns the streams and the connection that arguments name and that no connection of the grant has.
func (g Grant) Ungranted(args rs.Object) rs.Missing {
	var missing rs.Missing
	if len(g.Sources) == 0 {
		return missing
	}
	streams, connection := Touches(args)
	for _, stream := range streams {
		if !g.has(stream, "") && (isStreamName(stream) || !args.Has("id")) {
			missing.Streams = append(missing.Streams, stream)
		}
	}
	if !g.hasConnection(connection) && len(g.ofConnector(connection, nil)) == 0 {
		missing.Connection = connection
	}
	return missing
}

// Granted returns the arguments of a search of several streams without those that the grant, or the connection that is named, does not
// have. It is false where it has all or none of them, and where one of these may be a mistake for one that it has.
func (g Grant) Granted(t Tool, args rs.Object) (kept rs.Object, left []string, ok bool) {
	if !t.Takes("streams") || len(g.Sources) == 0 {
		return nil, nil, false
	}
	var has []string
	streams, connection := Touches(args)
	for _, stream := range streams {
		switch {
		case g.has(stream, connection):
			has = append(has, stream)
		case len(g.near(stream, connection)) > 0:
			return nil, nil, false
		default:
			left = append(left, stream)
		}
	}
	return args.With("streams", listed(has)), left, len(has) > 0 && len(left) > 0
}

func (g Grant) hasConnection(id string) bool {
	return slices.ContainsFunc(g.Sources, func(s rs.GrantedStream) bool { return s.Connection.ID == id })
}

func (g Grant) has(stream, connection string) bool {
	return slices.ContainsFunc(g.Sources, func(s rs.GrantedStream) bool {
		return s.Stream == stream && (connection == "" || s.Connection.ID == connection)
	})
}

// streamsOf are the streams of a connection, or all, each once.
func (g Grant) streamsOf(connection string) []string {
	var all []string
	seen := map[string]bool{} // a grant may have thousands
	for _, s := range g.Sources {
		if (connection == "" || s.Connection.ID == connection) && !seen[s.Stream] {
			seen[s.Stream] = true
			all = append(all, s.Stream)
		}
	}
	return all
}

const grantHint = "schema without arguments lists the streams and connections. " +
	"Only the owner can grant more: with pdpp-mcp connect, or at a new sign-in."

// likeliest maps each stream to itself, or to the nearest one that there is; known reports whether there is one for each.
func (g Grant) likeliest(streams []string, connection string) (to map[string]string, known bool) {
	to, known = map[string]string{}, true
	for _, stream := range streams {
		to[stream] = stream
		if !g.has(stream, connection) {
			near := g.near(stream, connection)
			if len(near) == 0 {
				to[stream], known = "", false
				continue
			}
			to[stream] = near[0]
		}
	}
	return to, known
}

// near are the streams that a name may mean: one of a similar name, or one of a connector or connection of that name.
func (g Grant) near(stream, connection string) []string {
	if stream == "" || strings.ContainsAny(stream[:1], "-!") { // all but that stream
		return nil
	}
	streams := g.streamsOf(connection)
	found := written.Nearest(stream, streams, 3)
	if other := streamWords[written.Snake(stream)]; slices.Contains(streams, other) && !slices.Contains(found, other) {
		found = append(found, other)
	}
	if _, last, dotted := strings.Cut(stream, "."); dotted && g.has(last, connection) {
		found = append([]string{last}, found...)
	}
	for _, s := range g.Sources {
		_, key := written.Alike(stream, s.Connection.ConnectorKey)
		_, name := written.Alike(stream, s.Connection.DisplayName)
		if (key || name || s.Connection.ID == stream) && (connection == "" || s.Connection.ID == connection) {
			found = append(found, s.Stream)
		}
	}
	var distinct []string
	for _, name := range found {
		if !slices.Contains(distinct, name) {
			distinct = append(distinct, name)
		}
	}
	return distinct[:min(len(distinct), 3)]
}

// missingStream says which streams are near one that the grant, or the connection that is named, does not have.
func (g Grant) missingStream(t Tool, args rs.Object, stream string) *rs.Error {
	streams, connection := Touches(args)
	e := &rs.Error{Code: rs.UnknownStream, Param: "stream", Hint: grantHint}
	if t.Takes("streams") {
		e.Param = "streams"
	} else if t.Takes("id") {
		e.Param = "id"
	}
	if t.Takes("id") && (!isStreamName(stream) || connection != "" && len(g.near(stream, connection)) == 0) {
		if _, ok := g.colons(args); !ok {
			return g.missingIn(t, args, e)
		}
	}
	if others := g.connectionsOf(stream); connection != "" && len(others) > 0 {
		e.Message = fmt.Sprintf("connection %s has no stream %s. It is under %s.",
			quote.Text(connection), quote.Text(stream), quote.Connections(others))
		e.Connections, e.ConnectionTotal, e.RetryWith = firstOf(others, nil), len(others), "connection_id"
		same, _ := g.likeliest(streams, others[0].ID)
		e.Send = Call{t.Name, replaceNames(args, same, others[0].ID)}.String()
		return e
	}
	e.Message = fmt.Sprintf("no stream %s in this grant.", quote.Text(stream))
	near := g.near(stream, connection)
	if len(near) == 0 && connection != "" {
		near = g.near(stream, "")
	}
	if ref, ok := g.colons(args); ok {
		e.Send = Call{t.Name, args.With("id", rs.EncodeJSON(ref.String()))}.String()
	}
	if everything := written.Set("* all any everything")[strings.ToLower(stream)]; len(near) == 0 || everything {
		known := g.streamsOf("")
		e.Message += " It has: " + quote.Names(known, 20) + "."
		if everything && (t.Name == "schema" || t.Name == "search") {
			e.Send = Call{t.Name, replaceNames(args, map[string]string{}, connection)}.String()
		}
		if e.Send == "" {
			e.Send = Call{"schema", rs.Object{}}.String()
		}
		return e
	}
	var shown []string
	for _, name := range near {
		shown = append(shown, quote.Names([]string{name}, 1)+g.displayed(name))
	}
	e.Message += " Nearest: " + strings.Join(shown, ", ") + "."
	if e.Send != "" {
		return e
	}
	to, _ := g.likeliest(streams, connection)
	to[stream] = near[0]
	if several := written.Names(stream); len(several) > 1 && g.has(several[0], "") {
		to[stream], e.Hint = several[0], CallForEach(len(several))
		near[0] = several[0]
	}
	switch having := g.connectionsOf(near[0]); {
	case connection != "" && !g.has(near[0], connection) && len(having) > 0,
		connection == "" && g.OneConnection && len(having) > 1 && t.Name != "search" && t.Name != "schema":
		connection = having[0].ID
	}
	e.Send = Call{t.Name, replaceNames(args, to, connection)}.String()
	return e
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
			args = args.With("streams", listed(kept))
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
