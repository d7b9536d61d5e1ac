package embedded

import (
	"net/http"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

const defaultPage = 25

type recordPlan struct {
	sources  []access
	orders   []store.Order // for each source
	wanted   []string
	expand   []string
	limit    int
	count    bool
	bound    string
	resumed  bool // there is a cursor
	position cursor
}

// records answers GET /v1/streams/{stream}/records.
func (c *call) records() any {
	sources := c.open()
	plan := recordPlan{
		limit: c.pageLimit(defaultPage, "records"), wanted: c.wanted(sources), expand: c.expansions(sources), sources: c.filtered(sources),
		count: c.params.single["count"] == "exact", resumed: c.params.has("cursor"),
	}
	plan.orders = c.orders(plan.sources)
	if count := c.params.single["count"]; count != "" && count != "exact" && count != "none" {
		c.refuse(invalidRequest("count must be one of exact, none").withParam("count"))
	}
	plan.bound = c.bind(binding(c.url.Query(), boundConnection(plan.sources)))
	if plan.resumed {
		plan.position = c.cursorParam("cursor", "Malformed cursor")
	}
	kind := plan.position.Kind
	if c.err != nil {
		return nil
	}
	if c.params.has("changes_since") || kind == cursorChanges {
		return c.changes(plan)
	}
	if plan.resumed && (kind != cursorRecords || plan.position.Bound != plan.bound || len(plan.sources) != 1) {
		c.refuse(foreignCursor())
		return nil
	}
	return c.recordPage(plan)
}

// orders reads sort and order, for each source. Newest first is the default.
func (c *call) orders(sources []access) []store.Order {
	order := strings.ToLower(c.params.single["order"])
	field, descending := strings.CutPrefix(c.params.single["sort"], "-")
	switch {
	case order != "" && order != "asc" && order != "desc":
		c.refuse(invalidRequest("order must be asc or desc").withParam("order"))
	case field == "":
		descending = order != "asc"
	case order != "" && descending != (order == "desc"):
		c.refuse(invalidRequest("sort and order disagree; send only sort, with a leading - for descending").withParam("order"))
	default:
		c.usable(sources, "", func(s access) (access, *apiError) { return s, s.sortable(field) })
	}
	orders := make([]store.Order, len(sources))
	for i, s := range sources {
		orders[i] = s.OrderBy("", descending)
		if s.sortable(field) == nil {
			orders[i] = s.OrderBy(field, descending)
		}
	}
	return orders
}

// sortable refuses a field that is not advertised for sorting: the cursor field and range-filterable fields are.
func (s access) sortable(name string) *apiError {
	field, declared := s.Stream.Field(name)
	_, comparable := s.Column(name)
	if !declared || !comparable || !field.Range && name != s.Stream.CursorField {
		return newError(http.StatusBadRequest, "invalid_sort",
			"Sort field '%s' is not advertised as sortable; check /v1/schema for the canonical sort vocabulary.", name).withParam("sort")
	}
	_, refusal := s.demand(name)
	return refusal
}

// recordPage returns a page. With several connections it has up to limit records of each and no cursor: there is no common order to
// continue by.
func (c *call) recordPage(plan recordPlan) any {
	data, total, hasMore, next := []object{}, 0, false, ""
	for i, from := range plan.sources {
		if plan.count {
			total += c.extent(from).Count
		}
		rest := from.Source
		if plan.resumed {
			var there bool
			var err error
			rest, there, err = c.store.After(c.ctx, rest, plan.orders[i], plan.position.After)
			if c.fail(err); !there {
				c.refuse(staleCursor())
			}
		}
		found, err := c.store.Records(c.ctx, rest, plan.orders[i], plan.limit+1)
		c.fail(err)
		if len(found) > plan.limit {
			found, hasMore = found[:plan.limit], true
			next = c.sealCursor(cursor{Kind: cursorRecords, Bound: plan.bound, After: found[plan.limit-1].Version})
		}
		for _, r := range found {
			data = append(data, c.expandedBody(from, r, plan.wanted, plan.expand))
		}
	}
	if hasMore && len(plan.sources) > 1 {
		next = ""
		c.warnOf("connection_id", "partial_results", "has_more=true and next_cursor is not emitted under multi-connection fan-in. "+
			"Retry with `connection_id` to page a single connection.")
	}
	if len(data) == 0 && !plan.resumed {
		c.warnUnread(plan.sources, maxUnread)
	}
	meta := c.meta()
	if plan.count {
		meta.set("count", object{{"kind", "exact"}, {"value", total}})
	}
	page := object{{"data", data}, {"has_more", hasMore}, {"links", c.links(next)}, {"meta", meta}}
	return append(c.list(), page...).with("next_cursor", next)
}

// changes answers a records read with changes_since: the records after a bookmark, oldest first. Versions count over all connections, so
// that one cursor covers several.
func (c *call) changes(plan recordPlan) any {
	for _, name := range [...]string{"sort", "order", "count"} {
		if c.params.has(name) {
			c.refuse(invalidRequest("%s cannot be combined with changes_since", name).withParam(name))
		}
	}
	after, until := plan.position.After, plan.position.Until
	if !plan.resumed {
		after, until = c.changesSession(plan.sources)
	} else if plan.position.Kind != cursorChanges || plan.position.Bound != plan.bound {
		c.refuse(foreignCursor())
	}
	if c.err != nil {
		return nil
	}
	found, err := c.store.Changes(c.ctx, storeSources(plan.sources), after, until, plan.limit+1)
	c.fail(err)
	data, next, hasMore := []object{}, "", len(found) > plan.limit
	if hasMore {
		found = found[:plan.limit]
		next = c.sealCursor(cursor{Kind: cursorChanges, Bound: plan.bound, After: found[plan.limit-1].Version, Until: until})
	}
	for _, change := range found {
		data = append(data, c.expandedBody(plan.sources[change.Source], change.Record, plan.wanted, plan.expand))
	}
	bookmark := cursor{Kind: cursorBookmark, Bound: c.bookmarkBound(plan.sources), After: until, Issued: c.options.Now().Unix()}
	page := object{{"data", data}, {"has_more", hasMore}, {"links", c.links(next)}, {"meta", c.meta()}}
	return append(c.list(), page...).with("next_changes_since", c.sealCursor(bookmark)).with("next_cursor", next)
}

// bookmarkLife is how long a changes_since bookmark is valid.
const bookmarkLife = 30 * 24 * time.Hour

// changesSession returns the versions after which a feed starts and at which it ends. Without the end, it would not end while records are
// added.
func (c *call) changesSession(sources []access) (after, until int64) {
	if since := c.params.single["changes_since"]; since != "beginning" {
		bookmark, ok := c.openCursor(since)
		switch {
		case !ok || bookmark.Kind != cursorBookmark:
			c.refuse(invalidCursor("Malformed changes_since cursor; pass `beginning` to bootstrap or the `next_changes_since` value " +
				"returned by a prior /v1/streams/{stream}/records response"))
		case bookmark.Bound != c.bookmarkBound(sources):
			c.refuse(foreignCursor())
		case c.options.Now().Sub(time.Unix(bookmark.Issued, 0)) > bookmarkLife:
			c.refuse(newError(http.StatusGone, "cursor_expired",
				"The changes_since bookmark is too old; start again with changes_since=beginning"))
		}
		after = bookmark.After
	}
	until = after
	for _, s := range sources {
		last, err := c.store.LastVersion(c.ctx, s.Table)
		c.fail(err)
		until = max(until, last)
	}
	return after, until
}

// bookmarkBound is less strict than the binding of a page: the next sync may request other fields.
func (c *call) bookmarkBound(sources []access) string {
	return c.bind("bookmark " + boundConnection(sources))
}
