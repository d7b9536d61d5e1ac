package correct

import (
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// byParent says that the records of a stream have no time of their own by which they are filtered or sorted, and which call reads them with
// those that they belong to, as attachments with their mails; nil where no time is meant, or nothing says when they are.
func byParent(s fields.Stream, args rs.Object) *rs.Error {
	if s.Parent == nil || s.Time() != "" {
		return nil
	}
	at := s.Parent.Time()
	isTime := func(name string) bool { return s.Field(name) == nil && written.IsTimeName(name) }
	var param string
	var filter rs.Object
	var left []string
	for _, m := range args.Object("filter") {
		if isTime(m.Name) {
			filter, param = append(filter, rs.Member{Name: at, Value: m.Value}), "filter"
		} else {
			left = append(left, m.Name)
		}
	}
	call := rs.Object{{Name: "stream", Value: rs.EncodeJSON(s.Parent.Name)}}.WithAll(members(args, "connection_id", "limit", "time_zone"))
	if has := s.Parent.Field("has_" + s.Parent.Relation); has != nil && has.Exact && has.Type == "boolean" {
		filter = append(filter, rs.Member{Name: has.Name, Value: "true"})
	}
	if len(filter) > 0 {
		call = call.With("filter", filter.JSON())
	}
	switch sort := args.Text("sort"); {
	case isTime(strings.TrimPrefix(sort, "-")):
		param = "sort"
		call = call.With("sort", rs.EncodeJSON(strings.TrimSuffix(sort, strings.TrimPrefix(sort, "-"))+at))
	case sort != "":
		left = append(left, "sort")
	}
	if param == "" {
		return nil
	}
	e := &rs.Error{
		Code: map[string]rs.Code{"filter": "unknown_field", "sort": "invalid_sort"}[param], Param: param,
		Message: s.Name + " has no field that says when its records are: their " + quote.Line(s.Parent.Name) + " have " + quote.Line(at) + ".",
		Hint:    "The call below reads those with their " + quote.Line(s.Parent.Relation) + ".",
		Send:    Call{"query_records", call.With("expand", rs.EncodeJSON([]string{s.Parent.Relation}))}.String(),
	}
	if len(left) > 0 {
		e.Hint += " It leaves out " + quote.Names(left, maxShown) + "."
	}
	return e
}
