package known

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A Source is a stream of one connection, with the fields that its schema marks as the time, title, author and text of a record.
type Source struct {
	Stream                    string
	Connection                rs.Connection
	Time, Title, Author, Text string
	Payee                     string          // a field that says to whom was paid, whose values can be listed, such as merchant
	Kind                      filter.DateKind // of the field Time
	End                       string          // the field with the end of what starts at Time; "" for none
	Status                    string          // the field of that name, which says whether an event is cancelled; "" for none
	Parts, Children           []rs.Relation   // those to one record, such as the body of a message, and to several
	Unmarked                  []string        // the fields, if the schema says of none what it is or what it can do
}

// Untitled reports whether the schema marks no title, author or text.
func (s Source) Untitled() bool { return s.Title == "" && s.Author == "" && s.Text == "" }

// Whose returns the field with the author of a record, or else with whom was paid, or else with its title; "" for none.
func (s Source) Whose() string { return cmp.Or(s.Author, s.Payee, s.Title) }

// Fields returns the fields of its stream in its connection.
func (s Source) Fields(document *rs.Schema) []rs.SchemaField {
	return FieldsOf(document, rs.Scope{Stream: s.Stream, ConnectionID: s.Connection.ID})
}

func readSources(schema *rs.Schema) []Source {
	var all []Source
	rows, paid := fields.RowsByName(schema), map[string]string{} // many connections may have a stream of one name
	for i := range schema.Streams {
		stream := &schema.Streams[i]
		s := Source{Stream: stream.Name}
		own := Stream{fields: map[string]rs.SchemaField{}}
		for _, field := range stream.Fields() {
			own.fields[field.Name] = field
			if !field.Granted {
				continue
			}
			s.Unmarked = append(s.Unmarked, field.Name)
			if field.Name == "status" {
				s.Status = field.Name
			}
			if s.Payee == "" && IsPayee(field) {
				s.Payee = listable(field)
			}
			switch field.Role {
			case "event-time":
				s.Time, s.Kind = field.Name, kindOfDates(field)
			case "primary-title":
				s.Title = field.Name
			case "actor":
				s.Author = field.Name
			case "secondary":
				s.Text = field.Name
			}
		}
		if slices.ContainsFunc(stream.Fields(), isMarked) {
			s.Unmarked = nil
		}
		if _, known := paid[s.Stream]; !known {
			paid[s.Stream], _ = fields.Sides(&rs.Schema{Streams: rows[s.Stream]}, s.Stream)
		}
		if s.Payee == "" && (paid[s.Stream] != "" || slices.ContainsFunc(stream.Fields(), isSummedMoney)) { // a bank's statement says it in a text
			s.Payee = cmp.Or(listable(own.fields[s.Title]), listable(own.fields[s.Text]))
		}
		s.End = own.EndOf(s.Time)
		for _, relation := range stream.Relations() {
			if relation.Cardinality == "has_one" {
				s.Parts = append(s.Parts, relation)
			} else {
				s.Children = append(s.Children, relation)
			}
		}
		for _, s.Connection = range stream.Connections {
			all = append(all, s)
		}
	}
	return all
}

// listable returns the name of a field whose values can be listed and filtered by; "" for any other.
func listable(f rs.SchemaField) string {
	if f.Exact && slices.Contains(f.Aggregates, "group_by") {
		return f.Name
	}
	return ""
}

func isSummedMoney(f rs.SchemaField) bool {
	return f.Granted && fields.Aggregates("sum")(f) && written.IsMoneyName(f.Name) && !written.IsLevel(f.Name)
}

// isMarked reports whether a schema says of a field what it is or what it can do.
func isMarked(f rs.SchemaField) bool {
	return f.Role != "" || fields.Filters(f) || f.Lexical || len(f.Aggregates) > 0
}

// Unavailable returns the connections of a package that cannot be read: those with a grant of one of some streams, or of any if none is
// named, and those whose schema could not be read when the document was.
func Unavailable(p auth.Package, document *rs.Schema, streams []string) []rs.UnavailableConnection {
	all, unavailable := p.Unavailable(), p.Unavailable(streams...)
	for _, raw := range document.Members.Array("unavailable_connections") {
		var failed rs.UnavailableConnection
		isFailed := func(u rs.UnavailableConnection) bool { return u.ID == failed.ID }
		if json.Unmarshal([]byte(raw), &failed) == nil && !slices.ContainsFunc(all, isFailed) {
			unavailable = append(unavailable, failed)
		}
	}
	return unavailable
}

// PartsOf returns the streams, other than those given, that search reads and whose records are parts of records in those given, such as
// the bodies of messages.
func (s Stream) PartsOf(streams []string) (parts []string) {
	for _, source := range s.Sources {
		for _, part := range source.Parts {
			if slices.Contains(streams, source.Stream) && !slices.Contains(streams, part.Target) && !slices.Contains(parts, part.Target) &&
				s.isSearched(part.Target) {
				parts = append(parts, part.Target)
			}
		}
	}
	return parts
}

// IsPart reports whether the records of a stream are parts of records in some sources.
func IsPart(stream string, of []Source) bool {
	isPart := func(part rs.Relation) bool { return part.Target == stream }
	return slices.ContainsFunc(of, func(s Source) bool { return slices.ContainsFunc(s.Parts, isPart) })
}

// isSearched reports whether a search by words reads a field of a stream.
func (s Stream) isSearched(stream string) bool {
	isText := func(f rs.SchemaField) bool { return f.Granted && f.Lexical }
	return slices.ContainsFunc(FieldsOf(s.Document, rs.Scope{Stream: stream}), isText)
}

// A Whole is a record that a query names and to which others belong, as messages belong to a channel.
type Whole struct {
	Source
	Called     string    // its title
	Said       []string  // the words of the query for it
	OfItsParts rs.Member // the condition for the records that belong to it
}

