package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// An object is a JSON object whose values stay the bytes that they were, in the order in which they came. It is read
// and spliced, never decoded and encoded again: what the resource server said reaches the host unchanged.
type object []member

type member struct {
	key string
	raw json.RawMessage
}

// decode reads a body that must be a JSON object. what names the answer in the error, which shows nothing of the body.
func decode(body []byte, what string) (object, json.RawMessage, error) {
	body = bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF"))
	if !utf8.Valid(body) {
		body = bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	var b bytes.Buffer
	if err := json.Compact(&b, body); err != nil {
		fault := "is not JSON"
		if len(bytes.TrimSpace(body)) == 0 {
			fault = "is empty"
		}
		return nil, nil, invalidResponse(what, fault, err)
	}
	o := asObject(b.Bytes())
	if o == nil {
		return nil, nil, invalidResponse(what, "is JSON but not an object: "+kind(b.Bytes()), nil)
	}
	return o, b.Bytes(), nil
}

func invalidResponse(what, fault string, cause error) *rs.Error {
	return &rs.Error{
		Code:    rs.InvalidResponse,
		Message: fmt.Sprintf("The resource server's answer to %s %s.", what, fault),
		Hint:    "Retry once; if it fails again, tell the operator of the resource server.",
		Cause:   cause,
	}
}

// kind names the type of a JSON value.
func kind(raw []byte) string {
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// asObject returns raw's members, or nil when raw is not an object. An empty object is not nil.
func asObject(raw []byte) object {
	if kind(raw) != "object" {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return nil
	}
	o := object{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil
		}
		key, ok := token.(string)
		if !ok {
			return nil
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return nil
		}
		o = append(o, member{key, value})
	}
	return o
}

// asArray returns raw's elements and whether raw is an array.
func asArray(raw []byte) ([]json.RawMessage, bool) {
	if kind(raw) != "array" {
		return nil, false
	}
	var list []json.RawMessage
	return list, json.Unmarshal(raw, &list) == nil
}

// asText returns a string, or a number or boolean as it is written.
func asText(raw []byte) (string, bool) {
	switch kind(raw) {
	case "string":
		var s string
		return s, json.Unmarshal(raw, &s) == nil
	case "number", "boolean":
		return string(raw), true
	}
	return "", false
}

// raw returns a member's value, or nil when it is absent or null.
func (o object) raw(key string) json.RawMessage {
	for i := len(o) - 1; i >= 0; i-- { // of duplicate keys the last counts, as in encoding/json
		if o[i].key == key {
			if kind(o[i].raw) == "null" {
				return nil
			}
			return o[i].raw
		}
	}
	return nil
}

func (o object) has(key string) bool { return o.raw(key) != nil }

// includes reports whether a member is there, even as null.
func (o object) includes(key string) bool {
	for _, m := range o {
		if m.key == key {
			return true
		}
	}
	return false
}

// text returns the first of the keys that holds a string or a number and is not empty.
func (o object) text(keys ...string) string {
	for _, key := range keys {
		raw := o.raw(key)
		if k := kind(raw); k != "string" && k != "number" {
			continue
		}
		if s, ok := asText(raw); ok && s != "" {
			return s
		}
	}
	return ""
}

func (o object) object(key string) object { return asObject(o.raw(key)) }

func (o object) array(key string) []json.RawMessage {
	list, _ := asArray(o.raw(key))
	return list
}

func (o object) flag(key string) bool { return string(o.raw(key)) == "true" }

// denied reports an explicit false.
func (o object) denied(key string) bool { return string(o.raw(key)) == "false" }

// number returns a whole number, tolerating one written as a string.
func (o object) number(key string) (int, bool) {
	s, ok := asText(o.raw(key))
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		f, ferr := strconv.ParseFloat(s, 64)
		if ferr != nil || f != float64(int(f)) {
			return 0, false
		}
		n = int(f)
	}
	return n, true
}

func (o object) without(keys ...string) object {
	kept := make(object, 0, len(o))
next:
	for _, m := range o {
		for _, key := range keys {
			if m.key == key {
				continue next
			}
		}
		kept = append(kept, m)
	}
	return kept
}

// with returns o with the key set, in its place or at the end.
func (o object) with(key string, raw json.RawMessage) object {
	set := make(object, 0, len(o)+1)
	done := false
	for _, m := range o {
		if m.key == key {
			if done {
				continue
			}
			m.raw, done = raw, true
		}
		set = append(set, m)
	}
	if !done {
		set = append(set, member{key, raw})
	}
	return set
}

// json writes the object out.
func (o object) json() json.RawMessage {
	size := 2
	for _, m := range o {
		size += len(m.key) + len(m.raw) + 4
	}
	b := make([]byte, 0, size)
	b = append(b, '{')
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, encode(m.key)...)
		b = append(b, ':')
		b = append(b, m.raw...)
	}
	return append(b, '}')
}

func joinArray(list []json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, raw := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(raw)
	}
	b.WriteByte(']')
	return b.Bytes()
}

// connectorKey is the short key of a connector; some answers give the URL of its registry entry instead (S3-2d).
func connectorKey(o object) string {
	key := o.text("connector_key", "connector_id")
	if key == "" {
		if source := o.object("source"); source.text("kind") == "" || source.text("kind") == "connector" {
			key = source.text("id", "connector_key")
		}
	}
	if strings.Contains(key, "://") {
		key = strings.TrimRight(key, "/")
		key = key[strings.LastIndexByte(key, '/')+1:]
	}
	return key
}

// connectionID is a record's or hit's connection; the older name is understood, never written.
func connectionID(o object) string { return o.text("connection_id", "connector_instance_id") }
