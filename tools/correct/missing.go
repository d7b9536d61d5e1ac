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

// Missing explains which stream or connection of a call the grant lacks, with the call that is probably meant; nil if it lacks none.
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

func (g Grant) missingStream(t Tool, args rs.Object, stream string) *rs.Error {
	streams, connection := Touches(args)
	near := g.near(stream, connection)
	ref, colons := g.colons(args)
	id, _ := rs.ParseRef(args.Text("id"))
	ownID := connection != "" && len(near) == 0 && // the connection is right
		(!g.has(stream, "") || identifier.Kind(id.RecordID, g.streamsOf(connection)) != "")
	if len(near) == 0 {
		near = g.near(stream, "")
	}
	everything := written.Set("* all any everything")[strings.ToLower(stream)]
	others := g.connectionsOf(stream)
	e := &rs.Error{Code: "unknown_stream", Param: "stream", Hint: grantHint}
	for _, param := range []string{"streams", "id"} {
		if t.Takes(param) {
			e.Param = param
		}
	}
	e.Message = fmt.Sprintf("no stream %s in this grant.", quote.Text(stream))
	title := t.titleIn(args) // "Re: …"
	in, isFolder := g.InFolder(t, args)
	switch {
	case title != "":
		e.Hint, e.Send = titleHint, searchForTitle(title, args).String()
	case g.has(id.RecordID, stream):
		e.Hint, e.Send = streamHint, recordsOf(id.RecordID, stream).String()
	case isFolder:
		to, _ := Touches(in.Arguments)
		e.Message += " Nearest: " + quote.Names(to, 1) + ", whose mailbox may be the rest."
		e.Send = in.String()
	case colons:
		e.Message += g.listed(near)
		e.Send = Call{t.Name, args.With("id", rs.EncodeJSON(ref.String()))}.String()
	case t.Takes("id") && (!identifier.IsStream(stream) || ownID):
		return g.missingIn(t, args, e)
	case connection != "" && len(others) > 0:
		e.Message = fmt.Sprintf("connection %s has no stream %s. It is under %s.",
			quote.Text(connection), quote.Text(stream), quote.Connections(others))
		e.Connections, e.ConnectionTotal, e.RetryWith = firstOf(others, nil), len(others), "connection_id"
		same, _ := g.likeliest(streams, others[0].ID)
		e.Send = Call{t.Name, replaceNames(args, same, others[0].ID)}.String()
	case everything && (t.Name == "schema" || t.Name == "search"):
		e.Message += g.listed(nil)
		e.Send = Call{t.Name, args.Without("stream", "streams")}.String()
	case everything || len(near) == 0:
		e.Message += g.listed(nil)
		e.Send = Call{"schema", rs.Object{}}.String()
	default:
		e.Message += g.listed(near)
		g.sendNearest(t, args, stream, near[0], e)
	}
	return e
}

// listed names near streams, each with the connections that have it, or all streams of the grant if there are none.
func (g Grant) listed(near []string) string {
	if len(near) == 0 {
		return " It has: " + quote.Names(g.streamsOf(""), 20) + "."
	}
	const most = 8
	shown := quote.Each(near[:min(len(near), most)])
	for i := range shown {
		shown[i] += g.displayed(near[i])
	}
	if others := len(near) - len(shown); others > 0 {
		shown = append(shown, fmt.Sprintf("and %d others", others))
	}
	return " Nearest: " + strings.Join(shown, ", ") + "."
}

// sendNearest proposes the call with the nearest stream, or with the first of several that were named in one text.
func (g Grant) sendNearest(t Tool, args rs.Object, stream, nearest string, e *rs.Error) {
	streams, connection := Touches(args)
	if several := written.Names(stream); len(several) > 1 && g.has(several[0], "") {
		nearest, e.Hint = several[0], CallForEach(len(several))
	}
	to, _ := g.likeliest(streams, connection)
	to[stream] = nearest
	kind, having := g.called(stream, nearest), g.connectionsOf(nearest)
	alone := len(streams) == 1 && (len(kind) == 1 || t.Name != "search")
	switch {
	case connection != "" && (g.has(nearest, connection) || len(having) == 0): // the connection is right
	case connection != "":
		connection = having[0].ID
	case len(kind) > 0 && alone:
		if connection = kind[0].ID; len(kind) > 1 {
			e.Hint = CallForEach(len(kind))
		}
	case len(kind) > 0:
		e.Hint = fmt.Sprintf("The call below is not only of %s: connection_id narrows it to one of them.", quote.Connections(kind))
	case g.OneConnection && len(having) > 1 && t.Name != "search" && t.Name != "schema":
		connection = having[0].ID
	}
	e.Send = Call{t.Name, replaceNames(args, to, connection)}.String()
}