// Belonging returns the record to which the records of a stream belong: a query has its title next to the word for its stream, as in the
// lantern channel, or after in or #, as in #lantern, if its titles are few. One read for each connection finds it. It returns none for any
// other query, and if there may be several such records.
func Belonging(ctx context.Context, d rs.Doer, all Stream, stream, query string) (found Whole) {
	words, within := relax.Words(query), "_"+written.Snake(withoutMarks.Replace(query))+"_"
	behind := place().FindStringSubmatch(within)
	for _, parent := range all.Sources {
		at := slices.IndexFunc(words, func(word string) bool { return fields.Calls(word, parent.Stream) })
		key := slices.IndexFunc(parent.Children, func(r rs.Relation) bool { return r.Target == stream && r.ForeignKey != "" })
		isPlace := func(f rs.SchemaField) bool {
			return f.Name == parent.Title && slices.Contains(f.Aggregates, "group_by")
		}
		if key < 0 || parent.Title == "" || at < 0 && (behind == nil || !slices.ContainsFunc(parent.Fields(all.Document), isPlace)) {
			continue
		}
		request := read.Request(parent.Connection.ID, "streams", parent.Stream, "records")
		read.Set(request.Query, "limit", rs.MaxLimit)
		response := read.Optional(ctx, d, request)
		if response == nil {
			continue
		}
		list, _ := response.List()
		for _, item := range list.Items {
			own, called := "_"+written.Snake(item.Data.Text(parent.Title))+"_", written.Snake(words[max(0, at)])
			isBeside := at >= 0 && (strings.Contains(within, own+called+"_") || strings.Contains(within, "_"+called+own))
			switch isBeside = isBeside || behind != nil && strings.HasPrefix(behind[1], own); {
			case own == "__" || !isBeside:
			case found.Called != "" || list.Envelope.Flag("has_more"):
				return Whole{}
			default:
				title, id := item.Data.Text(parent.Title), item.Members.Text("record_key", "record_id", "id")
				said := append(relax.Words(title), words[max(0, at):at+1]...)
				found = Whole{parent, title, said, rs.NewMember(parent.Children[key].ForeignKey, id)}
			}
		}
	}
	return found
}

// withoutMarks removes the signs of a sentence, and reads # as a place.
var withoutMarks = strings.NewReplacer("#", " in ", "?", " ", "!", " ", ",", " ", ";", " ", ":", " ")

// place matches what is behind a word such as in.
var place = written.Expression(`_` + lexicon.Pattern("before-place") + `(?:_` + lexicon.Pattern("before-place-title") + `)?(_.*)$`)

// ParentOf returns the stream whose ids a field of the scope's stream has: one with a relation to that stream by this foreign key.
func ParentOf(schema *rs.Schema, scope rs.Scope, field string) (parent string, found bool) {
	if schema == nil {
		return "", false
	}
	for i := range schema.Streams {
		stream := &schema.Streams[i]
		for _, relation := range stream.Relations() {
			if relation.Target == scope.Stream && relation.ForeignKey == field && HasConnection(stream, scope.ConnectionID) {
				return stream.Name, true
			}
		}
	}
	return "", false
}

// HasConnection reports whether a connection has a stream; "" is any connection.
func HasConnection(stream *rs.SchemaStream, id string) bool {
	return id == "" || slices.ContainsFunc(stream.Connections, func(c rs.Connection) bool { return c.ID == id })
}

// NoSources returns the error for a search of streams that the scope lacks or, if timeless is set, that do not say when their records are.
func NoSources(scope rs.Scope, timeless bool) *rs.Error {
	switch {
	case timeless:
		return rs.Invalid("since", "No stream of these says when its records are.", "Search without since and until, or in other streams.")
	case scope.ConnectionID != "":
		return &rs.Error{Code: "unknown_connection", Param: "connection_id", Message: "no such stream or connection in this grant."}
	}
	return &rs.Error{Code: "unknown_stream", Param: "streams", Message: "no stream of these in this grant."}
}

// HasAll reports whether a source has the fields of all conditions of a filter.
func (s Source) HasAll(filter rs.Object, document *rs.Schema) bool {
	own := s.Fields(document)
	return !slices.ContainsFunc(filter, func(condition rs.Member) bool {
		return !slices.ContainsFunc(own, func(f rs.SchemaField) bool { return f.Name == condition.Name })
	})
}

// IsPayee reports whether a field has whom something was paid to.
func IsPayee(f rs.SchemaField) bool { return f.Granted && payee().MatchString(written.Snake(f.Name)) }

var payee = written.Expression(lexicon.Pattern("payee"))

// Within returns a filter limited to the time between the bounds since and until of a search, if any.
func (s Source) Within(filter, bounds rs.Object) rs.Object {
	var within rs.Object
	for _, bound := range bounds {
		within = within.With(map[string]string{"since": "gte", "until": "lte"}[bound.Name], bound.Value)
	}
	if len(within) == 0 {
		return filter
	}
	return filter.With(s.Time, within.JSON())
}

// Planned returns the sources of some streams of a connection that may have records of what is to come: those with a start, or a day on
// which they are due. No streams and "" are any.
func Planned(sources []Source, streams []string, connection string) []Source {
	return slices.DeleteFunc(slices.Clone(sources), func(s Source) bool {
		name := strings.ToLower(s.Time)
		plans := s.End != "" || MayStart(name) || slices.ContainsFunc(dueNames, func(part string) bool { return strings.Contains(name, part) })
		return !plans || len(streams) > 0 && !slices.Contains(streams, s.Stream) || connection != "" && connection != s.Connection.ID
	})
}

var dueNames = lexicon.Phrases("due")
