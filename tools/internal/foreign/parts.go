package foreign

import (
	"cmp"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Notations of single languages: values with their types, a field or operands beside their condition, and SQL statements.

var valueTypes = written.Set("$date $oid $numberInt $numberLong $numberDouble $numberDecimal")

// plainValue returns the value of an object that names its type, such as {"$date":"2026-03-01"} of MongoDB; any other value unchanged.
func plainValue(raw string) string {
	o := rs.AsObject(raw)
	if len(o) == 1 && valueTypes[o[0].Name] {
		return o[0].Value
	}
	return raw
}

// ofProperty reads a condition in the notation of Notion, with its type as kind: {"property":"total","number":{"greater_than":5}}.
func ofProperty(o rs.Object) (field, kind, condition string) {
	field = cmp.Or(o.Text("property"), o.Text("timestamp"))
	is := o.Without("property", "timestamp")
	if len(o) != 2 || len(is) != 1 || !propertyTypes[is[0].Name] {
		return "", "", ""
	}
	return field, is[0].Name, is[0].Value
}

// ofOperands reads the operands of an operator that stands before them: a field, as $expr of MongoDB and JsonLogic write it, and a value.
func ofOperands(raw string) (field, value string) {
	list, _ := rs.AsArray(raw)
	if len(list) != 2 || rs.AsObject(list[1]) != nil || strings.HasPrefix(list[1], `"$`) { // no filter compares two fields
		return "", ""
	}
	if text, _ := written.Text(list[0]); strings.HasPrefix(text, "$") {
		return text[1:], list[1]
	}
	return rs.AsObject(list[0]).Text("var"), list[1]
}

var (
	sqlText = written.Expression(`(?is)^\s*(?:select|with)\s.*\bfrom\b`)
	selects = written.Expression(`(?is)^\s*select\s+(\*|[\w.]+(?:\s*,\s*[\w.]+)*)\s+from\s+(\w+)(?:\s+where\s+(.*?))?$`)
	sqlTail = written.Expression(`(?is)^(.*?)(?:\s+order\s+by\s+(\w+)(?:\s+(asc|desc))?)?(?:\s+limit\s+([0-9]+))?\s*;?\s*$`)
)

// IsStatement reports whether a text is a statement of SQL.
func IsStatement(s string) bool { return sqlText().MatchString(s) }

// OfStatement returns arguments with those of query_records that one of them, an SQL statement of one stream or the end of one, means.
func OfStatement(args rs.Object, name, s string) rs.Object {
	tail := sqlTail().FindStringSubmatch(s)
	if tail == nil || tail[1] == s && !IsStatement(s) {
		return args
	}
	args, conditions := args.Without(name), tail[1]
	if found := selects().FindStringSubmatch(conditions); found != nil {
		args, conditions = args.With("stream", rs.EncodeJSON(found[2])), found[3]
		if found[1] != "*" {
			args = args.With("fields", rs.EncodeJSON(written.Names(found[1])))
		}
	}
	if direction := map[string]string{"desc": "-"}[strings.ToLower(tail[3])]; tail[2] != "" {
		args = args.With("sort", rs.EncodeJSON(direction+tail[2]))
	}
	if tail[4] != "" {
		args = args.With("limit", tail[4])
	}
	if conditions != "" {
		args = args.With("filter", rs.JoinArray([]string{cmp.Or(args.Get("filter"), "{}"), rs.EncodeJSON(conditions)}))
	}
	return args
}
