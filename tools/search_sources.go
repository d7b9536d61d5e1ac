package tools

import (
	"net/url"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A source is a stream of one connection, with the fields by which its schema says when a record is, what it is called, whose it is and
// what it says.
type source struct {
	stream                    string
	connection                rs.Connection
	time, title, author, text string
	kind                      dateKind // of time
}

// readSources lists the sources of a schema.
func readSources(schema *rs.Schema) []source {
	var all []source
	for i := range schema.Streams {
		stream := &schema.Streams[i]
		s := source{stream: stream.Name}
		for _, field := range stream.Fields() {
			if !field.Granted {
				continue
			}
			switch field.Role {
			case "event-time":
				s.time, s.kind = field.Name, kindOfDates(field)
			case "primary-title":
				s.title = field.Name
			case "actor":
				s.author = field.Name
			case "secondary":
				s.text = field.Name
			}
		}
		for _, s.connection = range stream.Connections {
			all = append(all, s)
		}
	}
	return all
}

// request is the read of a source: a search where there are words, else a list of its records, newest first.
func (s source) request(r rs.Request, f filter, limit int) rs.Request {
	query := url.Values{}
	r.OneRound = true
	if q := r.Query.Get("q"); q != "" {
		query.Set("q", q)
		query["streams"] = []string{s.stream}
	} else {
		r.Path = rs.Path("streams", s.stream, "records")
		if f == nil {
			query.Set("order", "desc")
		} else {
			query.Set("sort", "-"+s.time)
		}
		for _, name := range []string{s.time, s.title, s.author, s.text} {
			if name != "" && !slices.Contains(query["fields"], name) {
				query.Add("fields", name)
			}
		}
	}
	setText(query, "connection_id", s.connection.ID)
	setNumber(query, "limit", limit)
	f.write(query)
	r.Query = query
	return r
}

// hit is a record as a search returns one.
func (s source) hit(record rs.Object) rs.Object {
	hit, data := rs.Object{{Name: "object", Value: `"search_result"`}}, record.Object("data")
	put := func(name, value string) {
		if value != "" {
			hit = append(hit, rs.Member{Name: name, Value: rs.EncodeJSON(value)})
		}
	}
	put("stream", s.stream)
	put("record_key", record.Text("id", "record_id"))
	put("connection_id", s.connection.ID)
	put("display_name", s.connection.DisplayName)
	put("connector_key", s.connection.ConnectorKey)
	put("emitted_at", record.Text("emitted_at"))
	put("authored_at", data.Text(s.time))
	put("title", data.Text(s.title))
	put("actor", data.Text(s.author))
	put("snippet", data.Text(s.text))
	return hit
}

// name is a source for people.
func (s source) name() string {
	if s.connection.DisplayName == "" {
		return s.stream
	}
	return s.stream + " of " + s.connection.DisplayName
}
