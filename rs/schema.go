package rs

import (
	"strings"
)

// A Schema is a schema document: which streams a grant covers, and what calls they support. It keeps the text next to the parsed parts,
// because renderers show it as sent.
type Schema struct {
	Members    Object // the members of the document
	Raw        string // its text
	Connectors []schemaConnector
	Streams    []SchemaStream // those of connectors first, then those outside of them

	shape
}

// A schemaConnector is one connector of a schema document.
type schemaConnector struct {
	Members     Object
	Key         string
	Connections []Connection
}

// A SchemaStream is one stream of one connector in a schema document.
type SchemaStream struct {
	Members      Object
	Raw          string
	Connector    int // its index in Schema.Connectors; -1 for a stream outside of them
	ConnectorKey string
	Name         string
	Connections  []Connection // its own, or else its connector's
}

// readSchema reads a schema document from valid JSON, with or without a {"data":…} wrapper (D5). A part whose type differs from the
// contract counts as absent; [Schema.Check] reports it.
func readSchema(body string) *Schema {
	s := &Schema{}
	s.Members, s.Raw = s.document(body)
	for i, raw := range s.array(s.Members.Get("connectors")) {
		c := schemaConnector{Members: s.object(raw)}
		s.text(c.Members, "connector_key")
		c.Key = ConnectorKey(c.Members)
		c.Connections = s.connections(c.Members, c.Key)
		s.Connectors = append(s.Connectors, c)
		for _, raw := range s.array(c.Members.Get("streams")) {
			s.add(raw, i, c)
		}
	}
	for _, raw := range s.array(s.Members.Get("streams")) {
		s.add(raw, -1, schemaConnector{})
	}
	return s
}

// document returns the members of a document, nil if it is not an object, and its text, both without a {"data":…} wrapper.
func (s *shape) document(body string) (Object, string) {
	o := AsObject(body)
	s.malformed = o == nil
	if inner := o.Object("data"); inner != nil && !o.Has("connectors") && !o.Has("streams") {
		return inner, o.Get("data")
	}
	return o, body
}

// add adds a stream. Its key is its connector's, or else its own; its connections are its own, or else its connector's.
func (s *Schema) add(raw string, at int, connector schemaConnector) {
	o := s.object(raw)
	r := SchemaStream{Members: o, Raw: raw, Connector: at, ConnectorKey: connector.Key, Name: s.text(o, "name", "stream")}
	if r.ConnectorKey == "" {
		s.text(o, "connector_key")
		r.ConnectorKey = ConnectorKey(o)
	}
	if r.Connections = s.connections(o, r.ConnectorKey); len(r.Connections) == 0 {
		r.Connections = connector.Connections
	}
	s.Streams = append(s.Streams, r)
}

// GrantID returns the id of the grant that the document was read under, or "".
func (s *Schema) GrantID() string { return s.Members.Object("bearer").JSONString("grant_id") }

// Expands reports whether the stream advertises at least one relation to expand.
func (r *SchemaStream) Expands() bool {
	return len(r.Members.Array("expand_capabilities"))+len(r.Members.Object("expand_capabilities")) > 0
}

// A Relation is a relation of a stream that can be expanded.
type Relation struct {
	Name, Cardinality, Target string
	ForeignKey                string // the field of the target that has the ids of this stream; "" when the document does not say
	DefaultLimit, MaxLimit    *int   // nil if the document has none
}

// Relations returns the relations that can be expanded under this grant.
func (r *SchemaStream) Relations() []Relation {
	var list []Relation
	for _, raw := range r.Members.Array("expand_capabilities") {
		o := AsObject(raw)
		relation := Relation{Name: o.Text("name"), Cardinality: o.Text("cardinality"), Target: o.Text("target_stream", "stream"), ForeignKey: o.Text("foreign_key", "child_parent_key_field")}
		if relation.Name == "" || o.Denied("granted") || o.Denied("usable") {
			continue
		}
		if n, ok := o.Number("default_limit"); ok {
			relation.DefaultLimit = &n
		}
		if n, ok := o.Number("max_limit"); ok {
			relation.MaxLimit = &n
		}
		list = append(list, relation)
	}
	return list
}

// connections returns the connections that a stream or a connector names.
func (s *shape) connections(o Object, key string) []Connection {
	var list []Connection
	for _, raw := range s.array(o.Get("granted_connections")) {
		granted := s.object(raw)
		c := Connection{GrantID: s.text(granted, "grant_id"), ConnectorKey: key, ID: s.text(granted, connectionNames...), DisplayName: s.text(granted, "display_name")}
		if c.ID != "" {
			list = append(list, c)
		}
	}
	if id := s.text(o, connectionNames...); id != "" && len(list) == 0 {
		list = append(list, Connection{ConnectorKey: key, ID: id, DisplayName: s.text(o, "display_name")})
	}
	return list
}

// connectionNames are the names of a connection's id. The second is an older name, which is read and never written.
var connectionNames = []string{"connection_id", "connector_instance_id"}

// ConnectionID returns the id of the connection of a record, hit or stream, or "".
func ConnectionID(o Object) string { return o.Text(connectionNames...) }

// ConnectorKey returns the short key of a connector: the last segment where an answer has the URL of its registry entry (S3-2d).
func ConnectorKey(o Object) string {
	key := o.Text("connector_key", "connector_id")
	if key == "" {
		if source := o.Object("source"); source != nil && (source.Text("kind") == "" || source.Text("kind") == "connector") {
			key = source.Text("id", "connector_key")
		}
	}
	if strings.Contains(key, "://") {
		key = strings.TrimRight(key, "/")
		key = key[strings.LastIndexByte(key, '/')+1:]
	}
	return key
}

// A shape reads values of the types that the contract promises. A value of another type counts as absent and is recorded as malformed, so
// that callers check once at the end.
type shape struct{ malformed bool }

// Check returns "invalid_response" if a part of the document does not have the shape of the contract.
func (s *shape) Check() error {
	if !s.malformed {
		return nil
	}
	return &Error{
		Code: "invalid_response", Message: "The resource server's schema document does not have the shape that the contract promises.",
		Hint: "Retry once; if it persists, tell the operator of the resource server.",
	}
}

func (s *shape) is(raw, kind string) bool {
	switch Kind(raw) {
	case kind:
		return true
	case "null", "nothing":
	default:
		s.malformed = true
	}
	return false
}

// text returns the text of the first of the names that has one. A number is recorded as malformed, but read as text.
func (s *shape) text(o Object, names ...string) string {
	for _, name := range names {
		s.is(o.Get(name), "string")
	}
	return o.Text(names...)
}

func (s *shape) boolean(o Object, name string, otherwise bool) bool {
	raw := o.Get(name)
	if !s.is(raw, "boolean") {
		return otherwise
	}
	return raw == "true"
}

func (s *shape) object(raw string) Object {
	if !s.is(raw, "object") {
		return nil
	}
	return AsObject(raw)
}

func (s *shape) array(raw string) []string {
	if !s.is(raw, "array") {
		return nil
	}
	list, _ := AsArray(raw)
	return list
}
