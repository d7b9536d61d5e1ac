package middleware

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
)

// located returns the arguments with the handle of the one record whose own id they have alone. Where several records have it, the error
// names them; where none has, it says so. A package is asked nothing (S0-8a).
func (c *correcting) located(ctx context.Context) (rs.Object, bool) {
	id, ok := c.tool.OwnID(c.args)
	refused := c.refused.Code == rs.InvalidID || c.refused.Code == rs.NotFound || sourceCodes[c.refused.Code]
	if !ok || !refused || granted(ctx).OneConnection {
		return nil, false
	}
	if plain, err := url.PathUnescape(id); err == nil && strings.Contains(id, "%2F") { // as a table shows it
		id = plain
	}
	_, connection := correct.Touches(c.args)
	sources := slices.DeleteFunc(slices.Clone(c.sources(ctx).Sources), func(s rs.GrantedStream) bool {
		return connection != "" && s.Connection.ID != connection
	})
	refs, ok := tools.Holding(ctx, c.call.RS, sources, id, c.tool.FieldsOf(c.args))
	if !ok || len(sources) == 0 {
		return nil, false
	}
	if len(refs) == 1 {
		return correct.Identified(c.args, refs[0]), true
	}
	e := *c.refused
	e.Code, e.Param = rs.InvalidID, "id"
	e.Message = fmt.Sprintf("%s is no handle, and of the streams that were looked in, %d, none has a record of that id.", correct.Quoted(id), len(sources))
	e.Hint, e.Send = "Search finds records by their words.", correct.Call{Tool: "search", Arguments: rs.Object{{Name: "q", Value: rs.EncodeJSON(id)}}}.String()
	if len(refs) > 0 {
		handles := make([]string, len(refs))
		for i, ref := range refs {
			handles[i] = ref.String()
		}
		e.Message = fmt.Sprintf("%s is the own id of %d records: %s.", correct.Quoted(id), len(refs), strings.Join(handles, ", "))
		e.Hint, e.Send = "Send the one that is meant; the call below reads the first.", c.with(correct.Identified(c.args, refs[0]))
	}
	c.refused, c.certain = &e, true
	return nil, false
}
