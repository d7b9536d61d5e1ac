package embedded

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"time"
)

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
	found, err := c.changed(plan, after, until)
	if err != nil {
		return nil, err
	}
	list := listBody{Data: []recordBody{}, Object: "list", URL: c.url.EscapedPath()}
	if len(found) > plan.limit {
		found, list.HasMore = found[:plan.limit], true
		list.NextCursor = c.sealCursor(cursor{Kind: cursorChanges, Bound: plan.bound, After: found[len(found)-1].version, Until: until})
	}
	for _, change := range found {
		if list.Data, err = c.appendBodies(list.Data, change.from, []storedRecord{change.storedRecord}, plan); err != nil {
			return nil, err
		}
	}
	list.NextChangesSince = c.sealCursor(cursor{
		Kind: cursorBookmark, Bound: c.bookmarkBound(plan.sources), After: until, Issued: c.server.options.Now().Unix(),
	})
	list.Links, list.Meta = c.links(list.NextCursor), c.meta()
	return list, nil
}

// changesSession reads where a feed starts and, so that it ends, how far it goes.
func (c *call) changesSession(sources []access) (after, until int64, err error) {
	if since := c.params.single["changes_since"]; since != "beginning" {
		bookmark, ok := c.openCursor(since)
		if !ok || bookmark.Kind != cursorBookmark {
			return 0, 0, invalidCursor("Malformed changes_since cursor; pass `beginning` to bootstrap or the `next_changes_since` value returned by a prior /v1/streams/{stream}/records response")
		}
		if bookmark.Bound != c.bookmarkBound(sources) {
			return 0, 0, foreignCursor()
		}
		if c.server.options.Now().Sub(time.Unix(bookmark.Issued, 0)) > c.server.options.BookmarkLife {
			return 0, 0, newError(http.StatusGone, "cursor_expired", "The changes_since bookmark is too old; start again with changes_since=beginning")
		}
		after = bookmark.After
	}
	for _, s := range sources {
		var last int64
		if err := c.server.store.db.QueryRowContext(c.ctx, fmt.Sprintf("SELECT coalesce(max(version), 0) FROM %s", s.name)).Scan(&last); err != nil {
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

// A change is a record with its source.
type change struct {
	storedRecord
	from access
}

// changed reads one more than a page of what was emitted after one version and until another.
func (c *call) changed(plan recordPlan, after, until int64) ([]change, error) {
	var all []change
	for i, from := range plan.sources {
		condition := plan.conditions[i].with(where{})
		condition.and("version > ? AND version <= ?", after, until)
		found, err := c.server.store.selectRecords(c.ctx, from.table, condition, "version", plan.limit+1)
		if err != nil {
			return nil, err
		}
		for _, r := range found {
			all = append(all, change{storedRecord: r, from: from})
		}
	}
	slices.SortFunc(all, func(a, b change) int { return cmp.Compare(a.version, b.version) })
	return all[:min(len(all), plan.limit+1)], nil
}
