package fanout_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
)

// FuzzPackageSearch pages through random packages to the end: whatever fails on the way, no hit is lost or repeated, no
// page exceeds its limit, and no member fills a page while others have hits.
func FuzzPackageSearch(f *testing.F) {
	for seed := range uint64(24) {
		f.Add(seed, uint8(seed%7+1), uint8(seed%11+1), seed%3 == 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, count, limit uint8, faults bool) {
		random := rand.New(rand.NewPCG(seed, 1))
		server := &packageRS{answers: map[string]memberAnswer{}}
		var members []fanout.Member
		left := map[string][]string{} // the hits that each connection has left, in its order
		failing := map[string]bool{}
		for i := range int(count%9) + 1 {
			letter := string(rune('a' + i))
			members = append(members, aMember(letter))
			n := random.IntN(30)
			for k := range n {
				left["cin_"+letter] = append(left["cin_"+letter], fmt.Sprintf("%s%d", letter, k))
			}
			answer := hitsOf(letter, n)
			if random.IntN(4) == 0 {
				answer = shortPages(letter, n, 1+random.IntN(3))
			}
			server.answers["tok_"+letter] = func(ctx context.Context, r rs.Request) (*rs.Response, error) {
				if failing["tok_"+letter] {
					return fails(503, "unavailable")(ctx, r)
				}
				return answer(ctx, r)
			}
		}
		cursor, failed, calls := "", map[string]bool{}, 0
		for {
			if calls++; calls > 2000 {
				t.Fatal("the search does not end")
			}
			pageLimit := 1 + (int(limit)+random.IntN(5))%100
			clear(failing)
			if faults {
				for _, m := range members {
					token := "tok_" + m.ID[len("cin_"):]
					// A member fails on at most one page, so all its hits must appear in the end.
					if !failed[token] && random.IntN(3) == 0 {
						failing[token], failed[token] = true, true
					}
				}
			}
			p := packageOf(server, fanout.PackageOptions{Width: 1 + random.IntN(8)}, members...)
			response, err := p.Do(t.Context(), searchRequest("limit", fmt.Sprint(pageLimit), "cursor", cursor))
			if err != nil {
				if len(failing) == 0 {
					t.Fatalf("without a fault: %v", err)
				}
				wantCode(t, err, "unavailable")
				continue // the same cursor again
			}
			m := readMerged(t, response, nil)
			checkPage(t, m, pageLimit, left, failing)
			if !m.HasMore {
				break
			}
			cursor = m.NextCursor
		}
		for connection, hits := range left {
			if len(hits) > 0 {
				t.Errorf("%s has %q left", connection, hits)
			}
		}
		server.heard(t)
	})
}

// checkPage removes the hits of the page from left and checks that the members took turns.
func checkPage(t *testing.T, m merged, limit int, left map[string][]string, failing map[string]bool) {
	t.Helper()
	if len(m.Data) > limit {
		t.Fatalf("%d hits on a page of %d", len(m.Data), limit)
	}
	able := 0
	for connection, hits := range left {
		if len(hits) > 0 && !failing["tok_"+connection[len("cin_"):]] {
			able++
		}
	}
	first := map[string]bool{}
	for i, hit := range m.Data {
		if i < min(able, limit) {
			if first[hit.ConnectionID] {
				t.Fatalf("%s takes two of the first %d places: %s", hit.ConnectionID, min(able, limit), m.keys())
			}
			first[hit.ConnectionID] = true
		}
		hits := left[hit.ConnectionID]
		if len(hits) == 0 || hits[0] != hit.RecordKey {
			t.Fatalf("hit %s of %s comes where %q are left", hit.RecordKey, hit.ConnectionID, hits)
		}
		left[hit.ConnectionID] = hits[1:]
	}
}

// shortPages is a member whose pages are shorter than asked for.
func shortPages(prefix string, n, size int) memberAnswer {
	whole := hitsOf(prefix, n)
	return func(ctx context.Context, r rs.Request) (*rs.Response, error) {
		short := r
		short.Query = map[string][]string{"limit": {fmt.Sprint(size)}, "cursor": r.Query["cursor"]}
		return whole(ctx, short)
	}
}

// FuzzPackageCursor sends any bytes as a cursor: the search is refused with a typed error or returns a page within its limit.
func FuzzPackageCursor(f *testing.F) {
	server := &packageRS{answers: map[string]memberAnswer{"tok_a": hitsOf("a", 9), "tok_b": hitsOf("b", 9)}}
	p := packageOf(server, fanout.PackageOptions{}, aMember("a"), aMember("b"))
	response, err := p.Do(context.Background(), searchRequest("limit", "2"))
	good, _ := base64.RawURLEncoding.DecodeString(readMerged(f, response, err).NextCursor)
	f.Add(good)
	f.Add([]byte(`{"v":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		response, err := p.Do(t.Context(), searchRequest("limit", "3", "cursor", base64.RawURLEncoding.EncodeToString(data)))
		if err != nil {
			if e := rs.AsError(err); e.Code == "internal_error" {
				t.Fatalf("an internal error: %v", err)
			}
			return
		}
		if m := readMerged(t, response, nil); len(m.Data) > 3 {
			t.Fatalf("%d hits on a page of 3", len(m.Data))
		}
		server.heard(t)
	})
}
