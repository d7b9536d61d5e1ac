package correct

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// missingIn says how the id is written of a record whose stream is not one of its connection's: the connection is right, or the id is
// the record's own, as structured output has it.
func (g Grant) missingIn(t Tool, args rs.Object, e *rs.Error) *rs.Error {
	_, connection := Touches(args)
	id, _ := written.Text(args.Get("id"))
	ref, _ := rs.ParseRef(id)
	streams := g.streamsOf(connection)
	if connection != "" {
		e.Message = fmt.Sprintf("connection %s has no stream %s. It has: %s.",
			quote.Text(connection), quote.Text(ref.Stream), quote.Names(streams, maxShown))
	} else {
		e.Message = fmt.Sprintf("no stream %s in this grant. It has: %s.", quote.Text(ref.Stream), quote.Names(streams, 20))
	}
	own := ref.RecordID
	if !isStreamName(ref.Stream) {
		own = ref.Stream + ":" + own
	}
	e.Hint = ownID(own, connection, "")
	if len(streams) == 1 && connection != "" {
		meant := rs.Ref{ConnectionID: connection, Stream: streams[0], RecordID: own}
		e.Send = Call{t.Name, args.Without("connection_id").With("id", rs.EncodeJSON(meant.String()))}.String()
	}
	return e
}

// Unescaped returns the call with the id of a record whose own id was copied percent-encoded, out of another form of the id; false for any
// other id.
func (t Tool) Unescaped(args rs.Object) (Call, bool) {
	id, _ := written.Text(args.Get("id"))
	ref, err := rs.ParseRef(id)
	plain, malformed := url.PathUnescape(ref.RecordID)
	if err != nil || malformed != nil || plain == ref.RecordID {
		return Call{}, false
	}
	ref.RecordID = plain
	return Call{t.Name, args.With("id", rs.EncodeJSON(ref.String()))}, true
}

// idsIn are the ids of several records in one text; nil for any other text.
func idsIn(id string) []string {
	several := written.Names(id)
	malformed := func(id string) bool { _, err := rs.ParseRef(id); return err != nil }
	if len(several) < 2 || slices.ContainsFunc(several, malformed) {
		return nil
	}
	return several
}

// isPage reports whether an id is the address of a page elsewhere.
func isPage(id string) bool {
	return strings.HasPrefix(id, "https://") || strings.HasPrefix(id, "http://")
}

// ownID says how the id of a record is written of which the record's own is known.
func ownID(record, connection, stream string) string {
	if plain, err := url.PathUnescape(record); err == nil {
		record = plain
	}
	ref := rs.Ref{ConnectionID: cmp.Or(connection, "CONNECTION"), Stream: cmp.Or(stream, "STREAM"), RecordID: record}
	return fmt.Sprintf("If %s is the record's own id, send %s; structured output has connection_id and stream beside a record's id.",
		quote.Line(record), ref)
}

// Home says which streams may have a record of which only its own id was sent, and returns the call that reads it where one of them is
// likely, or else the one that lists the streams; none where the id is another kind of mistake.
func (g Grant) Home(t Tool, args rs.Object) (sentence string, send Call) {
	id, connection := args.Text("id"), args.Text("connection_id")
	if id == "" || !t.Takes("id") || strings.Contains(id, ":") {
		return "", Call{}
	}
	streams := g.streamsOf(connection)
	if len(streams) == 0 {
		return "", Call{"schema", rs.Object{}}
	}
	sentence = "Streams that may have it: " + quote.Names(streams, maxShown) + "."
	for _, stream := range streams { // orders#2026-0238
		if own := strings.TrimPrefix(id, stream); len(own) > 1 && own != id && strings.IndexAny(own, "#.|@ ") == 0 {
			return sentence, Call{t.Name, Identified(args, rs.Ref{ConnectionID: connection, Stream: stream, RecordID: own[1:]})}
		}
	}
	kind, _, _ := strings.Cut(id, "-") // note-0036 is one of the notes
	if near := written.Nearest(kind, streams, 1); len(near) > 0 || len(streams) == 1 {
		ref := rs.Ref{ConnectionID: connection, Stream: append(near, streams[0])[0], RecordID: id}
		return sentence, Call{t.Name, Identified(args, ref)}
	}
	return sentence, Call{"schema", rs.Object{}}
}

