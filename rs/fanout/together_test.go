package fanout_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
)

// A package reads only the paths of the contract.
func TestPathsOfAPackage(t *testing.T) {
	for path, known := range map[string]bool{
		"schema": true, "streams": true, "streams/messages/records": true, "search": true,
		"search/semantic": true, "search/hybrid": true, "blobs/b": true,
		"schema/x": false, "search/x": false, "search/semantic/x": false, "search/hybrid/x": false, "x/semantic": false, "x/hybrid": false,
		"blobs": false, "blobs/b/c": false, "x": false, "x/y": false,
	} {
		f := &packageRS{answers: map[string]memberAnswer{"tok_a": says(`{"object":"list","data":[],"connectors":[]}`)}}
		_, err := packageOf(f, fanout.PackageOptions{}, aMember("a")).Do(
			t.Context(),
			rs.Request{Path: rs.Path(strings.Split(path, "/")...), Query: searchRequest().Query},
		)
		if known != (err == nil) {
			t.Errorf("%s: %v", path, err)
		}
		if !known {
			wantCode(t, err, "not_found")
			f.wantSilence(t)
		}
	}
}

// If all members fail, the most specific failure is returned: a fault of the request, then rate limits, then transient failures.
func TestTheMostTellingFailureIsReturned(t *testing.T) {
	order := []struct {
		status int
		code   rs.Code
	}{{400, "first"}, {429, "second"}, {500, "third"}, {0, "deadline_exceeded"}, {0, "fifth"}, {403, "sixth"}, {0, "internal_error"}}
	for i, more := range order {
		for _, less := range order[i:] {
			for _, answers := range [][2]memberAnswer{
				{fails(more.status, more.code), fails(less.status, less.code)},
				{fails(less.status, less.code), fails(more.status, more.code)},
			} {
				f := &packageRS{answers: map[string]memberAnswer{"tok_a": answers[0], "tok_b": answers[1]}}
				_, err := packageOf(f, fanout.PackageOptions{}, aMember("a"), aMember("b")).Do(t.Context(), searchRequest())
				if e := wantCode(t, err, more.code); (e.Hint != "") != (more.status == 403) {
					t.Errorf("%s before %s: the hint is %q", more.code, less.code, e.Hint)
				}
			}
		}
	}
}

// A search of one connection returns its answer unchanged, without warnings, or its error.
func TestASearchOfOneConnectionIsPassedOn(t *testing.T) {
	const body = `{"object":"list","data":[` +
		`{"connection_id":"cin_a","connector_key":"mail","display_name":"A","grant_id":"grt_a"}],"has_more":false}`
	for name, streams := range map[string][]string{
		"no streams":              nil,
		"one":                     {"messages"},
		"one that is named twice": {"messages", "messages"},
	} {
		r := searchRequest("connection_id", "cin_a")
		r.Query["streams"] = streams
		f := &packageRS{answers: map[string]memberAnswer{"tok_a": says(body)}}
		response, err := packageOf(f, fanout.PackageOptions{}, aMember("a"), aMember("b")).Do(t.Context(), r)
		if err != nil || response.Body != body {
			t.Errorf("%s: %v, %v", name, response, err)
		}
		f.answers["tok_a"] = fails(503, "unavailable")
		_, err = packageOf(f, fanout.PackageOptions{}, aMember("a"), aMember("b")).Do(t.Context(), r)
		wantCode(t, err, "unavailable")
	}
}

// A merged answer has the first member's request id; its recall is complete only if each member's is, and otherwise has the scope
// of the incomplete one. Its warnings do not promise to read a connection again that was refused for good.
func TestWhatMembersSayTogether(t *testing.T) {
	member := func(id, recall string) memberAnswer {
		return func(context.Context, rs.Request) (*rs.Response, error) {
			return &rs.Response{
				Status:    200,
				RequestID: id,
				Body:      `{"object":"list","data":[],"has_more":false,"meta":{"count":0` + recall + `}}`,
			}, nil
		}
	}
	whole := func(scope string) string { return fmt.Sprintf(`,"recall":{"complete":true,"ranking_scope":%q}`, scope) }
	part := func(scope string) string {
		return fmt.Sprintf(`,"recall":{"complete":false,"ranking_scope":%q}`, scope)
	}
	for name, row := range map[string]struct{ a, b, want string }{
		"both whole":                 {whole("one"), whole("two"), `"complete":true,"ranking_scope":"one"`},
		"the second is not":          {whole("one"), part("two"), `"complete":false,"ranking_scope":"two"`},
		"the first is not":           {part("one"), whole("two"), `"complete":false,"ranking_scope":"one"`},
		"the second without a scope": {whole("one"), part(""), `"complete":false,"ranking_scope":"one"`},
		"one says nothing":           {whole("one"), ``, `"complete":false,"ranking_scope":"one"`},
	} {
		t.Run(name, func(t *testing.T) {
			f := &packageRS{answers: map[string]memberAnswer{"tok_a": member("req_a", row.a), "tok_b": member("req_b", row.b)}}
			response, err := packageOf(f, fanout.PackageOptions{}, aMember("a"), aMember("b")).Do(t.Context(), searchRequest())
			m := readMerged(t, response, err)
			for _, want := range strings.Split(row.want, ",") {
				if response.RequestID != "req_a" || !strings.Contains(string(m.Meta.Recall), want) {
					t.Errorf("request %q, recall %s, want %s", response.RequestID, m.Meta.Recall, want)
				}
			}
			response, err = packageOf(f, fanout.PackageOptions{}, aMember("a"), refusedMember("c", "grant_revoked")).Do(t.Context(), searchRequest())
			if m = readMerged(t, response, err); len(m.Meta.Warnings) != 1 || strings.Contains(m.Meta.Warnings[0].Message, "next page") {
				t.Errorf("warnings are %+v", m.Meta.Warnings)
			}
		})
	}
}

// A connection that is granted anew between two pages continues where it was: the cursor identifies the connection, not the grant.
func TestASearchOutlivesANewGrant(t *testing.T) {
	f := &packageRS{answers: map[string]memberAnswer{"tok_a": hitsOf("a", 3), "tok_b": hitsOf("b", 1)}}
	response, err := packageOf(f, fanout.PackageOptions{}, aMember("a"), aMember("b")).Do(t.Context(), searchRequest("limit", "2"))
	again := aMember("a")
	again.GrantID = "grt_new"
	response, err = packageOf(f, fanout.PackageOptions{}, again, aMember("b")).Do(
		t.Context(),
		searchRequest("limit", "2", "cursor", readMerged(t, response, err).NextCursor),
	)
	if m := readMerged(t, response, err); m.keys() != "a1 a2" || len(m.Unavailable) > 0 {
		t.Errorf("%q, without %q", m.keys(), m.missing())
	}
}
