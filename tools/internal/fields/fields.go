// Package fields knows the fields and relations of a stream, and which of them a name may mean.
package fields

import (
	"maps"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A Stream has the fields and relations with which the names in a call are compared.
type Stream struct {
	Name      string
	Fields    []rs.SchemaField
	Relations []rs.Relation
	Related   []Stream // the targets of the relations, if they were looked up
	Parent    *Parent  // nil if there is none, or it was not looked up
	Keys      []string // the fields that have ids of records of other streams, if they were looked up
	// Connection is the only one of several that has the fields of a call; "" if there is none.
	Connection string
	near       map[string][]string // the fields similar to a name, for the names that have been compared
}

// A Parent is a stream with a time whose records have those of another stream as a relation, as mails have attachments.
type Parent struct {
	Stream
	Relation string
}

// readParent reads the parent of a stream of a connection from a schema document of all streams; nil if there is none.
func readParent(all *rs.Schema, stream, connection string) *Parent {
	for _, row := range all.Streams {
		relations := row.Relations()
		at := slices.IndexFunc(relations, func(r rs.Relation) bool { return r.Target == stream })
		inConnection := connection == "" || slices.ContainsFunc(row.Connections, func(c rs.Connection) bool { return c.ID == connection })
		if at < 0 || !inConnection || row.Name == stream {
			continue
		}
		if own := Read(row.Name, &rs.Schema{Streams: []rs.SchemaStream{row}}); own.Time() != "" {
			return &Parent{own, relations[at].Name}
		}
	}
	return nil
}

// Read reads a stream from a schema document. A field of several connections is listed once.
func Read(name string, s *rs.Schema) Stream {
	stream := Stream{Name: name, near: map[string][]string{}}
	fields, relations := map[string]bool{}, map[string]bool{} // a schema may have thousands
	for _, row := range s.Streams {
		if row.Name != name {
			continue
		}
		for _, f := range granted(row) {
			if !fields[f.Name] {
				fields[f.Name] = true
				stream.Fields = append(stream.Fields, f)
			}
		}
		for _, r := range row.Relations() {
			if !relations[r.Name] {
				relations[r.Name] = true
				stream.Relations = append(stream.Relations, r)
			}
		}
	}
	return stream
}

// ReadHaving reads a stream under only those of its connections that have every field of a call that any connection has. If no connection
// has all of these, it reads the stream under all connections.
func ReadHaving(name string, s *rs.Schema, args rs.Object) Stream {
	names := named(args)
	homes, known := homesOf(s, name, names)
	var rows []rs.SchemaStream
	var connection string
	for _, h := range homes {
		if len(h.has) >= len(known) {
			rows, connection = append(rows, h.row), h.ID
		}
	}
	if len(homes) < 2 || len(rows) == 0 {
		return Read(name, s)
	}
	stream := Read(name, &rs.Schema{Streams: rows})
	if len(names) > 0 && len(rows) == 1 {
		stream.Connection = connection
	}
	return stream
}

// granted returns the fields of a stream that are granted.
func granted(row rs.SchemaStream) []rs.SchemaField {
	return slices.DeleteFunc(row.Fields(), func(f rs.SchemaField) bool { return !f.Granted })
}

// RelationNames returns the names by which a call expands relations.
func (s Stream) RelationNames() (names []string) {
	for _, r := range s.Relations {
		names = append(names, r.Name)
	}
	return names
}

// Time returns the one field that has the time of a record; "" if there is none, or several.
func (s Stream) Time() string { return only(s.Times()) }

// Times returns the fields that have the time of a record. There are several if connections name it differently.
func (s Stream) Times() []string { return s.namesOf(isEventTime) }

// namesOf returns the names of the fields that a use accepts.
func (s Stream) namesOf(u Use) (names []string) {
	for _, f := range s.Fields {
		if u(f) {
			names = append(names, f.Name)
		}
	}
	return names
}

// only returns the one name of a list; "" for none or several.
func only(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return ""
}

// Field returns the field with a name; nil if the stream has none.
func (s Stream) Field(name string) *rs.SchemaField {
	at := slices.IndexFunc(s.Fields, func(f rs.SchemaField) bool { return f.Name == name })
	if at < 0 {
		return nil
	}
	return &s.Fields[at]
}

// IsNumber reports whether the stream has a field with a name, and it is a number.
func (s Stream) IsNumber(name string) bool {
	f := s.Field(name)
	return f != nil && isNumberField(*f)
}

func isNumberField(f rs.SchemaField) bool { return f.Type == "number" || f.Type == "integer" }

func isEventTime(f rs.SchemaField) bool { return f.Role == "event-time" }

// IsTime reports whether a field is a time or a date.
func IsTime(f rs.SchemaField) bool {
	return isEventTime(f) || strings.Contains(f.Type, "time") || strings.Contains(f.Type, "date")
}

// Split returns the names in a list of JSON texts, each by itself, also if one text has several fields, such as "{ id total }" of GraphQL.
func (s Stream) Split(list []string) (names []string) {
	for _, raw := range list {
		name, _ := written.Text(raw)
		parts := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(" ,;|{}\n", r) })
		if len(parts) > 1 && s.Field(parts[0]) != nil {
			names = append(names, parts...)
		} else {
			names = append(names, name)
		}
	}
	return names
}