// Identified are arguments with the handle of a record.
func Identified(args rs.Object, ref rs.Ref) rs.Object {
	return args.Without("connection_id").With("id", rs.EncodeJSON(ref.String()))
}

// OwnID is the id of a call that may be a record's own, alone: it has no stream before it. It is false for any other id.
func (t Tool) OwnID(args rs.Object) (string, bool) {
	id, ok := written.Text(args.Get("id"))
	stream, _, named := strings.Cut(id, ":")
	own := ok && t.Takes("id") && id != "" && !isPage(id) && !strings.HasPrefix(id, rs.RecordURIPrefix) && idsIn(id) == nil
	_, slashed := refOf(id)
	return id, own && !slashed && (!named || !isStreamName(stream) && !strings.Contains(stream, "/"))
}

// FieldsOf are the fields that a call reads of a record; none for all.
func (t Tool) FieldsOf(args rs.Object) (names []string) {
	for _, raw := range append(args.Array("fields"), args.Get("field")) {
		if name, ok := written.Text(raw); ok {
			names = append(names, name)
		}
	}
	return names
}

// Quoted is a text as errors quote it.
func Quoted(text string) string { return quote.Text(text) }

// isStreamName reports whether a name may be a stream's: the first part of a record's own id, as in C05:1794492492.000100, has digits.
func isStreamName(name string) bool { return !strings.ContainsAny(name, "0123456789") }

// colons reads an id whose connection is followed by ':' instead of '/'.
func (g Grant) colons(args rs.Object) (rs.Ref, bool) {
	id, _ := written.Text(args.Get("id"))
	ref, err := rs.ParseRef(id)
	stream, record, ok := strings.Cut(ref.RecordID, ":")
	if err != nil || !ok || ref.ConnectionID != "" || !g.has(stream, ref.Stream) {
		return rs.Ref{}, false
	}
	return rs.Ref{ConnectionID: ref.Stream, Stream: stream, RecordID: record}, true
}

// identified brings the id of a record into its form: a stream beside the record's own id, or the URL of the record (S2-1).
func (t Tool) identified(args rs.Object) rs.Object {
	id, ok := written.Text(args.Get("id"))
	if number := args.Get("id"); !ok && rs.Kind(number) == "number" && args.Has("stream") {
		id, ok = number, true
	}
	if o := rs.AsObject(args.Get("id")); o.Text("record_id", "id", "key") != "" {
		id, ok = o.Text("record_id", "id", "key"), true
		args = args.WithAll(members(o, "stream", "connection_id")).With("id", rs.EncodeJSON(id))
	}
	if !ok {
		return args
	}
	if at := strings.Index(id, rs.RecordURIPrefix); at > 0 { // behind what the other ids of a table begin with
		if _, err := rs.ParseRef(id[at:]); err == nil {
			return args.With("id", rs.EncodeJSON(id[at:]))
		}
	}
	if stream, connection, record := recordURL(id); stream != "" {
		ref := rs.Ref{ConnectionID: connection, Stream: stream, RecordID: record}
		return args.With("id", rs.EncodeJSON(ref.String()))
	}
	stream, given := written.Text(args.Get("stream"))
	if !given || t.Takes("stream") || rs.UnsafeName(stream) != "" {
		return args
	}
	if ref, err := rs.ParseRef(id); err == nil && ref.Stream == stream {
		return args.Without("stream") // it is said twice
	}
	if ref, err := rs.ParseRef(id); err == nil && ref.ConnectionID != "" || strings.HasPrefix(id, rs.RecordURIPrefix) {
		return args // it names another stream
	}
	ref := rs.Ref{Stream: stream, RecordID: id}
	if connection, ok := written.Text(args.Get("connection_id")); ok && ref.String() != stream+":"+id {
		ref.ConnectionID = connection // a handle names its connection
	}
	return args.With("id", rs.EncodeJSON(ref.String())).Without("stream")
}

