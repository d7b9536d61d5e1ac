package correct

import (
	"net/url"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/identifier"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// titleIn returns the title of a record that was sent instead of its id; "" for none.
func (t Tool) titleIn(args rs.Object) string {
	if !t.Takes("id") {
		return ""
	}
	id := strings.TrimSpace(args.Text("id"))
	if identifier.IsTitle(id) {
		return id
	}
	for _, m := range args {
		name := written.Snake(m.Name)
		text, _ := written.Text(m.Value)
		isTitle := slices.Contains(foreign.WordArguments, name) || name == "title" || name == "subject" || name == "name"
		if id == "" && t.Name == "fetch" && !t.Takes(m.Name) && isTitle && written.Letters(text) != "" {
			return text
		}
	}
	return ""
}

const titleHint = "A record is read by its id alone: the call below searches for those words, and prints the ids of what it finds."

// recordsOf returns the call that lists the records of a stream of a connection.
func recordsOf(stream, connection string) Call {
	return Call{"query_records", rs.Object{rs.NewMember("stream", stream), rs.NewMember("connection_id", connection)}}
}

const streamHint = "That is the id of a connection and its stream, without a record: the call below lists those."

func searchForTitle(title string, args rs.Object) Call {
	title = title[:min(len(title), foreign.LongestQuery)]
	return instead("search", args, rs.Object{rs.NewMember("q", strings.ToValidUTF8(title, ""))})
}

// identified converts other forms of a record's id to the usual one: a stream next to the record's own id, or its URL (S2-1).
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
	if plain := identifier.Plain(id); plain != id && rs.Kind(raw) == "string" {
		id, args = plain, args.With("id", rs.EncodeJSON(plain))
	}
	if at := strings.Index(id, rs.RecordURIPrefix); at > 0 { // after the common prefix of the ids in a table
		if _, err := rs.ParseRef(id[at:]); err == nil {
			return args.With("id", rs.EncodeJSON(id[at:]))
		}
	}
	if _, err := rs.ParseRef(id); err != nil && strings.HasPrefix(id, "record/") { // the scheme is missing
		return args.With("id", rs.EncodeJSON(rs.RecordURIPrefix+strings.TrimPrefix(id, "record/")))
	}
	if ref, ok := identifier.OfURL(id); ok {
		return args.With("id", rs.EncodeJSON(ref.String()))
	}
	stream, given := written.Text(args.Get("stream"))
	named, err := rs.ParseRef(id)
	switch {
	case !given || t.Takes("stream") || rs.UnsafeName(stream) != "":
		return args
	case err == nil && named.Stream == stream:
		return args.Without("stream") // the id names it too
	case err == nil && named.ConnectionID != "" || strings.HasPrefix(id, rs.RecordURIPrefix):
		return args // the id names another stream
	}
	ref := rs.Ref{Stream: stream, RecordID: id}
	if connection, ok := written.Text(args.Get("connection_id")); ok && ref.String() != stream+":"+id {
		ref.ConnectionID = connection // a record URI names its connection
	}
	return args.With("id", rs.EncodeJSON(ref.String())).Without("stream")
}

// Copied returns the call with an id that was copied with the rest of its row, or with its own id percent-encoded, as it is, and a hint
// about that; false for any other id.
func (t Tool) Copied(args rs.Object) (call Call, hint string, ok bool) {
	id := args.Text("id")
	if alone := identifier.Before(id); alone != "" {
		return Call{t.Name, args.With("id", rs.EncodeJSON(alone))}, "Send the id alone: the call below leaves out what was copied with it.", true
	}
	ref, err := rs.ParseRef(id)
	own, _, _ := strings.Cut(ref.RecordID, "#")
	if own = strings.TrimRight(own, ".,;:!)]"); err == nil && own != "" && own != ref.RecordID {
		ref.RecordID = own
		return Call{t.Name, args.With("id", rs.EncodeJSON(ref.String()))}, "The call below has the id without what follows it.", true
	}
	plain, malformed := url.PathUnescape(ref.RecordID)
	if err != nil || malformed != nil || plain == ref.RecordID {
		return Call{}, "", false
	}
	ref.RecordID = plain
	hint = "The record's own id is percent-encoded in a pdpp:// id only. The call below has it as it is."
	return Call{t.Name, args.With("id", rs.EncodeJSON(ref.String()))}, hint, true
}

// record mends the arguments of a tool that reads one record.
func (t Tool) record(guess rs.Object, refused *rs.Error) (rs.Object, bool) {
	id, _ := written.Text(guess.Get("id"))
	if id == "" && t.Takes("id") || identifier.IsPage(id) {
		return nil, false
	}
	several := identifier.Several(id)
	ref, isRef := identifier.Ref(id)
	switch {
	case t.Name == "read_record_field" && !guess.Has("field"):
		return nil, false
	case several != nil:
		guess = guess.With("id", rs.EncodeJSON(several[0]))
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
