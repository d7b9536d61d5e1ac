package correct

import (
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

var statementForm = written.Expression(`(?is)^\s*(?:select\s+(distinct\s+)?(.+?)\s+from\s+["'\x60]?(\w+)["'\x60]?)?` +
	`\s*(?:\bwhere\b\s*)?(.*?)` +
	`(?:\s*\bgroup\s+by\s+([\w.]+))?(?:\s*\border\s+by\s+(.+?)(?:\s+(asc|desc))?)?(?:\s*\blimit\s+([0-9]+))?\s*;?\s*$`)

// statement takes a statement of SQL apart, or what follows the conditions of one: its filter stays a text. tool is the one that answers
// it. It is false where no argument is one.
func (t Tool) statement(args rs.Object) (tool string, apart rs.Object, ok bool) {
	for _, m := range args {
		s, _ := written.Text(m.Value)
		name := written.Snake(m.Name)
		holds := name == "filter" || name == "sql" || name == "statement" || slices.Contains(words, name)
		if !t.Takes("filter") || t.Takes("q") || !holds || len(s) > foreign.LongestText {
			continue
		}
		found := statementForm().FindStringSubmatch(s)
		if found == nil || found[2]+found[5]+found[6]+found[8] == "" {
			continue
		}
		apart = args.Without(m.Name)
		add := func(name, value string) {
			if value != "" && !apart.Has(name) {
				apart = apart.With(name, rs.EncodeJSON(value))
			}
		}
		add("stream", found[3])
		add("filter", strings.TrimSpace(found[4]))
		tool = t.Name
		var fields []string
		for _, column := range written.Names(found[2]) {
			if of := metricOfField().FindStringSubmatch(column); of != nil {
				if tool == "aggregate" && t.Name != tool || apart.Has("metric") && t.Name != "aggregate" {
					return "", nil, false // it has several numbers
				}
				tool = "aggregate"
				add("metric", column)
			} else if column != "*" {
				fields = append(fields, column)
			}
		}
		switch {
		case found[1] != "" && len(fields) == 1:
			tool, found[5] = "aggregate", fields[0]
		case tool != "aggregate" && found[5] == "" && len(fields) > 0 && !apart.Has("fields"):
			apart = apart.With("fields", listed(fields))
		}
		if found[5] != "" {
			tool = "aggregate"
			add("group_by", found[5])
		}
		if tool == "aggregate" {
			add("metric", "count")
		}
		if found[6] != "" {
			add("sort", map[bool]string{true: "-"}[strings.EqualFold(found[7], "desc")]+found[6])
		}
		if found[8] != "" && !apart.Has("limit") {
			apart = apart.With("limit", found[8])
		}
		return tool, apart, true
	}
	return "", nil, false
}
