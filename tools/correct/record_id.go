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

// isStreamName reports whether a name may be a stream's: the first part of a record's own id, as in C05:1794492492.000100, has digits.
func isStreamName(name string) bool { return !strings.ContainsAny(name, "0123456789") }

// ownID says how the id of a record is written of which the record's own is known.
func ownID(record, connection, stream string) string {
	if plain, err := url.PathUnescape(record); err == nil {
		record = plain
	}
	ref := rs.Ref{ConnectionID: cmp.Or(connection, "CONNECTION"), Stream: cmp.Or(stream, "STREAM"), RecordID: record}
	return fmt.Sprintf("If %s is the record's own id, send %s; structured output has connection_id and stream beside a record's id.",
		quote.Line(record), ref)
}

// isPage reports whether an id is the address of a page elsewhere.
func isPage(id string) bool {
	return strings.HasPrefix(id, "https://") || strings.HasPrefix(id, "http://")
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

// record mends the arguments of a tool that reads one record.
func (t Tool) record(guess rs.Object, refused *rs.Error) (rs.Object, bool) {
	id, _ := written.Text(guess.Get("id"))
	if id == "" && t.Takes("id") || isPage(id) {
		return nil, false
	}
	if several := idsIn(id); several != nil {
		guess = guess.With("id", rs.EncodeJSON(several[0]))
	} else if refused.Meant != (rs.Ref{}) {
		guess = guess.With("id", rs.EncodeJSON(refused.Meant.URI()))
	} else if refused.Code == rs.InvalidID && refused.Param == "id" {
		ref, ok := refOf(id)
		if !ok {
			return nil, false
		}
		guess = guess.With("id", rs.EncodeJSON(ref.String()))
	}
	if refused.Code == rs.ConflictingConnectionID {
		guess = guess.Without("connection_id")
	}
	if t.Name == "read_record_field" {
		if !guess.Has("field") {
			return nil, false
		}
		if guess.Has("q") {
			guess = guess.Without("offset_chars", "limit_chars")
		} else {
			guess = guess.Without("before_chars", "after_chars")
		}
	}
	return guess, true
}

// identified are arguments with the handle of a record.
func identified(args rs.Object, ref rs.Ref) rs.Object {
	return args.Without("connection_id").With("id", rs.EncodeJSON(ref.String()))
}
