package correct

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
)

// A correction is a call under repair: what was wrong with it so far, and whether anything was found for it.
type correction struct {
	stream  fields.Stream
	args    rs.Object
	wrong   []string // sentences
	param   string
	code    rs.Code
	here    string     // where a field is missed that there may be elsewhere
	open    bool       // something is wrong for which there is no replacement
	related []string   // relations that have a field which the stream has not
	partly  bool       // not all of the fields that there are instead were named
	hint    string     // what the call that is sent instead does
	sought  *rs.Member // a condition on a field that search reads and no filter does
	grouped *rs.Member // a condition that the values of its field are listed for
}

// say notes what is wrong with an argument.
func (c *correction) say(code rs.Code, param, format string, values ...any) {
	if c.code == "" {
		c.code, c.param = code, param
	}
	c.wrong = append(c.wrong, fmt.Sprintf(format, values...))
}

// name returns a field for a name that is wrong in an argument; "" for none.
func (c *correction) name(param, name string, u fields.Use, what string) string {
	known := c.stream.Suited(u)
	top, _, _ := strings.Cut(name, ".")
	if slices.Contains(known, name) || slices.Contains(known, top) {
		return name
	}
	near := c.stream.Near(name, u)
	others := nearest(near, known)
	switch {
	case len(near) > 0 || what == "" && len(known) > 0:
	case len(known) == 0:
		if others = "No field of it can"; c.stream.Field(name) == nil {
			others += " " + what
		}
		if strings.HasPrefix(what, "take ") || what == "group" {
			c.hint = "metric count needs no field; query_records shows the values."
		}
	default:
		others = "Those that can: " + quote.Names(known, maxShown)
	}
	if c.stream.Field(name) != nil {
		c.say(rs.UnknownField, param, "field %s of %s cannot %s. %s.", quote.Text(name), c.stream.Name, what, others)
	} else {
		c.say(rs.UnknownField, param, "%s has no field %s%s. %s.", c.stream.Name, quote.Text(name), c.here, others)
	}
	if len(near) > 0 {
		return near[0]
	}
	c.open, c.partly = true, c.partly || len(known) > maxShown
	return ""
}

// nearest names what is near to a name, or all that is known.
func nearest(near, known []string) string {
	if len(near) > 0 {
		return "Nearest: " + quote.Names(near, 12)
	}
	return "It has: " + quote.Names(known, maxShown)
}
