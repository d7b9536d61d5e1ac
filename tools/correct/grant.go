package correct

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/identifier"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A Grant has the streams and connections that the names of a call are compared with.
type Grant struct {
	Sources []rs.GrantedStream
	Schema  *rs.Schema // of all streams; nil if it is not known
	// OneConnection is set if a read must name a connection when several have its stream (S0-R8).
	OneConnection bool
}

// Sources lists the streams that a schema document grants, one entry for each connection of a stream.
func Sources(s *rs.Schema) []rs.GrantedStream {
	var all []rs.GrantedStream
	for _, stream := range s.Streams {
		connections := stream.Connections
		if len(connections) == 0 {
			connections = []rs.Connection{{ConnectorKey: stream.ConnectorKey}}
		}
		for _, connection := range connections {
			all = append(all, rs.GrantedStream{Stream: stream.Name, Connection: connection})
		}
	}
	return all
}

// Named replaces the display name or connector of one connection by its id. It removes a connector that all connections of the stream have.
func (g Grant) Named(t Tool, args rs.Object) (rs.Object, bool) {
	streams, connection := Touches(args)
	if connection == "" || g.hasConnection(connection) {
		return nil, false
	}
	found := slices.DeleteFunc(g.connectionsOf(""), func(c rs.Connection) bool { return !strings.EqualFold(c.DisplayName, connection) })
	of := g.ofConnector(connection, streams)
	all := len(streams) == 1 && len(of) == len(g.connectionsOf(streams[0])) && !t.Takes("id") && (!g.OneConnection || t.Takes("streams"))
	switch {
	case len(found) > 1 || len(found)+len(of) == 0:
		return nil, false
	case len(found) == 0 && len(of) == 1:
		found = of
	case len(found) == 0 && !all:
		return nil, false
	}
	same := map[string]string{}
	for _, stream := range streams {
		same[stream] = stream
	}
	return replaceNames(args, same, append(found, rs.Connection{})[0].ID), true
}

// Granted returns the arguments of a search of several streams without the streams that the grant, or the named connection, lacks, and
// these streams. It is false if the grant has all or none of them, or if one of these may be a mistake for a granted stream.
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
	return args.With("streams", rs.EncodeJSON(has)), left, len(has) > 0 && len(left) > 0
}

// Ungranted returns the streams and the connection that arguments name and the grant lacks.
func (g Grant) Ungranted(args rs.Object) rs.Missing {
	var missing rs.Missing
	if len(g.Sources) == 0 {
		return missing
	}
	streams, connection := Touches(args)
	for _, stream := range streams {
		if !g.has(stream, "") && (identifier.IsStream(stream) || !args.Has("id")) {
			missing.Streams = append(missing.Streams, stream)
		}
	}
	if !g.hasConnection(connection) && len(g.ofConnector(connection, nil)) == 0 {
		missing.Connection = connection
	}
	return missing
}

// has reports whether a connection has a stream; "" is any connection.
func (g Grant) has(stream, connection string) bool {
	return stream != "" && len(g.sourcesOf(stream, connection, 1)) > 0
}

func (g Grant) hasConnection(id string) bool { return len(g.sourcesOf("", id, 1)) > 0 }

// sourcesOf returns at most most sources of a stream and a connection; "" is any.
func (g Grant) sourcesOf(stream, connection string, most int) (sources []rs.GrantedStream) {
	for i := 0; i < len(g.Sources) && len(sources) < most; i++ {
		if s := g.Sources[i]; (stream == "" || s.Stream == stream) && (connection == "" || s.Connection.ID == connection) {
			sources = append(sources, s)
		}
	}
	return sources
}

func (g Grant) streamsOf(connection string) (names []string) {
	for _, s := range g.sourcesOf("", connection, len(g.Sources)) {
		names = append(names, s.Stream)
	}
	return distinct(names)
}

func (g Grant) connectionsOf(stream string) []rs.Connection {
	var all []rs.Connection
	for _, s := range g.sourcesOf(stream, "", len(g.Sources)) {
		if s.Connection.ID != "" && !slices.ContainsFunc(all, func(c rs.Connection) bool { return c.ID == s.Connection.ID }) {
			all = append(all, s.Connection)
		}
	}
	return all
}

// likeliest maps each stream to itself, or to the nearest granted one; known reports whether each has one.
func (g Grant) likeliest(streams []string, connection string) (to map[string]string, known bool) {
	const most = 8 // streams that are compared with all granted ones
	to, known = map[string]string{}, true
	for i, stream := range streams {
		switch to[stream] = ""; {
		case g.has(stream, connection):
			to[stream] = stream
		case i < most:
			to[stream] = append(g.near(stream, connection), "")[0]
		}
		known = known && to[stream] != ""
	}
	return to, known
}

// near returns the streams that a name may mean: of a similar name, or of a connector or connection of that name.
func (g Grant) near(stream, connection string) []string {
	if stream == "" || len(stream) > written.LongestName || strings.ContainsAny(stream[:1], "-!") { // it means all but that stream
		return nil
	}
	found := fields.NearStreams(stream, g.streamsOf(connection), g.Schema)
	if len(found) > 2 {
		return found
	}
	var of []string // streams of a connection of that name
	for _, s := range g.sourcesOf("", connection, len(g.Sources)) {
		_, key := written.Alike(stream, s.Connection.ConnectorKey)
		_, name := written.Alike(stream, s.Connection.DisplayName)
		if key || name || s.Connection.ID == stream {
			of = append(of, s.Stream)
		}
	}
	found = distinct(append(found, fields.Ranked(distinct(of), g.Schema)...))
	return found[:min(len(found), 3)]
}

