package tools

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// maxExpandLimit is the most related records that may be asked for per record; a resource server may allow fewer.
const maxExpandLimit = 1000

// An expansion asks for related records along with each record: expand=relation and expand_limit[relation]=n (S3-R11).
type expansion url.Values

// expansion reads expand and expand_limit.
func (a *arguments) expansion() expansion {
	e := expansion{}.with(a.list("expand", unsafeListed))
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
		e["expand_limit["+relation.Name+"]"] = []string{strconv.Itoa(int(limit))}
	}
	return e
}

func (a *arguments) failExpandLimit(format string, values ...any) {
	a.fail(&rs.Error{
		Code: rs.InvalidExpand, Param: "expand_limit", Message: fmt.Sprintf(format, values...),
		Hint: `Send an object such as {"attachments":3} with whole numbers, relation names as schema printed them.`,
	})
}

// relations are those that are named by expand.
func (e expansion) relations() []string { return e["expand"] }

// with is the expansion with more relations.
func (e expansion) with(relations []string) expansion {
	more := maps.Clone(e)
	for _, name := range relations {
		if !slices.Contains(more["expand"], name) {
			more["expand"] = append(slices.Clip(more["expand"]), name)
		}
	}
	return more
}