// HasParts reports whether a field may have fields within.
func HasParts(f rs.SchemaField) bool {
	return f.Type == "" || strings.Contains(f.Type, "object") || strings.Contains(f.Type, "array")
}

// isAddress reports whether a field is an email address.
func isAddress(f rs.SchemaField) bool {
	name := strings.ReplaceAll(written.Snake(f.Name), "e_mail", "email")
	return strings.Contains(name, "email") || strings.HasSuffix(name, "mail_address")
}

// IsSenderAddress reports whether a field is the email address of the sender or author of a record.
func IsSenderAddress(f rs.SchemaField) bool { return isAddress(f) && ofSender().MatchString(f.Name) }

// A Use reports whether a field suits an argument; a nil Use accepts any field.
type Use func(rs.SchemaField) bool

// Aggregates returns the Use for fields with a kind of aggregate; an average is made of a sum and a count.
func Aggregates(kind string) Use {
	return func(f rs.SchemaField) bool {
		return slices.Contains(f.Aggregates, kind) || kind == "avg" && slices.Contains(f.Aggregates, "sum")
	}
}

// Filters reports whether a filter may name a field.
func Filters(f rs.SchemaField) bool { return f.Exact || len(f.Ranges) > 0 }

// Suited returns the names of the fields for a use. If the schema does not say of any field what it can do, that is all fields.
func (s Stream) Suited(u Use) []string { return s.namesOf(s.suits(u)) }

func (s Stream) suits(u Use) Use {
	silent := !slices.ContainsFunc(s.Fields, func(f rs.SchemaField) bool { return Filters(f) || len(f.Aggregates) > 0 })
	return func(f rs.SchemaField) bool { return silent || u == nil || u(f) }
}

// Bodies has words for the main text of a record.
var Bodies = lexicon.Of("field-body")

// roles maps words for what a field is to the roles, types and names that mark such a field in a schema, the likeliest first.
var roles = []struct {
	words map[string]bool
	is    []Use
}{
	{lexicon.Of("field-time"), []Use{isEventTime}},
	{lexicon.Of("field-sender"), []Use{func(f rs.SchemaField) bool { return f.Role == "actor" }, IsSenderAddress}},
	{lexicon.Of("field-recipient"), []Use{called("to", "recipients", "recipient", "to_email", "to_name")}},
	{lexicon.Of("field-copy"), []Use{called("cc")}},
	{lexicon.Of("field-title"), []Use{func(f rs.SchemaField) bool { return f.Role == "primary-title" }}},
	{lexicon.Of("field-amount"), []Use{func(f rs.SchemaField) bool {
		return (f.Type == "number" || slices.Contains(f.Aggregates, "sum")) && !written.IsPartOfAmount(f.Name)
	}}},
	{Bodies, []Use{
		func(f rs.SchemaField) bool { return Bodies[f.Name] }, func(f rs.SchemaField) bool { return f.Role == "secondary" },
		func(f rs.SchemaField) bool { return f.Type == "text" },
	}},
}

var ofSender = written.Expression(`(?i)from|sender|author|organi[sz]er`)

// called returns the Use for fields with one of some names, in any case.
func called(names ...string) Use {
	return func(f rs.SchemaField) bool { return slices.Contains(names, strings.ToLower(f.Name)) }
}

// Names returns the names of the fields and, if a filter has a name that is similar to none of these, the words of [roles], such as the
// amount in min_amount.
func (s Stream) Names(filter rs.Object) []string {
	known := s.Suited(nil)
	if !slices.ContainsFunc(filter, func(m rs.Member) bool { return s.LacksField(m.Name) }) {
		return known
	}
	for _, role := range roles {
		known = append(known, slices.Collect(maps.Keys(role.words))...)
	}
	return known
}

