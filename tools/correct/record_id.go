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
	return fmt.Sprintf("If %s is the record's own id, send %s, with the record's connection_id and stream; a table has them in its header.",
		quote.Line(record), ref)
}

// isPage reports whether an id is the address of a page elsewhere.
func isPage(id string) bool {
	return strings.HasPrefix(id, "https://") || strings.HasPrefix(id, "http://")
}

// recordIn is the record's own id in the id of a call.
func recordIn(args rs.Object) string {
	ref, _ := rs.ParseRef(args.Text("id"))
	return ref.RecordID
}

// idsIn are the ids of several records in one text, with commas, a '+' or white space between them; nil for any other text.
func idsIn(id string) []string {
	malformed := func(id string) bool { _, err := rs.ParseRef(id); return err != nil }
	for _, several := range [][]string{written.Names(id), strings.Split(id, " + "), strings.Fields(id)} {
		if len(several) > 1 && !slices.ContainsFunc(several, malformed) {
			return several
		}
	}
	return nil
}

// idBefore is the id before other words that were copied with it, such as those of a hit; "" for any other text.
func idBefore(line string) string {
	id, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	ref, err := rs.ParseRef(strings.TrimRight(id, ",;"))
	if err != nil || rest == "" || ref.ConnectionID == "" && !strings.ContainsAny(rest, "=|") {
		return ""
	}
	return ref.String()
}

// WithoutLine returns the call with the id of a record alone, of one that was sent with the words behind it; false for any other id.
func (t Tool) WithoutLine(args rs.Object) (Call, bool) {
	id := idBefore(args.Text("id"))
	return Call{t.Name, args.With("id", rs.EncodeJSON(id))}, id != ""
}

// LineHint says what the call of [Tool.WithoutLine] leaves out.
const LineHint = "Send the id alone: the call below leaves out what was copied with it."

// titleIn is what was sent as the title of a record instead of its id; "" for none.
func (t Tool) titleIn(args rs.Object) string {
	if !t.Takes("id") {
		return ""
	}
	id := strings.TrimSpace(args.Text("id"))
	colon := strings.IndexByte(id, ':')
	if title := len(strings.Fields(id)) > 1 || oneWordTitle().MatchString(id); title && (colon < 0 || strings.HasPrefix(id[colon:], ": ")) && !strings.Contains(id, "/") {
		return id
	}
	for _, m := range args {
		name := written.Snake(m.Name)
		text, _ := written.Text(m.Value)
		if id == "" && t.Name == "fetch" && !t.Takes(m.Name) && (slices.Contains(words, name) || name == "title" || name == "subject" || name == "name") && text != "" {
			return text
		}
	}
	return ""
}

var oneWordTitle = written.Expression(`^\p{Lu}\pL{2,}$`) // no id, and none of the words that stand for one

const titleHint = "A record is read by its id alone: the call below searches for those words, and prints the ids of what it finds."

// searchForTitle is the search for the words of a title.
func searchForTitle(title string, args rs.Object) Call {
	title = title[:min(len(title), longestQuery)]
	return Call{"search", rs.Object{{Name: "q", Value: rs.EncodeJSON(strings.ToValidUTF8(title, ""))}}.WithAll(onlyConnection(args))}
}

var fileName = written.Expression(`[/\\].*\.[A-Za-z][A-Za-z0-9]{1,6}$`)

// streamOfFile is the usual name of the stream of a file by the path of that, as answers name it; "" for what is no path.
func streamOfFile(path string) string {
	if path = strings.Trim(path, "/"); !fileName().MatchString(path) {
		return ""
	}
	return notInStreams().ReplaceAllString(path[:strings.LastIndexByte(path, '.')], "_")
}

var notInStreams = written.Expression(`[^\pL\pM\pN._-]+`)

// refOf reads an id whose parts are joined by '/' alone. 2026/0240 is one id and names no stream.
func refOf(id string) (rs.Ref, bool) {
	parts := strings.Split(strings.Trim(written.Unquoted(id), "/"), "/")
	if len(parts) == 2 {
		parts = append([]string{""}, parts...)
	}
	if len(parts) != 3 || parts[1] == "" || !isStreamName(parts[1][:1]) || strings.HasPrefix(parts[2], ":") {
		return rs.Ref{}, false
	}
	ref := rs.Ref{ConnectionID: parts[0], Stream: parts[1], RecordID: parts[2]}
	parsed, err := rs.ParseRef(ref.String())
	return ref, err == nil && parsed == ref
}

