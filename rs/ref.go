package rs

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Ref names one record: its stream, its id, and the connection it came from when that is known.
//
// Its text form is {connection_id}/{stream}:{record_id}, or {stream}:{record_id} without a connection (S2-1).
// A record whose parts do not fit that grammar is written as pdpp://record/{connection_id}/{stream}/{record_id} instead, each part
// percent-encoded, and "-" for no connection (D12).
type Ref struct {
	ConnectionID string
	Stream       string
	RecordID     string
}

// RecordURIPrefix starts the resource URI of a record.
const RecordURIPrefix = "pdpp://record/"

// MaxIDBytes bounds an id that a caller sends.
const MaxIDBytes = 4096

// ParseRef parses a record id in any of its forms, and the base64 handle that other implementations mint. Its error is an InvalidID that
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
	stream, record, ok := strings.Cut(rest, ":") // the FIRST colon: record ids may hold more (S2-3)
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

// slashInRecordID refuses a text whose record id holds a '/', which the text grammar cannot carry (D12), and says how
// the same record is written.
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

// String returns the form that ParseRef reads back as the same Ref.
func (r Ref) String() string {
	var b strings.Builder
	r.Write(&b)
	return b.String()
}

// Write writes what [Ref.String] returns.
func (r Ref) Write(b *strings.Builder) {
	if !r.embeddable() {
		b.WriteString(r.URI())
		return
	}
	b.Grow(len(r.ConnectionID) + len(r.Stream) + len(r.RecordID) + len("/:"))
	if r.ConnectionID != "" {
		b.WriteString(r.ConnectionID)
		b.WriteByte('/')
	}
	b.WriteString(r.Stream)
	b.WriteByte(':')
	b.WriteString(r.RecordID)
}

// noConnection is the first segment of a record URI without a connection. A connection of that name is written as %2D.
const noConnection = "-"

// URI returns the pdpp://record/ form, which holds any record id at all.
func (r Ref) URI() string {
	connection := url.PathEscape(r.ConnectionID)
	switch connection {
	case "":
		connection = noConnection
	case noConnection:
		connection = "%2D"
	}
	return RecordURIPrefix + connection + "/" + url.PathEscape(r.Stream) + "/" + url.PathEscape(r.RecordID)
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

// embeddable reports whether the text form survives being copied out of a line of prose:
// every segment is safe, and nothing in it would end the word or need quoting.
func (r Ref) embeddable() bool {
	fits := func(part string) bool {
		return isWord(part) || UnsafeName(part) == "" && !strings.ContainsFunc(part, endsWord)
	}
	if r.ConnectionID != "" && !fits(r.ConnectionID) || !fits(r.Stream) || !fits(r.RecordID) || strings.ContainsRune(r.Stream, ':') {
		return false
	}
	// "pdpp:" at the start could make the text form look like a URI of ours.
	return !strings.HasPrefix(r.ConnectionID, "pdpp:") && len(r.ConnectionID)+len(r.Stream)+len(r.RecordID)+2 <= MaxIDBytes
}

// endsWord reports what cannot stand in a word of prose.
func endsWord(c rune) bool {
	return unicode.IsSpace(c) || !unicode.IsGraphic(c) || unicode.IsMark(c) || strings.ContainsRune("\"'`<>|,;", c)
}

// A recordHandle is the JSON inside a pdpp://record/{handle}, the form of older answers and of other implementations.
type recordHandle struct {
	Version      int    `json:"v"`
	Kind         string `json:"kind"`
	ConnectionID string `json:"connection_id,omitempty"`
	Stream       string `json:"stream"`
	RecordID     string `json:"record_id"`
}

func parseRecordHandle(text, handle string) (Ref, error) {
	var h recordHandle
	if err := DecodeHandle(handle, &h); err != nil || h.Version != 1 || h.Kind != "record" {
		return Ref{}, invalidID(text, "is not a record URI of this server")
	}
	return checkedRef(text, Ref{h.ConnectionID, h.Stream, h.RecordID})
}

// checkedRef is a record that a URI names. Its record id may hold a '/', because it never meets a path unescaped; a stream or a
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

// EncodeHandle returns v as URL-safe text: base64url, without padding, of its JSON.
// v must be a value that encoding/json can write, such as a struct of strings and integers.
func EncodeHandle(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // only a programming error makes a handle unwritable
	}
	return base64.RawURLEncoding.EncodeToString(data)
}

// DecodeHandle reads what EncodeHandle wrote into v.
func DecodeHandle(handle string, v any) error {
	data, err := base64.RawURLEncoding.Strict().DecodeString(handle)
	if err != nil {
		return err
	}
	if !utf8.Valid(data) {
		return errors.New("handle is not UTF-8")
	}
	return json.Unmarshal(data, v)
}

// isWord reports a text of ASCII letters, digits, '_' and '-': most names and ids are one, and nothing is wrong with any.
func isWord(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return text != ""
}

// UnsafeName says why a stream name, connection id or record id of a text id is refused, or "" when it is safe (S2-2).
func UnsafeName(name string) string {
	switch {
	case isWord(name):
		return ""
	case name == "":
		return "is empty"
	case strings.ContainsAny(name, `/\`):
		return `contains '/' or '\'`
	case strings.Contains(name, ".."):
		return `contains ".."`
	}
	return unsafeRecordID(name)
}

// UnsafeField says why a text cannot be sent as a field name or dotted path, or "" when it can: between the brackets of a
// filter it must stay one name.
func UnsafeField(name string) string {
	switch {
	case strings.TrimSpace(name) == "":
		return "is blank"
	case strings.ContainsAny(name, "[]"):
		return "contains brackets"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "contains a control character"
	}
	return ""
}

// unsafeRecordID is what holds even for a record id in a handle: it may contain '/' and "..", but is a readable,
// non-empty text other than "." and "..".
func unsafeRecordID(id string) string {
	switch {
	case id == "":
		return "is empty"
	case id == "." || id == "..":
		return "is a path step"
	case !utf8.ValidString(id):
		return "is not valid UTF-8"
	case strings.ContainsFunc(id, unicode.IsControl):
		return "contains a control character"
	}
	return ""
}

func invalidID(text, why string) *Error {
	const most = 200 // an id may be kilobytes long, its error may not
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return &Error{
		Code: InvalidID, Param: "id",
		Message: fmt.Sprintf("The id %q %s.", text, why),
		Hint:    "Pass an id exactly as search or query_records printed it: connection_id/stream:record_id, stream:record_id, or pdpp://record/….",
	}
}