// missingIn explains how to write an id whose connection lacks its stream, or which is the record's own.
func (g Grant) missingIn(t Tool, args rs.Object, e *rs.Error) *rs.Error {
	_, connection := Touches(args)
	ref, _ := rs.ParseRef(args.Text("id"))
	streams := g.streamsOf(connection)
	e.Message = fmt.Sprintf("no stream %s in this grant.", quote.Text(ref.Stream)) + g.listed(nil)
	if connection != "" {
		e.Message = fmt.Sprintf("connection %s has no stream %s. It has: %s.",
			quote.Text(connection), quote.Text(ref.Stream), quote.Names(streams, maxShown))
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

// displayed returns the display names of a stream's connections in parentheses; "" for none or more than 4.
func (g Grant) displayed(stream string) string {
	var names []string
	for _, c := range g.connectionsOf(stream) {
		if name := quote.Line(c.DisplayName); name != "" {
			names = append(names, name)
		}
	}
	if len(names) == 0 || len(names) > 4 {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}

func (g Grant) missingConnection(t Tool, args rs.Object) *rs.Error {
	streamNames, connection := Touches(args)
	e := &rs.Error{Code: "unknown_connection", Param: "connection_id", RetryWith: "connection_id", Hint: grantHint}
	streams, isKnown := g.likeliest(streamNames, "")
	candidates := slices.DeleteFunc(g.connectionsOf(""), func(c rs.Connection) bool {
		return isKnown && slices.ContainsFunc(streamNames, func(s string) bool { return !g.has(streams[s], c.ID) })
	})
	near, alikeCount := identifier.NearConnections(connection, candidates)
	e.Message = fmt.Sprintf("no connection %s in this grant.", quote.Text(connection))
	e.Connections, e.ConnectionTotal = firstOf(near, candidates), len(candidates)
	if folder := g.streamOfBoth(connection, streamNames); folder != "" && len(near) == 0 {
		e.Message += " Nearest: the stream " + quote.Names([]string{folder}, 1) + "."
		e.Send = Call{t.Name, replaceNames(args, map[string]string{streamNames[0]: folder}, "")}.String()
		return e
	}
	switch {
	case alikeCount > 1:
		e.Hint = CallForEach(alikeCount)
	case len(near) > 1:
		e.Hint = "The call below is for the first of these alone."
	}
	var send string // the connection to send
	switch several := g.ofConnector(connection, streamNames); {
	case len(several) > 0:
		e.Code, e.Hint = "ambiguous_connection", CallForEach(len(several))
		e.Message = fmt.Sprintf("%s is the connector of %d connections: %s.", quote.Text(connection), len(several), quote.Connections(several))
		e.Connections, e.ConnectionTotal, send = firstOf(several, nil), len(several), several[0].ID
	case len(near) > 0:
		e.Message, send = e.Message+" Nearest: "+quote.Connections(near)+".", near[0].ID
	case !isKnown, args.Has("id"): // elsewhere the id may be another record's
		t.Name, args = "schema", rs.Object{}
	case len(candidates) == 0 && g.OneConnection && t.Name != "search":
		return e
	case len(candidates) > 1 && g.OneConnection && t.Name != "search":
		send = candidates[0].ID
	default:
		e.Hint = "The call below leaves out connection_id: it is of all connections. " + e.Hint
	}
	e.Send = Call{t.Name, replaceNames(args, streams, send)}.String()
	return e
}

// streamOfBoth returns the stream whose name has the words of both the named stream and its connection, such as a folder; "" for none.
func (g Grant) streamOfBoth(connection string, streams []string) string {
	both := connection + " " + strings.Join(streams, " ")
	near := append(g.near(both, ""), "")[0]
	if _, words := written.WordsOf(both).In(written.WordsOf(near)); words == 0 || len(streams) != 1 {
		return ""
	}
	return near
}

// firstOf returns some connections, then the others, at most as many as an error lists.
func firstOf(some, all []rs.Connection) []rs.Connection {
	others := slices.DeleteFunc(slices.Clone(all), func(c rs.Connection) bool { return slices.Contains(some, c) })
	ordered := slices.Concat(some, others)
	return ordered[:min(len(ordered), rs.MaxConnectionOptions)]
}
