package correct

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/identifier"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// maxNear is how many streams of like names are shown.
const maxNear = 8

// Missing returns the error that says which stream or connection of a call the grant does not have, which are nearest, and the call
// that is probably meant; nil if the grant has all that is named.
func (g Grant) Missing(t Tool, args rs.Object) *rs.Error {
	streams, connection := Touches(args)
	unknown := slices.IndexFunc(streams, func(stream string) bool { return !g.has(stream, connection) })
	switch {
	case len(g.Sources) == 0:
		return nil
	case !g.hasConnection(connection):
		return g.missingConnection(t, args)
	case unknown >= 0:
		return g.missingStream(t, args, streams[unknown])
	}
	return nil
}

// missingStream says which streams are near one that the grant, or the connection that is named, does not have.
func (g Grant) missingStream(t Tool, args rs.Object, stream string) *rs.Error {
	streams, connection := Touches(args)
	e := &rs.Error{Code: "unknown_stream", Param: "stream", Hint: grantHint}
	for _, param := range []string{"streams", "id"} {
		if t.Takes(param) {
			e.Param = param
		}
	}
	ref, colons := g.colons(args)
	if title := t.titleIn(args); title != "" { // "Re: …"
		e.Message, e.Hint = fmt.Sprintf("no stream %s in this grant.", quote.Text(stream)), titleHint
		e.Send = searchForTitle(title, args).String()
		return e
	}
	if in, ok := g.InFolder(t, args); ok {
		to, _ := Touches(in.Arguments)
		e.Message = fmt.Sprintf("no stream %s in this grant. Nearest: %s, whose mailbox may be the rest.", quote.Text(stream), quote.Names(to, 1))
		e.Send = in.String()
		return e
	}
	id, _ := rs.ParseRef(args.Text("id"))
	own := connection != "" && len(g.near(stream, connection)) == 0 && // the connection is right
		(!g.has(stream, "") || identifier.Kind(id.RecordID, g.streamsOf(connection)) != "")
	if t.Takes("id") && !colons && (!identifier.IsStream(stream) || own) {
		return g.missingIn(t, args, e)
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
	if len(near) == 0 {
		near = g.near(stream, "")
	}
	if colons {
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
	shown := quote.Each(near[:min(len(near), maxNear)])
	for i := range shown {
		shown[i] += g.displayed(near[i])
	}
	if others := len(near) - len(shown); others > 0 {
		shown = append(shown, fmt.Sprintf("and %d others", others))
	}
	if e.Message += " Nearest: " + strings.Join(shown, ", ") + "."; colons {
		return e
	}
	to, _ := g.likeliest(streams, connection)
	to[stream] = near[0]
	if several := written.Names(stream); len(several) > 1 && g.has(several[0], "") {
		to[stream], e.Hint = several[0], callForEach(len(several))
	}
	kind := g.called(stream, to[stream])
	switch having := g.connectionsOf(to[stream]); {
	case connection == "" && len(streams) == 1 && (len(kind) == 1 || len(kind) > 1 && t.Name != "search"):
		if connection = kind[0].ID; len(kind) > 1 {
			e.Hint = callForEach(len(kind))
		}
	case connection == "" && len(kind) > 0:
		e.Hint = fmt.Sprintf("The call below is not only of %s: connection_id narrows it to one of them.", quote.Connections(kind))
	case connection != "" && !g.has(to[stream], connection) && len(having) > 0,
		connection == "" && g.OneConnection && len(having) > 1 && t.Name != "search" && t.Name != "schema":
		connection = having[0].ID
	}
	e.Send = Call{t.Name, replaceNames(args, to, connection)}.String()
	return e
}

// missingIn says how the id is written of a record whose stream is not one of its connection's: the connection is right, or the id is
// the record's own, as the first column of a table has it.
func (g Grant) missingIn(t Tool, args rs.Object, e *rs.Error) *rs.Error {
	_, connection := Touches(args)
	ref, _ := rs.ParseRef(args.Text("id"))
	streams := g.streamsOf(connection)
	if connection != "" {
		e.Message = fmt.Sprintf("connection %s has no stream %s. It has: %s.",
			quote.Text(connection), quote.Text(ref.Stream), quote.Names(streams, maxShown))
	} else {
		e.Message = fmt.Sprintf("no stream %s in this grant. It has: %s.", quote.Text(ref.Stream), quote.Names(streams, 20))
	}
	own := ref.RecordID
	if !identifier.IsStream(ref.Stream) {
		own = ref.Stream + ":" + own
	}
	e.Hint = identifier.Own(own, connection, "")
	if len(streams) == 1 && connection != "" {
		meant := rs.Ref{ConnectionID: connection, Stream: streams[0], RecordID: own}
		e.Send = Call{t.Name, args.Without("connection_id").With("id", rs.EncodeJSON(meant.String()))}.String()
	}
	return e
}

const grantHint = "schema without arguments lists the streams and connections. " +
	"Only the owner can grant more: with pdpp-mcp connect, or at a new sign-in."

// displayed names the connections of a stream in brackets, if there are several in the grant.
func (g Grant) displayed(stream string) string {
	var names []string
	for _, c := range g.connectionsOf(stream) {
		names = append(names, quote.Line(c.DisplayName))
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	if len(names) == 0 || len(names) > 4 {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// missingConnection says which connections are near one that the grant does not have.
func (g Grant) missingConnection(t Tool, args rs.Object) *rs.Error {
	named, connection := Touches(args)
	e := &rs.Error{Code: "unknown_connection", Param: "connection_id", RetryWith: "connection_id", Hint: grantHint}
	streams, known := g.likeliest(named, "")
	having := slices.DeleteFunc(g.connectionsOf(""), func(c rs.Connection) bool {
		return known && slices.ContainsFunc(named, func(s string) bool { return !g.has(streams[s], c.ID) })
	})
	near, alike := identifier.NearConnections(connection, having)
	e.Message = fmt.Sprintf("no connection %s in this grant.", quote.Text(connection))
	e.Connections, e.ConnectionTotal = firstOf(near, having), len(having)
	if both := g.streamOfBoth(connection, named); both != "" && len(near) == 0 {
		e.Message += " Nearest: the stream " + quote.Names([]string{both}, 1) + "."
		e.Send = Call{t.Name, replaceNames(args, map[string]string{named[0]: both}, "")}.String()
		return e
	}
	switch {
	case alike > 1:
		e.Hint = callForEach(alike)
	case len(near) > 1:
		e.Hint = "The call below is for the first of these alone."
	}
	switch of := g.ofConnector(connection, named); {
	case len(of) > 0:
		e.Code, e.Hint = "ambiguous_connection", callForEach(len(of))
		e.Message = fmt.Sprintf("%s is the connector of %d connections: %s.", quote.Text(connection), len(of), quote.Connections(of))
		e.Connections, e.ConnectionTotal = firstOf(of, nil), len(of)
		e.Send = Call{t.Name, replaceNames(args, streams, of[0].ID)}.String()
	case len(near) > 0:
		e.Message += " Nearest: " + quote.Connections(near) + "."
		e.Send = Call{t.Name, replaceNames(args, streams, near[0].ID)}.String()
	case !known, args.Has("id"): // the id may be another record's elsewhere
		e.Send = Call{"schema", rs.Object{}}.String()
	case len(having) == 1 || !g.OneConnection || t.Name == "search":
		e.Send = Call{t.Name, replaceNames(args, streams, "")}.String()
	case len(having) > 0:
		e.Send = Call{t.Name, replaceNames(args, streams, having[0].ID)}.String()
	}
	return e
}

// streamOfBoth is the stream whose name has the words of one stream and of what was sent as its connection, such as its folder; "" for none.
func (g Grant) streamOfBoth(connection string, streams []string) string {
	both := connection + " " + strings.Join(streams, " ")
	near := append(g.near(both, ""), "")[0]
	if _, words := written.WordsOf(both).In(written.WordsOf(near)); words == 0 || len(streams) != 1 {
		return ""
	}
	return near
}

// firstOf puts some connections before the others, at most as many as an error lists.
func firstOf(some, all []rs.Connection) []rs.Connection {
	others := slices.DeleteFunc(slices.Clone(all), func(c rs.Connection) bool { return slices.Contains(some, c) })
	ordered := slices.Concat(some, others)
	return ordered[:min(len(ordered), rs.MaxConnectionOptions)]
}
