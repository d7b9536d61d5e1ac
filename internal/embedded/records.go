package embedded

import (
	"net/http"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// defaultPage is how many records a page has without a limit.
const defaultPage = 25

// A recordPlan is a read of records, checked.
type recordPlan struct {
	sources []access
	orders  []store.Order // for each source
	wanted  []string
	expand  []string
	limit   int
	count   bool
	bound   string
}

// records answers GET /v1/streams/{stream}/records.
func (c *call) records() (any, error) {
	sources, refusal := c.open(c.path[1])
	if refusal != nil {
		return nil, refusal
	}
	plan, err := c.plan(sources)
	if err != nil {
		return nil, err
	}
	position, resumed := cursor{}, c.params.has("cursor")
	if resumed {
		var ok bool
		if position, ok = c.openCursor(c.params.single["cursor"]); !ok {
			return nil, invalidCursor("Malformed cursor")
		}
	}
	if c.params.has("changes_since") || position.Kind == cursorChanges {
		return c.changes(plan, position, resumed)
	}
	if resumed && (position.Kind != cursorRecords || position.Bound != plan.bound || len(plan.sources) != 1) {
		return nil, foreignCursor()
	}
	return c.recordPage(plan, position, resumed)
}

// plan checks everything that is asked before anything is read.
func (c *call) plan(sources []access) (recordPlan, error) {
	limit, clamped, refusal := c.params.pageLimit(defaultPage, "records")
	if refusal != nil {
		return recordPlan{}, refusal
	}
	c.warn(clamped)
	plan := recordPlan{limit: limit}
	if plan.wanted, refusal = c.wanted(sources); refusal != nil {
		return recordPlan{}, refusal
	}
	if plan.expand, refusal = c.expansions(sources); refusal != nil {
		return recordPlan{}, refusal
	}
	if plan.sources, refusal = c.filtered(sources); refusal != nil {
		return recordPlan{}, refusal
	}
	if plan.orders, refusal = c.orders(plan.sources); refusal != nil {
		return recordPlan{}, refusal
	}
	if plan.count, refusal = c.counts(); refusal != nil {
		return recordPlan{}, refusal
	}
	plan.bound = c.bind(c.params.binding(boundConnection(plan.sources)))
	return plan, nil
}

func (c *call) counts() (bool, *apiError) {
	switch c.params.single["count"] {
	case "exact":
		return true, nil
	case "", "none":
		return false, nil
	}
	return false, invalidRequest("count must be one of exact, none").withParam("count")
}

// orders reads sort and order, for each source. Newest first is the default.
func (c *call) orders(sources []access) ([]store.Order, *apiError) {
	order := strings.ToLower(c.params.single["order"])
	if order != "" && order != "asc" && order != "desc" {
		return nil, invalidRequest("order must be asc or desc").withParam("order")
	}
	field, descending := strings.CutPrefix(c.params.single["sort"], "-")
	if field == "" {
		descending = order != "asc"
	} else if order != "" && descending != (order == "desc") {
		return nil, invalidRequest("sort and order disagree; send only sort, with a leading - for descending").withParam("order")
	}
	if field != "" {
		if _, err := keepUsable(sources, func(s access) *apiError { return s.sortable(field) }); err != nil {
			return nil, err
		}
	}
	orders := make([]store.Order, len(sources))
	for i, s := range sources {
		if field != "" && s.sortable(field) == nil {
			orders[i] = s.OrderBy(field, descending)
		} else {
			orders[i] = s.OrderBy("", descending)
		}
	}
	return orders, nil
}

// sortable refuses a field that is not advertised for sorting: the cursor field and range-filterable fields are.
func (s access) sortable(name string) *apiError {
	field, declared := s.Stream.Field(name)
	_, comparable := s.Column(name)
	if !declared || !comparable || !field.Range && name != s.Stream.CursorField {
		return newError(400, "invalid_sort", "Sort field '%s' is not advertised as sortable; check /v1/schema for the canonical sort vocabulary.",
			name).withParam("sort")
	}
	_, err := s.demand(name)
	return err
}

// recordPage reads a page. With several connections the page is one of each: there is no common order to go on by,
// so there is no cursor.
func (c *call) recordPage(plan recordPlan, position cursor, resumed bool) (any, error) {
	list := listBody{Data: []recordBody{}, Object: "list", URL: c.url.EscapedPath()}
	total := 0
	for i, from := range plan.sources {
		rest := from.Source
		if plan.count {
			n, err := c.store.Count(c.ctx, rest)
			if err != nil {
				return nil, err
			}
			total += n
		}
		if resumed {
			var ok bool
			var err error
			if rest, ok, err = c.store.After(c.ctx, rest, plan.orders[i], position.After); err != nil {
				return nil, err
			}
			if !ok {
				return nil, staleCursor()
			}
		}
		found, err := c.store.Records(c.ctx, rest, plan.orders[i], plan.limit+1)
		if err != nil {
			return nil, err
		}
		if len(found) > plan.limit {
			found, list.HasMore = found[:plan.limit], true
		}
		if list.HasMore && len(plan.sources) == 1 {
			list.NextCursor = c.sealCursor(cursor{Kind: cursorRecords, Bound: plan.bound, After: found[len(found)-1].Version})
		}
		if list.Data, err = c.appendBodies(list.Data, from, found, plan); err != nil {
			return nil, err
		}
	}
	if list.HasMore && len(plan.sources) > 1 {
		c.warn(&warning{
			Code: "partial_results",
			Message: "has_more=true and next_cursor is not emitted under multi-connection fan-in. Retry with `connection_id` to page a single " +
				"connection.",
			Param: "connection_id",
		})
	}
	if len(list.Data) == 0 && !resumed {
		c.warnUnread(plan.sources)
	}
	list.Links, list.Meta = c.links(list.NextCursor), c.meta()
	if plan.count {
		list.Meta.Count = countBody{Kind: "exact", Value: &total}
	}
	return list, nil
}

func (c *call) appendBodies(data []recordBody, from access, found []store.Record, plan recordPlan) ([]recordBody, error) {
	for _, r := range found {
		body, err := from.body(r, plan.wanted)
		if err != nil {
			return nil, err
		}
		if body.Expanded, err = c.expand(from, r, plan.expand); err != nil {
			return nil, err
		}
		data = append(data, body)
	}
	return data, nil
}

// changes answers a records read with changes_since: what was emitted after a bookmark, oldest first. Versions count
// over all connections, so that one cursor carries the feed of several.
func (c *call) changes(plan recordPlan, position cursor, resumed bool) (any, error) {
	for _, name := range [...]string{"sort", "order", "count"} {
		if c.params.has(name) {
			return nil, invalidRequest("%s cannot be combined with changes_since", name).withParam(name)
		}
	}
	after, until := position.After, position.Until
	if resumed {
		if position.Kind != cursorChanges || position.Bound != plan.bound {
			return nil, foreignCursor()
		}
	} else {
		var err error
		if after, until, err = c.changesSession(plan.sources); err != nil {
			return nil, err
		}
	}
	found, err := c.store.Changes(c.ctx, storeSources(plan.sources), after, until, plan.limit+1)
	if err != nil {
		return nil, err
	}
	list := listBody{Data: []recordBody{}, Object: "list", URL: c.url.EscapedPath()}
	if len(found) > plan.limit {
		found, list.HasMore = found[:plan.limit], true
		list.NextCursor = c.sealCursor(cursor{Kind: cursorChanges, Bound: plan.bound, After: found[len(found)-1].Version, Until: until})
	}
	for _, change := range found {
		if list.Data, err = c.appendBodies(list.Data, plan.sources[change.Source], []store.Record{change.Record}, plan); err != nil {
			return nil, err
		}
	}
	list.NextChangesSince = c.sealCursor(cursor{
		Kind: cursorBookmark, Bound: c.bookmarkBound(plan.sources), After: until, Issued: c.options.Now().Unix(),
	})
	list.Links, list.Meta = c.links(list.NextCursor), c.meta()
	return list, nil
}

// changesSession reads where a feed starts and, so that it ends, how far it goes.
func (c *call) changesSession(sources []access) (after, until int64, err error) {
	if since := c.params.single["changes_since"]; since != "beginning" {
		bookmark, ok := c.openCursor(since)
		if !ok || bookmark.Kind != cursorBookmark {
			return 0, 0, invalidCursor("Malformed changes_since cursor; pass `beginning` to bootstrap or the `next_changes_since` value " +
				"returned by a prior /v1/streams/{stream}/records response")
		}
		if bookmark.Bound != c.bookmarkBound(sources) {
			return 0, 0, foreignCursor()
		}
		if c.options.Now().Sub(time.Unix(bookmark.Issued, 0)) > c.options.BookmarkLife {
			return 0, 0, newError(http.StatusGone, "cursor_expired",
				"The changes_since bookmark is too old; start again with changes_since=beginning")
		}
		after = bookmark.After
	}
	for _, s := range sources {
		last, err := c.store.LastVersion(c.ctx, s.Table)
		if err != nil {
			return 0, 0, err
		}
		until = max(until, last)
	}
	return after, max(after, until), nil
}

// bookmarkBound is looser than a page's: the next sync may ask for other fields.
func (c *call) bookmarkBound(sources []access) string {
	return c.bind("bookmark " + boundConnection(sources))
}