// recordURL reads the URL of a record of a resource server: …/v1/streams/STREAM/records/RECORD?connection_id=CONNECTION. Nothing is
// read from the URL's host.
func recordURL(id string) (ref rs.Ref, ok bool) {
	u, err := url.Parse(id)
	if err != nil || !isPage(id) && !strings.HasPrefix(id, "/v1/") {
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

// identified brings the id of a record into its form: a stream beside the record's own id, or the URL of the record (S2-1).
func (t Tool) identified(args rs.Object) rs.Object {
	raw := args.Get("id")
	if o := rs.AsObject(raw); o.Text("record_id", "id", "key") != "" {
		raw = rs.EncodeJSON(o.Text("record_id", "id", "key"))
		args = args.WithAll(members(o, "stream", "connection_id")).With("id", raw)
	}
	id, ok := rs.AsText(raw)
	if !ok || rs.Kind(raw) == "number" && !args.Has("stream") {
		return args
	}
	if at := strings.Index(id, rs.RecordURIPrefix); at > 0 { // behind what the other ids of a table begin with
		if _, err := rs.ParseRef(id[at:]); err == nil {
			return args.With("id", rs.EncodeJSON(id[at:]))
		}
	}
	if ref, ok := recordURL(id); ok {
		return args.With("id", rs.EncodeJSON(ref.String()))
	}
	stream, given := written.Text(args.Get("stream"))
	named, err := rs.ParseRef(id)
	switch {
	case !given || t.Takes("stream") || rs.UnsafeName(stream) != "":
		return args
	case err == nil && named.Stream == stream:
		return args.Without("stream") // it is said twice
	case err == nil && named.ConnectionID != "" || strings.HasPrefix(id, rs.RecordURIPrefix):
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
		ref, err := rs.ParseRef(handle)
		connection, named := written.Text(args.Get("connection_id"))
		plain, malformed := url.PathUnescape(handle)
		switch {
		case !ok || m.Name != "id" && !strings.HasSuffix(m.Name, "_id"):
			continue
		case strings.Contains(strings.ToUpper(handle), "%2F") && !strings.ContainsAny(handle, ":/") && malformed == nil:
			ref.RecordID = plain // the last segment of a handle
		case err != nil || ref.ConnectionID == "" || named && ref.ConnectionID != connection,
			strings.Contains(ref.RecordID, "/") && strings.Contains(ref.RecordID, ":"),                           // a handle within a handle
			!named && !strings.HasPrefix(handle, rs.RecordURIPrefix) && (m.Name != "id" || ref.Stream != stream): // an id of this form
			continue
		default:
			args = args.With("connection_id", rs.EncodeJSON(ref.ConnectionID))
		}
		args = args.With("filter", args.Object("filter").With(m.Name, rs.EncodeJSON(ref.RecordID)).JSON())
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
	several := idsIn(id)
	ref, isRef := refOf(id)
	switch {
	case t.Name == "read_record_field" && !guess.Has("field"):
		return nil, false
	case several != nil:
		guess = guess.With("id", rs.EncodeJSON(several[0]))
	case idBefore(id) != "":
		guess = guess.With("id", rs.EncodeJSON(idBefore(id)))
	case refused.Meant != (rs.Ref{}):
		guess = guess.With("id", rs.EncodeJSON(refused.Meant.URI()))
	case refused.Code == "invalid_id" && refused.Param == "id" && !isRef:
		return nil, false
	case refused.Code == "invalid_id" && refused.Param == "id":
		guess = guess.With("id", rs.EncodeJSON(ref.String()))
	}
	if refused.Code == "conflicting_connection_id" {
		guess = guess.Without("connection_id")
	}
	switch {
	case t.Name == "read_record_field" && guess.Has("q"):
		guess = guess.Without("offset_chars", "limit_chars")
	case t.Name == "read_record_field":
		guess = guess.Without("before_chars", "after_chars")
	}
	return guess, true
}

// identified are arguments with the handle of a record.
func identified(args rs.Object, ref rs.Ref) rs.Object {
	return args.Without("connection_id").With("id", rs.EncodeJSON(ref.String()))
}
