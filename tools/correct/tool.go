// Package correct mends the wrong arguments of a call. Its functions are pure and read nothing. A certain correction is applied
// ([Tool.Canonical]). A likely one is only proposed, as a call that is ready to send: from the arguments alone ([Tool.Guess]), from the
// grant ([Grant.Missing]), or from the schema of a stream ([Tool.Unknown]).
//
// Most files use only the files of their own line and of the lines above:
//
//	tool                      tools and calls; helpers that read and change arguments; sentences that several errors share
//	value, record_id, time    one kind of argument each, in the form that the tools take
//	filter, search            calls of another tool or argument; conditions; queries with operators
//	canonical                 certain corrections
//	aggregate                 the one metric, field and group of an aggregate
//	guess, hint               likely corrections that need no read, and hints about them
//	grant, missing            the streams and connections that are meant
//	correction                what is wrong in the fields of a call, and what to send instead
//	condition, unknown        the fields that are meant
package correct

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A Tool is a tool with its parameters, read from its listed input schema.
type Tool struct {
	Name       string
	parameters []parameter
	now        time.Time // see [Tool.At]
}

// At returns the tool at the time of a call, in the zone of the call: "today" is the day there. Without it, only times with their year are
// understood.
func (t Tool) At(now time.Time) Tool {
	t.now = now
	return t
}

// A parameter is one argument that a tool takes.
type parameter struct {
	Name        string
	Type        string   // string, integer, array or object
	Words       []string // the only values of a string; nil for any
	Least, Most int      // the bounds of an integer
}

// allows reports whether the parameter's list of values has a value. A parameter without a list allows any value.
func (p *parameter) allows(raw string) bool {
	word, _ := written.Text(raw)
	return p.Words == nil || slices.Contains(p.Words, word)
}

// ReadTool reads the input schema of a tool, one flat object (D22).
func ReadTool(name, input string) Tool {
	t := Tool{Name: name}
	for _, m := range rs.AsObject(input).Object("properties") {
		o := rs.AsObject(m.Value)
		p := parameter{Name: m.Name, Type: o.JSONString("type")}
		for _, word := range o.Array("enum") {
			text, _ := rs.AsText(word)
			p.Words = append(p.Words, text)
		}
		p.Least, _ = o.Number("minimum")
		p.Most, _ = o.Number("maximum")
		t.parameters = append(t.parameters, p)
	}
	return t
}

// parameter returns the parameter of a name, or nil. It is not inlined, which would make the program larger.
//
//go:noinline
func (t Tool) parameter(name string) *parameter {
	if i := slices.IndexFunc(t.parameters, func(p parameter) bool { return p.Name == name }); i >= 0 {
		return &t.parameters[i]
	}
	return nil
}

// Takes reports whether the tool has an argument of that name.
func (t Tool) Takes(name string) bool { return t.parameter(name) != nil }

// A Call is a call that is ready to send.
type Call struct {
	Tool      string
	Arguments rs.Object
}

// String returns the call as answers print it: query_records {"stream":"messages"}; "" for a call without a tool.
func (c Call) String() string {
	if c.Tool == "" {
		return ""
	}
	return c.Tool + " " + c.Arguments.JSON()
}

// ReadCall parses the output of [Call.String]. For "" it returns a call without a tool.
func ReadCall(s string) Call {
	tool, arguments, _ := strings.Cut(s, " ")
	return Call{tool, rs.AsObject(arguments)}
}

// Limits of arguments that are mended. The rules compare members with each other, so their time is quadratic in the size.
const (
	maxBytes     = 32 << 10
	maxCommas    = 500
	maxArguments = 60
)

// Mends reports whether arguments are small enough to be mended. raw is their JSON.
func Mends(raw json.RawMessage, args rs.Object) bool {
	return len(raw) <= maxBytes && bytes.Count(raw, []byte(",")) <= maxCommas && len(args) <= maxArguments
}

// Touches returns the streams and the connection that arguments name.
func Touches(args rs.Object) (streams []string, connection string) {
	connection, _ = written.Text(args.Get("connection_id"))
	if stream, ok := written.Text(args.Get("stream")); ok {
		streams = append(streams, stream)
	}
	for _, raw := range args.Array("streams") {
		stream, _ := written.Text(raw)
		streams = append(streams, stream)
	}
	if ref, err := rs.ParseRef(args.Text("id")); err == nil {
		streams, connection = append(streams, ref.Stream), cmp.Or(ref.ConnectionID, connection)
	}
	return streams, connection
}

// replaceNames replaces the streams and the connection in arguments. A name that is replaced by "" is removed.
func replaceNames(args rs.Object, streams map[string]string, connection string) rs.Object {
	_, before := Touches(args)
	if ref, err := rs.ParseRef(args.Text("id")); err == nil {
		ref.Stream = streams[ref.Stream]
		if ref.ConnectionID != "" || connection != before {
			ref.ConnectionID = connection
		}
		if ref.ConnectionID != "" || connection == "" {
			args = args.Without("connection_id")
		}
		return args.With("id", rs.EncodeJSON(ref.String()))
	}
	var kept []string
	for _, raw := range args.Array("streams") {
		stream, _ := written.Text(raw)
		kept = append(kept, streams[stream])
	}
	args = set(set(args, "stream", streams[args.Text("stream")]), "streams", distinct(kept))
	return set(args, "connection_id", connection)
}

