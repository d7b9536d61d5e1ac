package known_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
)

// counting answers each read with the number of that read.
type counting struct {
	reads       int
	unavailable int
	more        string
}

func (c *counting) Do(context.Context, rs.Request) (*rs.Response, error) {
	c.reads++
	return &rs.Response{Body: fmt.Sprintf(`{"data":[{"name":"messages","record_count":%d}]%s}`, c.reads, c.more), Unavailable: c.unavailable}, nil
}

// A list of streams is cached for a few seconds for its grant and connection, if it is complete and not large.
func TestAListOfStreamsIsCachedForItsGrant(t *testing.T) {
	for name, row := range map[string]struct {
		grant, connection string // of the second read
		later             time.Duration
		server            counting
		reads             int
	}{
		"the same grant":               {"a", "", 1999 * time.Millisecond, counting{}, 1},
		"later":                        {"a", "", 2 * time.Second, counting{}, 2},
		"another grant":                {"b", "", 0, counting{}, 2},
		"one connection of it":         {"a", "c1", 0, counting{}, 2},
		"an incomplete list":           {"a", "", 0, counting{unavailable: 1}, 2},
		"a list larger than the cache": {"a", "", 0, counting{more: `,"more":"` + strings.Repeat("x", 64<<10) + `"`}, 2},
		"an unknown grant":             {"", "", 0, counting{}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			schemas := known.NewSchemas(func() time.Time { return now })
			read := func(grant, connection string) {
				ctx := auth.WithPrincipal(t.Context(), auth.Principal{Kind: auth.KindClient, GrantID: grant})
				list := schemas.Streams(ctx, &row.server, connection)
				if want := fmt.Sprintf(`"record_count":%d}`, row.server.reads); list == nil || !strings.Contains(list.Body, want) {
					t.Errorf("%v; want %s", list, want)
				}
			}
			first := "a"
			if row.grant == "" {
				first = ""
			}
			read(first, "")
			now = now.Add(row.later)
			if read(row.grant, row.connection); row.server.reads != row.reads {
				t.Errorf("%d reads, want %d", row.server.reads, row.reads)
			}
		})
	}
}

// answering answers each read with the same schema.
type answering struct {
	reads int
	body  string
}

func (a *answering) Do(context.Context, rs.Request) (*rs.Response, error) {
	a.reads++
	return &rs.Response{Body: a.body}, nil
}

// Schemas too large for a grant's share of the cache are read again, and do not evict those of other grants.
func TestLargeSchemasAreReadAgain(t *testing.T) {
	schemas := known.NewSchemas(time.Now)
	of := func(grant, connection string, server *answering) int {
		before := server.reads
		schemas.Of(auth.WithPrincipal(t.Context(), auth.Principal{Kind: auth.KindClient, GrantID: grant}), server, rs.Scope{Stream: "s", ConnectionID: connection})
		return server.reads - before
	}
	fields := func(count int) string {
		var all strings.Builder
		for i := range count {
			fmt.Fprintf(&all, `,"%d":"t=string"`, i)
		}
		return all.String()[1:]
	}
	schema := func(fields string) *answering {
		return &answering{body: `{"detail":"compact","streams":[{"name":"s","field_capabilities":{` + fields + `}}]}`}
	}
	small, large, huge := schema(fields(20)), schema(fields(9000)), schema(fields(60_000))
	of("ann", "", small)
	for i := range 8 {
		of("bob", fmt.Sprint("c", i), large)
	}
	for name, row := range map[string]struct{ again, want int }{
		"that of another grant":    {of("ann", "", small), 0},
		"the first of a grant":     {of("bob", "c0", large), 0},
		"one beyond its share":     {of("bob", "c7", large), 1},
		"one larger than a share":  {of("cy", "", huge) + of("cy", "", huge), 2},
		"one of a grant behind it": {of("dee", "", large) + of("dee", "", large), 1},
	} {
		if row.again != row.want {
			t.Errorf("%s: %d reads, want %d", name, row.again, row.want)
		}
	}
}

// An authority may number its grants and its packages alike: neither sees what is cached for the other.
func TestAGrantAndAPackageWithOneID(t *testing.T) {
	schemas := known.NewSchemas(time.Now)
	server := &answering{body: `{"detail":"compact","streams":[{"name":"s"}],"data":[]}`}
	for i, kind := range []string{auth.KindPackage, auth.KindClient} {
		ctx := auth.WithPrincipal(t.Context(), auth.Principal{Kind: kind, GrantID: "1"})
		if schemas.Cached(ctx, "s", "") != nil || schemas.CachedStreams(ctx, "") != nil {
			t.Errorf("the %s sees what is cached for the package", kind)
		}
		for range 2 {
			schemas.Of(ctx, server, rs.Scope{Stream: "s"})
			schemas.Streams(ctx, server, "")
		}
		if server.reads != 2*(i+1) {
			t.Errorf("%s: %d reads", kind, server.reads)
		}
		key := auth.PrincipalFrom(ctx).GrantKey()
		if _, refused := schemas.Unfiltered.Get(key); refused {
			t.Errorf("the %s may not filter", kind)
		}
		schemas.Unfiltered.Put(key, true)
	}
}
