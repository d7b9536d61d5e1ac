// Package identifier reads ids of records and connections in the forms in which people and models write them.
package identifier

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

// IsStream reports whether a name may be that of a stream. One with digits, such as C05 in C05:1794492492.000100, starts a record's own id.
func IsStream(name string) bool { return !strings.ContainsAny(name, "0123456789") }

// Own explains how to write the full id of a record, given the record's own id.
func Own(record, connection, stream string) string {
	if plain, err := url.PathUnescape(record); err == nil {
		record = plain
	}
	ref := rs.Ref{ConnectionID: cmp.Or(connection, "CONNECTION"), Stream: cmp.Or(stream, "STREAM"), RecordID: record}
	return fmt.Sprintf("If %s is the record's own id, send %s, with the record's connection_id and stream; a table has them in its header.",
		quote.Line(record), ref)
}

var spacedColon = written.Expression(`^([\w-]+/[\w.-]+)\s*:\s*(\S+)$`)

// Plain returns an id as it was printed, if it has spaces around its colon, is percent-encoded as a whole, or is a record URI with capitals
// in its scheme or with a '/' in the record's own id; any other id unchanged.
func Plain(id string) string {
	if len(id) > rs.MaxIDBytes {
		return id
	}
	id = spacedColon().ReplaceAllString(strings.TrimSpace(id), "$1:$2")
	if whole, err := url.PathUnescape(id); err == nil && !strings.ContainsAny(id, "/:") {
		if _, err := rs.ParseRef(whole); err == nil {
			return whole
		}
	}
	at := min(len(rs.RecordURIPrefix), len(id))
	if !strings.EqualFold(id[:at], rs.RecordURIPrefix) {
		return id
	}
	if parts := strings.SplitN(id[at:], "/", 3); len(parts) == 3 {
		return rs.RecordURIPrefix + parts[0] + "/" + parts[1] + "/" + strings.ReplaceAll(parts[2], "/", "%2F")
	}
	return rs.RecordURIPrefix + id[at:]
}

// IsPage reports whether an id is the URL of a web page.
func IsPage(id string) bool {
	return strings.HasPrefix(id, "https://") || strings.HasPrefix(id, "http://")
}

// Several returns the ids of several records in one text, separated by commas, '+' or white space; nil for any other text.
func Several(id string) []string {
	malformed := func(id string) bool { _, err := rs.ParseRef(id); return err != nil }
	for _, several := range [][]string{written.Names(id), strings.Split(id, " + "), strings.Fields(id)} {
		if len(several) > 1 && !slices.ContainsFunc(several, malformed) {
			return several
		}
	}
	return nil
}

// Before returns the id at the start of a copied line, such as a row with its cells; "" for any other text, as an id may have spaces.
func Before(line string) string {
	id, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	ref, err := rs.ParseRef(strings.TrimRight(id, ",;"))
	if err != nil || !strings.ContainsAny(rest, "=|") {
		return ""
	}
	return ref.String()
}

var fileName = written.Expression(`[/\\].*\.[A-Za-z][A-Za-z0-9]{1,6}$`)

// StreamOfPath returns the usual name of the stream for the path of a file or folder, as answers and export programs write it, and the
// connection if the path begins with its id. The stream is "" if nothing is left of the path.
func StreamOfPath(path string) (connection, stream string) {
	path = strings.Trim(path, `/\ `)
	own, rest, two := strings.Cut(path, "/")
	switch {
	case fileName().MatchString(path):
		path = path[:strings.LastIndexByte(path, '.')]
	case two && strings.HasPrefix(own, "cin_") && rs.UnsafeName(own) == "" && rs.UnsafeName(rest) == "":
		return own, rest
	}
	return "", notInStreams().ReplaceAllString(path, "_")
}

// StreamAlone returns the connection and the stream of a text that has only these in place of the id of a record; "" for any other text.
func StreamAlone(id string) (connection, stream string) {
	if !strings.HasPrefix(id, "cin_") { // most texts, which can be long
		return "", ""
	}
	connection, stream = StreamOfPath(strings.TrimSuffix(id, ":"))
	if connection == "" || !IsStream(stream) || strings.Contains(stream, ":") {
		return "", ""
	}
	return connection, stream
}

var notInStreams = written.Expression(`[^\pL\pM\pN._-]+`)

// Ref parses an id whose parts are all joined by '/'. 2026/0240 is one record's own id and names no stream.
func Ref(id string) (rs.Ref, bool) {
	parts := strings.Split(strings.Trim(written.Unquoted(id), "/"), "/")
	if len(parts) == 2 {
		parts = append([]string{""}, parts...)
	}
	_, alone := StreamAlone(id)
	if len(parts) != 3 || alone != "" || parts[1] == "" || !IsStream(parts[1][:1]) || strings.HasPrefix(parts[2], ":") {
		return rs.Ref{}, false
	}
	ref := rs.Ref{ConnectionID: parts[0], Stream: parts[1], RecordID: parts[2]}
	parsed, err := rs.ParseRef(ref.String())
	return ref, err == nil && parsed == ref
}