// set returns the object with a member, or without it if the value is empty.
func set(o rs.Object, name string, value any) rs.Object {
	raw := rs.EncodeJSON(value)
	if raw == `""` || raw == "null" {
		return o.Without(name)
	}
	return o.With(name, raw)
}

// filtered returns the arguments with another filter, or without a filter if it has no condition.
func filtered(args, filter rs.Object) rs.Object {
	if args = args.Without("filter"); len(filter) > 0 {
		args = args.With("filter", filter.JSON())
	}
	return args
}

// filteredBy adds a part to the filter of a call. Both may be in any notation.
func filteredBy(args rs.Object, part string) rs.Object {
	if foreign.IsEmpty(args.Get("filter")) {
		return args.With("filter", part)
	}
	return args.With("filter", rs.JoinArray([]string{args.Get("filter"), part}))
}

// listing adds a name to the list in the argument param.
func listing(args rs.Object, param, name string) rs.Object {
	list, raw := args.Array(param), rs.EncodeJSON(name)
	if slices.Contains(list, raw) {
		return args
	}
	return args.With(param, rs.JoinArray(append(slices.Clone(list), raw)))
}

func members(o rs.Object, names ...string) (kept rs.Object) {
	return slices.DeleteFunc(slices.Clone(o), func(m rs.Member) bool { return !slices.Contains(names, m.Name) })
}

func onlyConnection(args rs.Object) rs.Object {
	if s, ok := written.Text(args.Get("connection_id")); ok && rs.UnsafeName(s) == "" {
		return rs.Object{rs.NewMember("connection_id", s)}
	}
	return nil
}

// instead returns a call of a tool on the streams and the connection of args, with the arguments own and those of args in names.
func instead(tool string, args, own rs.Object, names ...string) Call {
	streams := args.Array("streams")
	if stream := args.Get("stream"); stream != "" {
		streams, _ = rs.AsArray(list(stream))
	}
	switch {
	case len(streams) == 0:
	case tool == "search":
		own = append(own, rs.Member{Name: "streams", Value: rs.JoinArray(streams)})
	default:
		own = append(rs.Object{{Name: "stream", Value: streams[0]}}, own...)
	}
	return Call{tool, own.WithAll(onlyConnection(args)).WithAll(members(args, names...))}
}

// LookUp returns the call that finds what is missing: the streams of the grant, the fields of one stream, or those of one record.
func (t Tool) LookUp(args rs.Object) Call {
	_, err := rs.ParseRef(args.Text("id"))
	look := rs.Object{}
	switch s := args.Text("stream"); {
	case t.Name == "read_record_field" && err == nil:
		return Call{"fetch", members(args, "id")}
	case t.Takes("id"):
		return Call{"schema", look}
	case s != "" && rs.UnsafeName(s) == "":
		look = rs.Object{rs.NewMember("stream", s)}
	}
	return Call{"schema", look.WithAll(onlyConnection(args))}
}

func list(raw string) string {
	s, lone := written.Text(raw)
	switch {
	case lone && strings.ContainsAny(s, ",["):
		if values := written.Names(s); len(values) > 0 {
			return rs.EncodeJSON(values)
		}
	case lone && s != "":
		return rs.EncodeJSON([]string{written.Unquoted(s)})
	}
	return raw
}

func soleItem(raw string) string {
	if list, ok := rs.AsArray(raw); ok && len(list) == 1 {
		return list[0]
	}
	return raw
}

// distinct returns the non-empty names of a list, each once.
func distinct(names []string) (once []string) {
	seen := map[string]bool{"": true} // a map, as there may be thousands of names
	for _, name := range names {
		if !seen[name] {
			seen[name] = true
			once = append(once, name)
		}
	}
	return once
}

func hasQueryOrBound(args rs.Object) bool {
	return args.Has("q") || args.Has("query") || args.Has("since") || args.Has("until")
}

func plan(args rs.Object) (foreign.Plan, bool) {
	return foreign.Read(args.Get("filter"), args.Text("stream"))
}

// maxShown is the most names that a sentence lists.
const maxShown = 12

// Overlapping warns of adding up the answers of calls that [CallForEach] asks for.
const Overlapping = "A record may be in several of them: count it once."

// CallForEach says that the proposed call is the first of several.
func CallForEach(calls int) string {
	return fmt.Sprintf("This needs a call for each of the %d; the one below is the first.", calls)
}

func listsValues(field string) string {
	return "No filter looks within a text: the call below lists the values of " + quote.Line(field) + "; send yours with each of those that have it."
}

// A Stream is the stream of a call, with its fields and relations.
type Stream = fields.Stream

// HavingAll returns the ids of the connections that have all fields and relations that a call names.
var HavingAll = fields.HavingAll

// ReadStream reads a stream from a schema document.
func ReadStream(name string, s *rs.Schema) Stream { return fields.Read(name, s) }
