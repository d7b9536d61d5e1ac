package rs

import (
	"encoding/base64"
	"encoding/json"
	"errors"
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

// MaxIDBytes bounds an id that a caller sends.
const MaxIDBytes = 4096

// RecordURIPrefix starts the resource URI of a record.
const RecordURIPrefix = "pdpp://record/"

// String returns the form that ParseRef reads back as the same Ref.
func (r Ref) String() string {
	switch {
	case !r.embeddable():
		return r.URI()
	case r.ConnectionID == "":
		return r.Stream + ":" + r.RecordID
	}
	return r.ConnectionID + "/" + r.Stream + ":" + r.RecordID
}

// noConnection is the first segment of a record URI without a connection. A connection of that name is written as %2D.
const noConnection = "-"

// URI returns the pdpp://record/ form, which can represent any record id.
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

// endsWord reports whether a character cannot be part of a word of prose.
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

// EncodeHandle returns v as URL-safe text: base64url, without padding, of its JSON.
// v must be a value that encoding/json can write, such as a struct of strings and integers.
func EncodeHandle(v any) string {
	data, _ := json.Marshal(v)
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

// isWord reports whether a text consists of ASCII letters, digits, '_' and '-', and is not empty. Most names and ids are such words, and
// every word is safe.
func isWord(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return text != ""
}

// UnsafeName returns why a stream name, connection id or record id in the text form of an id is refused, or "" if it is safe (S2-2).
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

// unsafeRecordID returns why a record id is refused even in a handle, or "" if it is safe. It may contain '/' and "..", but must be valid
// UTF-8 without control characters, and not empty, "." or "..".
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

// UnsafeField returns why a text cannot be sent as a field name or dotted path, or "" if it can: inside the brackets of a filter it must
// remain one name.
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
