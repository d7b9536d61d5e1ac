// Package correct has the rules by which arguments that are wrong are mended: pure functions, which read nothing. What is certain is
// taken ([Tool.Canonical]); what is likely is only proposed, as a call that is ready to send ([Tool.Guess], [Grant.Names]).
package correct

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A Tool is what is known of a tool's arguments: its listed input schema.
type Tool struct {
	Name       string
	parameters []parameter
}

// A parameter is one argument that a tool takes.
type parameter struct {
	Name        string
	Type        string   // string, integer, array or object
	Words       []string // the only values of a string; nil for any
	Least, Most int      // the bounds of an integer
}

// allows reports whether a value may be one of a parameter, as far as that has a list of them.
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

// parameter returns the parameter of a name, or nil.
func (t Tool) parameter(name string) *parameter {
	for i := range t.parameters {
		if t.parameters[i].Name == name {
			return &t.parameters[i]
		}
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

// String returns the call as answers print it: query_records {"stream":"messages"}.
func (c Call) String() string { return c.Tool + " " + c.Arguments.JSON() }

// instead is a call of another tool, or of this one, on the stream of arguments: with arguments of its own, and of these the connection and
// those of some names.
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

// only returns the one element of a list, or the value itself.
func only(raw string) string {
	if list, ok := rs.AsArray(raw); ok && len(list) == 1 {
		return list[0]
	}
	return raw
}

// renamed is the object with one member under another name, in its place; another member of that name is replaced.
func renamed(o rs.Object, from, to, value string) rs.Object {
	var changed rs.Object
	for _, m := range o {
		switch m.Name {
		case from:
			changed = append(changed, rs.Member{Name: to, Value: value})
		case to:
		default:
			changed = append(changed, m)
		}
	}
	return changed
}

// filtered is arguments with another filter; without one where it has no condition.
func filtered(args, filter rs.Object) rs.Object {
	if args = args.Without("filter"); len(filter) > 0 {
		args = args.With("filter", filter.JSON())
	}
	return args
}

// listed writes names as a JSON array.
func listed(names []string) string { return rs.EncodeJSON(names) }

// list is a list of names.
func list(raw string) string {
	s, lone := written.Text(raw)
	switch {
	case lone && strings.ContainsAny(s, ",["):
		if values := written.Names(s); len(values) > 0 {
			return listed(values)
		}
	case lone && s != "":
		return listed([]string{written.Unquoted(s)})
	}
	return raw
}

// Bounds of arguments that are mended: the rules compare members with each other, so their time grows with the square of both.
const (
	maxBytes     = 32 << 10
	maxCommas    = 500
	maxArguments = 60
)

// Arguments reads raw arguments; false for what is not one JSON object, has a name twice, or is longer than calls are.
func Arguments(raw json.RawMessage) (rs.Object, bool) {
	if len(raw) > maxBytes || bytes.Count(raw, []byte(",")) > maxCommas {
		return nil, false
	}
	args, err := written.Object(string(raw))
	return args, err == nil && len(args) <= maxArguments
}