// Spelled returns the field whose name has the same letters and digits as another name, such as Amount__EUR for "Amount (EUR)"; "" if there
// is none, or several.
func (s Stream) Spelled(name string) string {
	letters := written.Letters(name)
	return only(s.namesOf(func(f rs.SchemaField) bool { return letters != "" && written.Letters(f.Name) == letters }))
}

// Bounds of the names of a call that are compared with all fields, of these comparisons in total, and of the fields kept for one name.
const maxCompared, maxComparisons, maxAlike = 12, 60_000, 64

// alike returns the fields whose names are similar to a name, the likeliest first; none for a name beyond the bounds.
func (s Stream) alike(name string) []string {
	found, ok := s.near[name]
	if !ok && len(s.near) < maxCompared && len(s.near)*len(s.Fields) < maxComparisons {
		found = written.Nearest(name, s.Suited(nil), maxAlike)
		if at := strings.LastIndexByte(name, '.'); at > 0 { // order.status is not order_id
			found = slices.DeleteFunc(found, func(field string) bool {
				return !written.WordsOf(name[at+1:]).Name(written.WordsOf(field)) && written.Snake(name[:at]) != written.Snake(field)
			})
		}
		if of, named := strings.CutSuffix(written.Snake(name), "_name"); named && s.Field(of+"_id") != nil { // and not another name
			found = []string{of + "_id"}
		}
		if s.near != nil {
			s.near[name] = found
		}
	}
	return found
}

// Near returns the fields for a use that a name may mean, the likeliest first, at most three.
func (s Stream) Near(name string, u Use) []string {
	for _, prefix := range []string{"data.", "record.", s.Name + ".", "fields."} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && slices.Contains(s.Suited(u), rest) {
			return []string{rest}
		}
	}
	suits, plain := s.suits(u), written.Snake(name)
	can := func(f rs.SchemaField) bool { return suits(f) && !excludes(name, f) }
	found := slices.DeleteFunc(slices.Clone(s.alike(name)), func(field string) bool { return !can(*s.Field(field)) })
	own := strings.TrimPrefix(plain, strings.TrimSuffix(s.Name, "s")+"_") // value for order_value
	own = party().ReplaceAllString(own, "$1")                             // recipient for recipient_email
	for _, role := range roles {
		if !role.words[plain] && !role.words[own] {
			continue
		}
		for _, is := range role.is {
			for _, f := range s.Fields {
				if is(f) && can(f) && !slices.Contains(found, f.Name) {
					found = append(found, f.Name)
				}
			}
		}
	}
	return found[:min(len(found), 3)]
}

// ReadRelated reads the related streams from a schema document of all streams of a connection.
func (s *Stream) ReadRelated(all *rs.Schema, connection string) {
	s.Parent = readParent(all, s.Name, connection)
	read := byName(all)
	for _, r := range s.Relations {
		s.Related = append(s.Related, read(r.Target))
	}
	for _, row := range all.Streams {
		for _, r := range row.Relations() {
			if r.Target == s.Name && r.ForeignKey != "" && row.Name != s.Name {
				s.Keys = append(s.Keys, r.ForeignKey)
			}
		}
	}
}

// RelationIn returns the index of the relation before the dot of a name, such as message_bodies.body_text, and the name after the dot; -1
// if there is no such relation.
func (s Stream) RelationIn(name string) (relation int, field string) {
	before, field, dotted := strings.Cut(strings.TrimPrefix(name, s.Name+"."), ".")
	if dotted && s.Field(name) == nil {
		return slices.Index(s.RelationNames(), written.NearestOne(before, s.RelationNames())), field
	}
	return -1, field
}

// LacksField reports whether the stream has no field with a name or a similar one.
func (s Stream) LacksField(name string) bool {
	relation, _ := s.RelationIn(name)
	own := strings.TrimPrefix(name, s.Name+".")
	return relation >= 0 || s.Field(own) == nil && len(s.alike(own)) == 0
}

// Misses reports whether a call names a field that may be in a stream related to this one.
func (s Stream) Misses(args rs.Object) bool {
	names, filter := named(args), args.Object("filter")
	if slices.ContainsFunc(filter[:min(len(filter), maxCompared)], s.NamesID) {
		return true
	}
	return (len(s.Relations) > 0 || !slices.ContainsFunc(s.Fields, IsTime)) && slices.ContainsFunc(names[:min(len(names), maxCompared)], func(name string) bool {
		return s.LacksField(name) || Bodies[name] && s.Field(name) == nil // even if a field is similar
	})
}