// InFolder returns the call that reads the mail folder that a call names as its one stream; false for any other call.
func (g Grant) InFolder(t Tool, args rs.Object) (Call, bool) {
	streams, connection := Touches(args)
	if len(streams) != 1 || t.Takes("id") {
		return Call{}, false
	}
	stream, folder := fields.MailboxOf(streams[0], g.streamsOf(connection), g.Schema)
	args = replaceNames(args, map[string]string{streams[0]: stream}, connection)
	if filter := args.Object("filter"); t.Takes("filter") && !filter.Includes(fields.MailboxField) {
		args = filtered(args, filter.With(fields.MailboxField, rs.EncodeJSON(folder)))
	}
	return Call{t.Name, args}, stream != ""
}

// called returns the connections whose names have most of the extra words in a name such as gmail.messages; none if all match alike.
func (g Grant) called(named, stream string) (of []rs.Connection) {
	all, most, least := g.connectionsOf(stream), 0, maxShown
	own := written.WordsOf(stream)
	words := slices.DeleteFunc(strings.FieldsFunc(written.Snake(named), func(r rune) bool { return strings.ContainsRune("_/:", r) }),
		func(word string) bool { return own.Has(strings.TrimSuffix(word, "s")) || fields.KindIn(word) == "" })
	for _, c := range all {
		name, has := written.Snake(c.ID+" "+c.DisplayName+" "+c.ConnectorKey), 0
		for _, word := range words[:min(len(words), maxShown)] {
			if strings.Contains(name, fields.KindIn(word)) {
				has++
			}
		}
		if least = min(least, has); has > most {
			of, most = nil, has
		}
		if has == most && most > 0 {
			of = append(of, c)
		}
	}
	if least == most {
		return nil
	}
	return of
}

// colons parses an id whose connection is followed by ':' instead of '/'.
func (g Grant) colons(args rs.Object) (rs.Ref, bool) {
	ref, err := rs.ParseRef(args.Text("id"))
	stream, record, ok := strings.Cut(ref.RecordID, ":")
	if err != nil || !ok || ref.ConnectionID != "" || !g.has(stream, ref.Stream) {
		return rs.Ref{}, false
	}
	return rs.Ref{ConnectionID: ref.Stream, Stream: stream, RecordID: record}, true
}

// Home lists the streams that may have a record if only the record's own id was sent. It returns the call that reads it from a likely
// stream, or else one that searches all streams; none if the id is wrong in another way.
func (g Grant) Home(t Tool, args rs.Object) (sentence string, send Call) {
	id, connection := args.Text("id"), args.Text("connection_id")
	if id == "" || t.titleIn(args) != "" || !t.Takes("id") || strings.Contains(id, ":") {
		return "", Call{}
	}
	streams := g.streamsOf(connection)
	if len(streams) == 0 {
		return FindID(id, args)
	}
	sentence = "Streams that may have it: " + quote.Names(streams, maxShown) + "."
	for _, stream := range streams { // orders#2026-0238
		if own := strings.TrimPrefix(id, stream); len(own) > 1 && own != id && strings.IndexAny(own, "#.|@ ") == 0 {
			return sentence, Call{t.Name, identifier.With(args, rs.Ref{ConnectionID: connection, Stream: stream, RecordID: own[1:]})}
		}
	}
	near := identifier.Kind(id, streams)
	if near != "" || len(streams) == 1 {
		ref := rs.Ref{ConnectionID: connection, Stream: cmp.Or(near, streams[0]), RecordID: id}
		if in := g.connectionsOf(ref.Stream); connection == "" && len(in) == 1 {
			ref.ConnectionID = in[0].ID
		}
		return sentence, Call{t.Name, identifier.With(args, ref)}
	}
	finds, call := FindID(id, args)
	return strings.TrimSpace(sentence + " " + finds), call
}

// FindID returns the search for a record by its own id or title alone, and a sentence about it; for other texts the schema call.
func FindID(id string, args rs.Object) (sentence string, send Call) {
	if identifier.IsTitle(id) && len(id) <= foreign.LongestQuery {
		return "The call below searches for those words.", searchForTitle(id, args)
	}
	if plain, err := url.PathUnescape(id); err == nil {
		id = plain // percent-encoded as in a pdpp:// id
	}
	if !strings.ContainsAny(id, "0123456789") || strings.ContainsAny(id, " \"") || len(id) < 3 || len(id) > foreign.LongestQuery ||
		foreign.Operator(id) != "" {
		return "", Call{"schema", rs.Object{}}
	}
	call := Call{"search", rs.Object{rs.NewMember("q", id)}.WithAll(onlyConnection(args))}
	return "The call below looks for it in every stream.", call
}

func (g Grant) ofConnector(key string, streams []string) []rs.Connection {
	return slices.DeleteFunc(g.connectionsOf(""), func(c rs.Connection) bool {
		return !strings.EqualFold(c.ConnectorKey, key) || slices.ContainsFunc(streams, func(s string) bool { return !g.has(s, c.ID) })
	})
}
