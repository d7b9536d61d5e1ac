package rs

import (
	"strings"
	"unicode/utf8"
)

// A Response is a successful answer of the resource server; an error status is an [*Error] instead.
type Response struct {
	Status      int
	Body        string // compact JSON in UTF-8 without duplicate names, or the bytes of a blob
	ContentType string
	RequestID   string
	// Unavailable is how many connections the answer of a package names as unavailable; 0 for a complete answer.
	Unavailable int
	// Reads is how many members of a package were read for it; 0 if it is not of a package.
	Reads int

	object  Object         // cached by Object
	list    *List          // cached by List
	schema  *Schema        // cached by Schema
	streams []ListedStream // cached by ListedStreams
}

// ReadResponse checks and compacts a body of JSON. Bytes that are not UTF-8 become U+FFFD. If a name occurs twice, the last value wins, as
// in encoding/json, so that all readers of the answer see the same value. The error says that the body is not JSON, or is an [*Error] if it
// is nested too deep or has too many values.
func ReadResponse(body string) (*Response, error) {
	if !utf8.ValidString(body) {
		body = strings.ToValidUTF8(body, "\uFFFD")
	}
	read, err := scanJSON(body)
	if err != nil {
		return nil, err
	}
	switch {
	case !read.distinct:
		body = readDistinct(newDecoder(body))
	case !read.compact:
		body, err = Compact(body)
	}
	return &Response{Body: body}, err
}

// WithBody returns the response with another body.
func (r Response) WithBody(body string) *Response {
	r.Body, r.object, r.list, r.schema, r.streams = body, nil, nil, nil, nil
	return &r
}

// WithMembers returns the response with more members in its body, an object. They are beside the list of an answer, whose items are not
// read again.
func (r *Response) WithMembers(members Object) *Response {
	if len(members) == 0 {
		return r
	}
	with := *r
	with.object, with.schema, with.streams = r.Object().WithAll(members), nil, nil
	with.Body = with.object.JSON()
	if r.list != nil {
		list := r.list.within(with.Body, with.object)
		with.list = &list
	}
	return &with
}

// Object returns the members of an answer that is an object, nil for any other. The result is cached: not safe for concurrent use.
func (r *Response) Object() Object {
	if r.object == nil {
		r.object = AsObject(r.Body)
	}
	return r.object
}

// List reads the answer as a list; see [readList]. The result is cached: not safe for concurrent use.
func (r *Response) List() (List, bool) {
	if r.list == nil {
		l := readList(r.Body, r.Object())
		r.list = &l
	}
	return *r.list, r.list.Items != nil
}

// Schema reads the answer as a schema document; see [readSchema]. The result is cached: not safe for concurrent use.
func (r *Response) Schema() *Schema {
	if r.schema == nil {
		r.schema = readSchema(r.Body)
	}
	return r.schema
}

// Redacted returns the answer without the tokens in its request id, its content type and the bytes of a blob. It does not search a body of
// JSON: renderers search what they write of it.
func (r *Response) Redacted(redactor *Redactor, binary bool) *Response {
	if r == nil || !redactor.finds(r.RequestID) && !redactor.finds(r.ContentType) && (!binary || !redactor.finds(r.Body)) {
		return r
	}
	clean := *r
	clean.RequestID, clean.ContentType = redactor.Text(r.RequestID), redactor.Text(r.ContentType)
	if binary {
		clean.Body = redactor.Text(r.Body)
	}
	return &clean
}

// A ListedStream is a row of the list of streams: how many records a stream of a connection has, and how new they are.
type ListedStream struct {
	Name, Connection, Label, Connector string
	Records                            int    // -1 if unknown
	Updated                            string // the time of the newest record
	Status, SyncedAt                   string // how fresh the data are, and when they were synced; "" if unknown
}

// ReadListedStream reads a row of the list of streams.
func ReadListedStream(o Object) ListedStream {
	freshness := o.Object("freshness")
	s := ListedStream{
		Name: o.Text("name", "stream"), Connection: ConnectionID(o), Label: o.Text("display_name"), Connector: ConnectorKey(o),
		Records: -1, Updated: o.Text("last_updated"), Status: freshness.Text("status"),
	}
	// If the connector has not run, captured_at is the time of the newest record.
	captured := freshness.Text("captured_at")
	if freshness.Has("last_attempted_at") || s.Updated != "" && captured != s.Updated {
		s.SyncedAt = captured
	}
	if n, ok := o.Number("record_count"); ok && n >= 0 {
		s.Records = n
	}
	return s
}

// ListedStreams reads the answer as the list of streams; a nil answer has none. The result is cached: not safe for concurrent use.
func (r *Response) ListedStreams() []ListedStream {
	if r == nil {
		return nil
	}
	if list, _ := r.List(); r.streams == nil {
		r.streams = make([]ListedStream, len(list.Items))
		for i, item := range list.Items {
			r.streams[i] = ReadListedStream(item.Members)
		}
	}
	return r.streams
}
