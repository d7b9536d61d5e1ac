package rs

import (
	"fmt"
	"net/url"
	"strings"
)

// ParseRef parses a record id in any of its forms, and the base64 handle that other implementations mint. Its error is "invalid_id", which
// quotes the id.
func ParseRef(text string) (Ref, error) {
	if len(text) > MaxIDBytes {
		return Ref{}, invalidID(text, fmt.Sprintf("is longer than %d bytes", MaxIDBytes))
	}
	if handle, ok := strings.CutPrefix(text, RecordURIPrefix); ok {
		if strings.Contains(handle, "/") {
			return parseRecordURI(text, handle)
		}
		return parseRecordHandle(text, handle)
	}
	if strings.HasPrefix(text, "pdpp://") {
		e := invalidID(text, "is the address of an attachment's bytes or of a part of a text, not of a record")
		e.Hint = "Fetch the record that it was printed for: an attached text is shown there, and read_record_field reads a long text on."
		return Ref{}, e
	}
	var ref Ref
	rest := text
	if connection, after, ok := strings.Cut(text, "/"); ok {
		if why := UnsafeName(connection); why != "" {
			return Ref{}, invalidID(text, "has a connection segment that "+why)
		}
		ref.ConnectionID, rest = connection, after
	}
	stream, record, ok := strings.Cut(rest, ":") // the FIRST colon: record ids may contain more (S2-3)
	if strings.ContainsRune(record, '/') || !ok && strings.ContainsRune(ref.ConnectionID, ':') {
		return Ref{}, slashInRecordID(text)
	}
	if !ok {
		return Ref{}, invalidID(text, "has no ':' between stream and record id")
	}
	if why := UnsafeName(stream); why != "" {
		return Ref{}, invalidID(text, "has a stream segment that "+why)
	}
	if why := UnsafeName(record); why != "" {
		return Ref{}, invalidID(text, "has a record segment that "+why)
	}
	ref.Stream, ref.RecordID = stream, record
	return ref, nil
}

// slashInRecordID returns the error for a record id that contains '/', which the text grammar does not allow (D12). Its hint gives the
// record's URI.
func slashInRecordID(text string) *Error {
	e := invalidID(text, "has a record segment that contains '/'")
	connection, rest, _ := strings.Cut(text, "/")
	if strings.ContainsRune(connection, ':') {
		connection, rest = "", text
	}
	stream, record, ok := strings.Cut(rest, ":")
	if ref := (Ref{connection, stream, record}); ok && UnsafeName(stream) == "" && unsafeRecordID(record) == "" {
		e.Meant = ref
		e.Hint = "Write this record's id as " + ref.URI() + "."
	}
	return e
}

func parseRecordURI(text, path string) (Ref, error) {
	segments := strings.Split(path, "/")
	if len(segments) != 3 {
		return Ref{}, invalidID(text, "is not a record URI of this server")
	}
	var parts [3]string
	for i, segment := range segments {
		part, err := url.PathUnescape(segment)
		if err != nil || part == "" {
			return Ref{}, invalidID(text, "is not a record URI of this server")
		}
		parts[i] = part
	}
	if segments[0] == noConnection {
		parts[0] = ""
	}
	return checkedRef(text, Ref{parts[0], parts[1], parts[2]})
}

func parseRecordHandle(text, handle string) (Ref, error) {
	var h recordHandle
	if err := DecodeHandle(handle, &h); err != nil || h.Version != 1 || h.Kind != "record" {
		return Ref{}, invalidID(text, "is not a record URI of this server")
	}
	return checkedRef(text, Ref{h.ConnectionID, h.Stream, h.RecordID})
}

// checkedRef validates a record that a URI names. The record id may contain '/', because it is always escaped in a path; a stream or a
// connection may not.
func checkedRef(text string, ref Ref) (Ref, error) {
	if why := UnsafeName(ref.Stream); why != "" {
		return Ref{}, invalidID(text, "has a stream that "+why)
	}
	if ref.ConnectionID != "" {
		if why := UnsafeName(ref.ConnectionID); why != "" {
			return Ref{}, invalidID(text, "has a connection that "+why)
		}
	}
	if why := unsafeRecordID(ref.RecordID); why != "" {
		return Ref{}, invalidID(text, "has a record id that "+why)
	}
	return ref, nil
}

func invalidID(text, why string) *Error {
	const most = 200 // an id may be kilobytes long, its error may not
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return &Error{
		Code: "invalid_id", Param: "id",
		Message: fmt.Sprintf("The id %q %s.", text, why),
		Hint:    "Pass an id exactly as search or query_records printed it: connection_id/stream:record_id, stream:record_id, or pdpp://record/….",
	}
}
