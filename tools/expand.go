package tools

import (
	"fmt"
	"net/url"
	"strconv"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// maxExpandLimit is the most related records that may be asked for per record; a resource server may allow fewer.
const maxExpandLimit = 1000

// An expansion asks for related records along with each record.
type expansion struct {
	relations []string
	limits    []relationLimit
}

type relationLimit struct {
	relation string
	limit    int
}

// expansion reads expand and expand_limit.
func (a *arguments) expansion() expansion {
	e := expansion{relations: a.list("expand", a.safeName)}
	raw, ok := a.given("expand_limit")
	if !ok {
		return e
	}
	relations, err := written.Object(raw)
	switch {
	case err != nil || len(relations) == 0:
		a.failExpandLimit("expand_limit is %s; it must be an object with at least one relation.", quote.JSON(raw))
	case len(relations) > maxListItems:
		a.failExpandLimit("expand_limit has %d relations; at most %d are allowed.", len(relations), maxListItems)
	}
	for _, relation := range relations {
		if !filter.IsName(relation.Name) {
			a.failExpandLimit("expand_limit names the relation %s; send the bare name, without brackets.", quote.Exact(relation.Name))
		}
		limit, ok := integer(relation.Value)
		if !ok || limit < 1 || limit > maxExpandLimit {
			a.failExpandLimit("expand_limit for %s cannot be %s; 1 to %d are allowed.", quote.Exact(relation.Name), quote.JSON(relation.Value), maxExpandLimit)
		}
		e.limits = append(e.limits, relationLimit{relation.Name, int(limit)})
	}
	return e
}

func (a *arguments) failExpandLimit(format string, values ...any) {
	a.fail(&rs.Error{
		Code: rs.InvalidExpand, Param: "expand_limit", Message: fmt.Sprintf(format, values...),
		Hint: `Send an object such as {"attachments":3} with whole numbers, relation names as schema printed them.`,
	})
}

// asked reports whether anything is to be expanded.
func (e expansion) asked() bool { return len(e.relations)+len(e.limits) > 0 }

// write adds expand=relation and expand_limit[relation]=n (S3-R11).
func (e expansion) write(query url.Values) {
	for _, relation := range e.relations {
		query.Add("expand", relation)
	}
	for _, l := range e.limits {
		query.Add("expand_limit["+l.relation+"]", strconv.Itoa(l.limit))
	}
}