// OfURL parses the URL of a record of a resource server: …/v1/streams/STREAM/records/RECORD?connection_id=CONNECTION. It ignores the
// host.
func OfURL(id string) (ref rs.Ref, ok bool) {
	u, err := url.Parse(id)
	if err != nil || !IsPage(id) && !strings.HasPrefix(id, "/v1/") {
		return rs.Ref{}, false
	}
	_, below, _ := strings.Cut(u.EscapedPath(), "/v1/streams/")
	segments := strings.Split(strings.TrimSuffix(below, "/"), "/")
	if len(segments) != 3 || segments[1] != "records" {
		return rs.Ref{}, false
	}
	stream, errStream := url.PathUnescape(segments[0])
	record, errRecord := url.PathUnescape(segments[2])
	ref = rs.Ref{ConnectionID: u.Query().Get("connection_id"), Stream: stream, RecordID: record}
	unsafe := rs.UnsafeName(stream) != "" || ref.ConnectionID != "" && rs.UnsafeName(ref.ConnectionID) != ""
	return ref, errStream == nil && errRecord == nil && record != "" && !unsafe
}

// WithoutHandles replaces handles, as answers print them, by the record's own id in a filter on ids, and sets the handle's connection.
func WithoutHandles(args rs.Object) rs.Object {
	stream, _ := written.Text(args.Get("stream"))
	for _, m := range args.Object("filter") {
		handle, ok := written.Text(m.Value)
		if !ok || m.Name != "id" && !strings.HasSuffix(m.Name, "_id") {
			continue
		}
		ref, err := rs.ParseRef(handle)
		connection, named := written.Text(args.Get("connection_id"))
		plain, malformed := url.PathUnescape(handle)
		switch {
		case strings.Contains(strings.ToUpper(handle), "%2F") && !strings.ContainsAny(handle, ":/") && malformed == nil:
			ref.RecordID = plain // the last segment of a handle
		case err != nil || ref.ConnectionID == "" || named && ref.ConnectionID != connection,
			strings.Contains(ref.RecordID, "/") && strings.Contains(ref.RecordID, ":"),                           // a handle in a handle
			!named && !strings.HasPrefix(handle, rs.RecordURIPrefix) && (m.Name != "id" || ref.Stream != stream): // own ids look like this
			continue
		default:
			args = args.With("connection_id", rs.EncodeJSON(ref.ConnectionID))
		}
		args = args.With("filter", args.Object("filter").With(m.Name, rs.EncodeJSON(ref.RecordID)).JSON())
	}
	return args
}

// With returns arguments with the handle of a record as id.
func With(args rs.Object, ref rs.Ref) rs.Object {
	return args.Without("connection_id").With("id", rs.EncodeJSON(ref.String()))
}

// Kind returns the stream that is named like the prefix of an id: note-0036 is one of the notes; "" for none.
func Kind(id string, streams []string) string {
	kind, _, _ := strings.Cut(id, "-")
	return written.NearestOne(kind, streams)
}

// IsTitle reports whether a text that was sent as an id is rather the title of a record.
func IsTitle(id string) bool {
	colon := strings.IndexByte(id, ':')
	isHandle := strings.Contains(id, "/") || colon >= 0 && !strings.HasPrefix(id[colon:], ": ")
	return !isHandle && (len(strings.Fields(id)) > 1 || oneWordTitle().MatchString(id))
}

var oneWordTitle = written.Expression(`^\p{Lu}\pL{2,}$`) // neither an id nor a placeholder for one

// NearConnections returns the connections whose id, display name or connector resembles a name. The first alike of them share the label.
func NearConnections(name string, connections []rs.Connection) (near []rs.Connection, alike int) {
	var labels, ids []string
	of := map[string][]rs.Connection{}
	for _, c := range connections {
		ids = append(ids, c.ID)
	}
	prefix := shared(append(ids, name)) // the ids do not differ there
	name = name[len(prefix):]
	for _, c := range connections {
		for _, label := range []string{c.ID[len(prefix):], c.DisplayName, c.ConnectorKey} {
			if label != "" && !slices.Contains(of[label], c) { // its id may end with its connector
				labels = append(labels, label)
				of[label] = append(of[label], c)
			}
		}
	}
	for _, label := range written.Nearest(name, labels, 6) {
		alike = cmp.Or(alike, len(of[label]))
		for _, c := range of[label] {
			if !slices.Contains(near, c) && len(near) < max(3, alike) {
				near = append(near, c)
			}
		}
	}
	return near, alike
}

// shared returns the common prefix of names, up to and including a '_'.
func shared(names []string) string {
	prefix := names[0]
	for _, name := range names[1:] {
		for !strings.HasPrefix(name, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	return prefix[:strings.LastIndexByte(prefix, '_')+1]
}
