// Package correct has the rules by which arguments that are wrong are mended: pure functions, which read nothing. What is certain is
// taken ([Tool.Canonical]); what is likely is only proposed, as a call that is ready to send: from the arguments alone ([Tool.Guess]),
// from what is granted ([Grant.Missing]), and from the schema of a stream ([Tool.Unknown]).
//
// Each file uses only those of the lines above its own:
//
//	words                      lists: the other names of arguments and of their values, and words for times
//	tool, arguments, sentence  a tool and a call; how arguments are read and changed; what errors say more than once
//	value, record_id, time     one kind of value each, in the form that the tools take
//	othertool, filter, search  calls that answer with another tool or argument; conditions; a query with operators
//	aggregate                  a number, and a statement of SQL, as other languages write them
//	canonical                  what is certain
//	guess, hint                what is likely without a read, and what is said of it
//	grant, missing             the streams and connections that are meant
//	correction                 what is found wrong with the fields of a call
//	condition, groups, unknown the fields that are meant
package correct

import (
	"slices"

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
