package correct

import (
	"net/url"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// touched is what a call names: streams, and a connection.
type touched struct {
	streams    []string
	connection string
}

// touches reads the names of streams and connections out of arguments.
func touches(args rs.Object) touched {
	var t touched
	t.connection, _ = text(args.Get("connection_id"))
	if stream, ok := text(args.Get("stream")); ok {
		t.streams = append(t.streams, stream)
	}
	for _, raw := range args.Array("streams") {
		stream, _ := text(raw)
		t.streams = append(t.streams, stream)
	}
	if id, ok := text(args.Get("id")); ok {
		if ref, err := rs.ParseRef(id); err == nil {
			t.streams = append(t.streams, ref.Stream)
			if ref.ConnectionID != "" {
				t.connection = ref.ConnectionID
			}
		}
	}
	return t
}

// Touches returns the streams and the connection that arguments name.
func Touches(args rs.Object) (streams []string, connection string) {
	t := touches(args)
	return t.streams, t.connection
}

// replaceNames writes other names into arguments. A stream that is replaced by "" is left out, as is a connection.
func replaceNames(args rs.Object, streams map[string]string, connection string) rs.Object {
	before := touches(args)
	if id, ok := text(args.Get("id")); ok {
		if ref, err := rs.ParseRef(id); err == nil {
			ref.Stream = streams[ref.Stream]
			if ref.ConnectionID != "" || connection != before.connection {
				ref.ConnectionID = connection
			}
			if ref.ConnectionID != "" || connection == "" {
				args = args.Without("connection_id")
			}
			return args.With("id", rs.EncodeJSON(ref.String()))
		}
	}
	if stream, ok := text(args.Get("stream")); ok {
		if streams[stream] == "" {
			args = args.Without("stream")
		} else {
			args = args.With("stream", rs.EncodeJSON(streams[stream]))
		}
	}
	if args.Has("streams") {
		var kept []string
		for _, raw := range args.Array("streams") {
			stream, _ := text(raw)
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
	case connection != before.connection:
		return args.With("connection_id", rs.EncodeJSON(connection))
	}
	return args
}

// withoutHandles gives a filter on an id the record's own id where it has the handle that answers print, and the call its connection.
func withoutHandles(args rs.Object) rs.Object {
	stream, _ := text(args.Get("stream"))
	for _, m := range args.Object("filter") {
		handle, ok := text(m.Value)
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
		connection, named := text(args.Get("connection_id"))
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

// identified brings the id of a record into its form: a stream beside the record's own id, or the URL of the record (S2-1).
func (t Tool) identified(args rs.Object) rs.Object {
	id, ok := text(args.Get("id"))
	if number := args.Get("id"); !ok && rs.Kind(number) == "number" && args.Has("stream") {
		id, ok = number, true
	}
	if !ok {
		return args
	}
	if stream, connection, record := recordURL(id); stream != "" {
		ref := rs.Ref{ConnectionID: connection, Stream: stream, RecordID: record}
		return args.With("id", rs.EncodeJSON(ref.String()))
	}
	stream, given := text(args.Get("stream"))
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
	if connection, ok := text(args.Get("connection_id")); ok && ref.String() != stream+":"+id {
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
