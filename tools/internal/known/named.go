package known

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Named returns which of some names have the most of some words, as indexes, and these words. The suffix of a stream that extends another,
// such as trip_rest of trip, is not a word of its name.
func Named(names, words []string) (had []string, at []int) {
	most := 1
	for i, name := range names {
		if whole := strings.TrimSuffix(strings.TrimSuffix(name, "_rest"), "_around"); slices.Contains(names, whole) {
			name = whole
		}
		known := written.WordsOf(name)
		own := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !written.WordsOf(word).Name(known) })
		if len(own) > most {
			had, at, most = nil, nil, len(own)
		}
		if len(own) == most {
			had, at = append(had, own...), append(at, i)
		}
	}
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !slices.Contains(had, word) }), at
}

// NamedStreams returns the sources whose stream has the most of some words in its name, and these words.
func NamedStreams(sources []Source, words []string) (had []string, of []Source) {
	names := make([]string, len(sources))
	for i, source := range sources {
		names[i] = source.Stream
	}
	had, at := Named(names, words)
	for _, i := range at {
		of = append(of, sources[i])
	}
	return had, of
}

// SourceCalled returns the first source, among those for which may is true, of the stream that the first of some words names, and the
// other words; false if no word names one.
func SourceCalled(sources []Source, words []string, may func(Source) bool) (source Source, others []string, ok bool) {
	for _, word := range words { // "the order from Thread and Needle" is an order
		for _, source := range sources {
			calls := func(word string) bool { return fields.Calls(word, source.Stream) }
			if may(source) && calls(word) {
				return source, slices.DeleteFunc(slices.Clone(words), calls), true
			}
		}
	}
	return source, nil, false
}

// NamedConnections returns the connections of some sources whose names have the most of some words, and these words; no connections if all
// have them.
func NamedConnections(sources []Source, words []string) (had []string, of []rs.Connection) {
	var all []rs.Connection
	var names []string
	for _, source := range sources {
		if !slices.ContainsFunc(all, func(other rs.Connection) bool { return other.ID == source.Connection.ID }) {
			all, names = append(all, source.Connection), append(names, source.Connection.DisplayName)
		}
	}
	had, at := Named(names, words)
	for i := 0; i < len(at) && len(at) < len(all); i++ {
		of = append(of, all[at[i]])
	}
	return had, of
}

// NamedField returns the field of some streams, or of all if none is named, whose name has the most of some words, with these words and the
// rows that have the field; "" for none. It ignores fields with ids.
func NamedField(document *rs.Schema, streams, words []string) (had []string, name string, rows []*rs.SchemaStream) {
	var names []string
	of := map[string][]*rs.SchemaStream{}
	for i := range document.Streams {
		row := &document.Streams[i]
		for _, field := range row.Fields() {
			isID := strings.HasSuffix(written.Snake(field.Name), "id")
			if isID || !field.Granted || len(streams) > 0 && !slices.Contains(streams, row.Name) {
				continue
			}
			if of[field.Name] == nil {
				names = append(names, field.Name)
			}
			of[field.Name] = append(of[field.Name], row)
		}
	}
	_, at := Named(names, words)
	if len(at) == 0 {
		return nil, "", nil
	}
	had, _ = Named(names[at[0]:at[0]+1], words) // another name may have others
	return had, names[at[0]], of[names[at[0]]]
}

// Conditions returns the filter that conditions mean in a stream; nil if the stream lacks one of the fields, or cannot filter it so.
func Conditions(row *rs.SchemaStream, found []written.FieldForm) (conditions rs.Object) {
	own := row.Fields()
	for _, c := range found {
		at := slices.IndexFunc(own, func(f rs.SchemaField) bool {
			filters := f.Exact
			if c.Operator != "" {
				filters = slices.Contains(f.Ranges, c.Operator)
			}
			return f.Granted && filters && strings.EqualFold(f.Name, c.Name)
		})
		if at < 0 {
			return nil
		}
		name, value := own[at].Name, rs.EncodeJSON(c.Value)
		if kind := own[at].Type; kind != "string" && kind != "text" && json.Valid([]byte(c.Value)) {
			value = c.Value
		}
		if c.Operator != "" {
			value = conditions.Object(name).With(c.Operator, value).JSON() // it may have the other bound
		}
		conditions = conditions.With(name, value)
	}
	return conditions
}

// ValuesOf returns the call for the numbers of a field by month or in total, or for its values, within the time of bounds. args are those
// of its stream.
func ValuesOf(row *rs.SchemaStream, name string, args, bounds rs.Object) (tool string, _ rs.Object) {
	if len(row.Connections) == 1 && !args.Has("connection_id") { // other connections may lack the field
		args = append(args, rs.NewMember("connection_id", row.Connections[0].ID))
	}
	metric, time := "", ""
	for _, field := range row.Fields() {
		if field.Name == name && slices.Contains(field.Aggregates, "sum") && !written.IsLevel(name) {
			if metric = "sum"; averaged().MatchString(written.Snake(name)) {
				metric = "avg"
			}
		}
		if field.Role == "event-time" && slices.Contains(field.Aggregates, "group_by_time") {
			time = field.Name
		}
	}
	if where := (Source{Time: time}).Within(nil, bounds); time != "" && len(where) > 0 {
		args = append(args, rs.Member{Name: "filter", Value: where.JSON()})
	}
	if metric == "" {
		names := slices.DeleteFunc([]string{time, name}, func(name string) bool { return name == "" })
		return "query_records", append(args, rs.NewMember("fields", slices.Compact(names)))
	}
	args = append(args, rs.NewMember("metric", metric), rs.NewMember("field", name))
	if time != "" {
		args = append(args, rs.NewMember("group_by_time", time), rs.NewMember("granularity", "month"))
	}
	return "aggregate", args
}

// averaged matches the name of a number whose sum means nothing. The short words must be whole words: a duration is not a ratio, and a
// postage is not an age.
var averaged = written.Expression(`avg|average|score|percent|level|temperature|weight|height|bpm|pace|speed|(?:rate|ratio|mean)s?(?:_|$)|(?:^|_)age$`)

// ListedFields returns the first fields that may have a closed list of values, at most most: strings that can be filtered and grouped
// by. searched selects those that a search reads, such as a category in a file, else it selects the others.
func ListedFields(all []rs.SchemaField, searched bool, most int) (names []string) {
	for _, f := range all {
		closed := f.Granted && f.Exact && slices.Contains(f.Aggregates, "group_by") && strings.Contains(f.Type, "string") &&
			f.Lexical == searched && (!searched || f.Role == "")
		if closed && f.Name != "id" && !strings.HasSuffix(f.Name, "_id") && !slices.Contains(names, f.Name) && len(names) < most {
			names = append(names, f.Name)
		}
	}
	return names
}

// TimedParent returns the first stream with a time whose relation has one of some streams as parts, with its field of the time and the name
// of the relation; the stream is "" if there is none.
func TimedParent(schema *rs.Schema, parts []string) (stream, time, relation string) {
	for i := range schema.Streams {
		row := &schema.Streams[i]
		own := row.Fields()
		at := slices.IndexFunc(own, func(f rs.SchemaField) bool { return f.Granted && f.Role == "event-time" })
		for _, part := range row.Relations() {
			if at >= 0 && slices.Contains(parts, part.Target) {
				return row.Name, own[at].Name, part.Name
			}
		}
	}
	return "", "", ""
}
