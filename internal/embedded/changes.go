package embedded

import (
	"net/http"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
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
	found, err := c.server.store.Changes(c.ctx, storeSources(plan.sources), after, until, plan.limit+1)
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
		last, err := c.server.store.LastVersion(c.ctx, s.Table)
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
