package foreign

import (
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

var (
	selects = written.Expression(`(?is)^\s*select\s+(\*|[\w.]+(?:\s*,\s*[\w.]+)*)\s+from\s+(\w+)(?:\s+where\s+(.*?))?$`)
	sqlTail = written.Expression(`(?is)^(.*?)(?:\s+order\s+by\s+(\w+)(?:\s+(asc|desc))?)?(?:\s+limit\s+([0-9]+))?\s*;?\s*$`)
)

// Statement returns the arguments of query_records that an SQL statement of one stream means, and its conditions; false if it is none.
// Without whole, the text may be conditions alone if something follows them.
func Statement(s string, whole bool) (args rs.Object, conditions string, ok bool) {
	tail := sqlTail().FindStringSubmatch(s)
	if tail == nil || tail[1] == s && !whole {
		return nil, "", false
	}
	conditions = tail[1]
	if found := selects().FindStringSubmatch(conditions); found != nil {
		args, conditions = rs.Object{rs.NewMember("stream", found[2])}, found[3]
		if found[1] != "*" {
			args = args.With("fields", rs.EncodeJSON(written.Names(found[1])))
		}
	}
	if sort := tail[2]; strings.EqualFold(tail[3], "desc") {
		args = args.With("sort", rs.EncodeJSON("-"+sort))
	} else if sort != "" {
		args = args.With("sort", rs.EncodeJSON(sort))
	}
	if tail[4] != "" {
		args = args.With("limit", tail[4])
	}
	return args, conditions, true
}