// recordURL reads the URL of a record of a resource server: …/v1/streams/STREAM/records/RECORD?connection_id=CONNECTION. Nothing is
// read from the URL's host.
func recordURL(id string) (stream, connection, record string) {
	if !strings.HasPrefix(id, "https://") && !strings.HasPrefix(id, "http://") && !strings.HasPrefix(id, "/v1/") {
		return "", "", ""
	}
	u, err := url.Parse(id)
	if err != nil {
		return "", "", ""
	}
	_, below, found := strings.Cut(u.EscapedPath(), "/v1/streams/")
	segments := strings.Split(strings.TrimSuffix(below, "/"), "/")
	if !found || len(segments) != 3 || segments[1] != "records" {
		return "", "", ""
	}
	stream, errStream := url.PathUnescape(segments[0])
	record, errRecord := url.PathUnescape(segments[2])
	connection = u.Query().Get("connection_id")
	unsafe := rs.UnsafeName(stream) != "" || connection != "" && rs.UnsafeName(connection) != ""
	if errStream != nil || errRecord != nil || record == "" || unsafe {
		return "", "", ""
	}
	return stream, connection, record
}

// withoutHandles gives a filter on an id the record's own id where it has the handle that answers print, and the call its connection.
func withoutHandles(args rs.Object) rs.Object {
	stream, _ := written.Text(args.Get("stream"))
	for _, m := range args.Object("filter") {
		handle, ok := written.Text(m.Value)
		if !ok || m.Name != "id" && !strings.HasSuffix(m.Name, "_id") {
			continue
		}
		if escaped := strings.ToUpper(handle); strings.Contains(escaped, "%2F") && !strings.ContainsAny(handle, ":/") {
			if plain, err := url.PathUnescape(handle); err == nil { // the last segment of a handle
				args = args.With("filter", args.Object("filter").With(m.Name, rs.EncodeJSON(plain)).JSON())
			}
			continue
		}
		ref, err := rs.ParseRef(handle)
		connection, named := written.Text(args.Get("connection_id"))
		switch {
		case err != nil || ref.ConnectionID == "" || named && ref.ConnectionID != connection:
			continue
		case strings.Contains(ref.RecordID, "/") && strings.Contains(ref.RecordID, ":"): // a handle within a handle
			continue
		case !named && !strings.HasPrefix(handle, rs.RecordURIPrefix) && (m.Name != "id" || ref.Stream != stream):
			continue // it may be an id of this form
		}
		args = args.With("filter", args.Object("filter").With(m.Name, rs.EncodeJSON(ref.RecordID)).JSON())
		args = args.With("connection_id", rs.EncodeJSON(ref.ConnectionID))
	}
	return args
}

// refOf reads an id whose parts are joined by '/' alone.
func refOf(id string) (rs.Ref, bool) {
	parts := strings.Split(strings.Trim(written.Unquoted(id), "/"), "/")
	var ref rs.Ref
	switch len(parts) {
	case 2:
		ref = rs.Ref{Stream: parts[0], RecordID: parts[1]}
	case 3:
		ref = rs.Ref{ConnectionID: parts[0], Stream: parts[1], RecordID: parts[2]}
	default:
		return rs.Ref{}, false
	}
	parsed, err := rs.ParseRef(ref.String())
	named := ref.Stream != "" && !strings.ContainsAny(ref.Stream[:1], "0123456789") // 2026/0240 is one id and names no stream
	return ref, named && err == nil && parsed == ref && !strings.HasPrefix(ref.RecordID, ":")
}
