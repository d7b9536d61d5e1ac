package fanout_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
)

func TestPackageSearchTakesPart(t *testing.T) {
	members := []fanout.Member{aMember("a", "messages", "threads"), aMember("b", "notes"), aMember("c", "messages", "files")}
	const rest = "q=invoice"
	for name, row := range map[string]struct {
		request rs.Request
		asked   []string
		keys    string
		warning string // about streams that were left out
	}{
		"S3-16a an unscoped search asks every member for its own connection": {
			request: searchRequest(),
			asked: []string{
				"tok_a /v1/search?connection_id=cin_a&limit=20&" + rest,
				"tok_b /v1/search?connection_id=cin_b&limit=20&" + rest,
				"tok_c /v1/search?connection_id=cin_c&limit=20&" + rest,
			},
			keys: "a0 b0 c0 a1 b1 c1",
		},
		"S3-16b each member is asked for the streams that it was granted": {
			request: searchRequest("streams", "files", "streams", "notes", "streams", "messages"),
			asked: []string{
				"tok_a /v1/search?connection_id=cin_a&limit=20&" + rest + "&streams=messages",
				"tok_b /v1/search?connection_id=cin_b&limit=20&" + rest + "&streams=notes",
				"tok_c /v1/search?connection_id=cin_c&limit=20&" + rest + "&streams=files&streams=messages",
			},
			keys: "a0 b0 c0 a1 b1 c1",
		},
		"S3-16c a member with none of the streams is not asked": {
			request: searchRequest("streams", "messages"),
			asked: []string{
				"tok_a /v1/search?connection_id=cin_a&limit=20&" + rest + "&streams=messages",
				"tok_c /v1/search?connection_id=cin_c&limit=20&" + rest + "&streams=messages",
			},
			keys: "a0 c0 a1 c1",
		},
		"S3-16c a member is not asked for parts of records of a stream that it has not": {
			request: withParts(searchRequest("streams", "files", "streams", "messages"), "messages"),
			asked:   []string{"tok_c /v1/search?connection_id=cin_c&limit=20&" + rest + "&streams=files&streams=messages"},
			keys:    "c0 c1",
		},
		"S3-16d parts that a named connection has not are no reason for a warning": {
			request: withParts(searchRequest("connection_id", "cin_a", "streams", "threads", "streams", "files"), "files"),
			asked:   []string{"tok_a /v1/search?connection_id=cin_a&" + rest + "&streams=threads"},
			keys:    "a0 a1",
		},
		"S3-16d S0-6b a named connection is searched alone, with the caller's own limit and streams": {
			request: searchRequest("connection_id", "cin_c", "limit", "1", "streams", "messages"),
			asked:   []string{"tok_c /v1/search?connection_id=cin_c&limit=1&" + rest + "&streams=messages"},
			keys:    "c0",
		},
		"S3-R16 a named connection is asked for the streams that it was granted": {
			request: searchRequest("connection_id", "cin_c", "streams", "threads", "streams", "files", "streams", "notes", "streams", "files"),
			asked:   []string{"tok_c /v1/search?connection_id=cin_c&" + rest + "&streams=files"},
			keys:    "c0 c1",
			warning: `"threads", "notes"`,
		},
		"S0-6a limit counts merged hits": {
			request: searchRequest("limit", "4"),
			asked: []string{
				"tok_a /v1/search?connection_id=cin_a&limit=4&" + rest,
				"tok_b /v1/search?connection_id=cin_b&limit=4&" + rest,
				"tok_c /v1/search?connection_id=cin_c&limit=4&" + rest,
			},
			keys: "a0 b0 c0 a1",
		},
		"a filter reaches the members that have its stream": {
			request: searchRequest("streams", "notes", "filter[author][gte]", "m"),
			asked:   []string{"tok_b /v1/search?connection_id=cin_b&filter%5Bauthor%5D%5Bgte%5D=m&limit=20&" + rest + "&streams=notes"},
			keys:    "b0 b1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := &packageRS{answers: map[string]memberAnswer{"tok_a": hitsOf("a", 2), "tok_b": hitsOf("b", 2), "tok_c": hitsOf("c", 2)}}
			response, err := packageOf(f, fanout.PackageOptions{}, members...).Do(t.Context(), row.request)
			m := readMerged(t, response, err)
			if diff := cmp.Diff(row.asked, f.heard(t)); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if m.keys() != row.keys {
				t.Errorf("hits are %q, want %q", m.keys(), row.keys)
			}
			if w := m.Meta.Warnings; len(w) != min(len(row.warning), 1) ||
				len(w) == 1 && (w[0].Code != "stream_not_granted" || !strings.Contains(w[0].Message, row.warning)) {
				t.Errorf("warnings are %+v, want %s", w, row.warning)
			}
			for _, hit := range m.Data {
				letter := hit.RecordKey[:1]
				want := aMember(letter).Connection
				got := rs.Connection{GrantID: hit.GrantID, ConnectorKey: hit.ConnectorKey, ID: hit.ConnectionID, DisplayName: hit.DisplayName}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("hit %s says of its source (-want +got):\n%s", hit.RecordKey, diff)
				}
			}
		})
	}
}

// S3-R16: if the named connection has two grants, the one with most of the streams is searched.
func TestPackageSearchOfAConnectionWithTwoGrants(t *testing.T) {
	f := &packageRS{answers: map[string]memberAnswer{"tok_a": hitsOf("a", 1), "tok_b": says(`{"data":{"results":[],"meta":{"warnings":[{"code":"own"}]}}}`)}}
	p := packageOf(f, fanout.PackageOptions{}, aMember("a", "messages"), sameConnection(aMember("b", "notes", "tags"), "a"))
	response, err := p.Do(t.Context(), searchRequest("connection_id", "cin_a", "streams", "messages", "streams", "notes", "streams", "tags"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"tok_b /v1/search?connection_id=cin_a&q=invoice&streams=notes&streams=tags"}, f.heard(t)); diff != "" {
		t.Error(diff)
	}
	const want = `{"data":{"results":[],"meta":{"warnings":[{"code":"own"},{"code":"stream_not_granted","message":"This connection's grant does not hold \"messages\"; it was left out."}]}}}`
	if diff := cmp.Diff(want, response.Body); diff != "" {
		t.Error(diff)
	}
}

func TestPackageSearchReadsEveryEnvelope(t *testing.T) {
	const hit = `{"record_key":"a0","stream":"messages","score":{"value":-1.50},"connection_id":"cin_a","display_name":"Own"}`
	for name, body := range map[string]string{
		"S3-16a data[]":         `{"data":[` + hit + `],"has_more":false}`,
		"S3-16a data.results[]": `{"data":{"results":[` + hit + `],"has_more":false}}`,
		"S3-16a data.data[]":    `{"data":{"data":[` + hit + `]}}`,
		"results[]":             `{"results":[` + hit + `]}`,
		"hits[]":                `{"hits":[` + hit + `]}`,
		"items that are no hit": `{"data":[null,7,"x",` + hit + `,[]]}`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, request := range []rs.Request{searchRequest(), searchRequest("connection_id", "cin_a")} {
				f := &packageRS{answers: map[string]memberAnswer{"tok_a": says(body)}}
				response, err := packageOf(f, fanout.PackageOptions{}, aMember("a"), aMember("b", "notes")).Do(t.Context(), request)
				if err != nil {
					t.Fatal(err)
				}
				if body := response.Body; !strings.Contains(body, strings.TrimSuffix(hit, "}")+`,"connector_key":"mail","grant_id":"grt_a"}`) {
					t.Errorf("the hit's own bytes and source are not kept: %s", body)
				}
			}
		})
	}
}

// S3-3a, D14: the failure of one member is reported and does not affect the others.
func TestPackageSearchServesOthersWhenAMemberFails(t *testing.T) {
	for name, row := range map[string]struct {
		answer  memberAnswer
		missing string
		goesOn  bool // the next page asks again
	}{
		"it hangs":              {hangs, "cin_b=deadline_exceeded", true},
		"its grant was revoked": {fails(403, "grant_revoked"), "cin_b=grant_revoked", false},
		"its token is dead":     {fails(401, "context.active_false"), "cin_b=context.active_false", false},
		"its own deadline passed": {
			func(context.Context, rs.Request) (*rs.Response, error) { return nil, context.DeadlineExceeded }, "cin_b=deadline_exceeded", true,
		},
		"its time is over, of which it says something else": {
			func(ctx context.Context, _ rs.Request) (*rs.Response, error) {
				<-ctx.Done()
				return nil, &rs.Error{Code: "server_unreachable"}
			}, "cin_b=deadline_exceeded", true,
		},
		"it is overloaded":              {fails(429, "rate_limited"), "cin_b=rate_limited", true},
		"it is broken":                  {fails(502, "upstream_error"), "cin_b=upstream_error", true},
		"it is out of reach":            {fails(0, "server_unreachable"), "cin_b=server_unreachable", true},
		"it answers garbage":            {says(`{"data":{"data":"none"}}`), "cin_b=invalid_response", true},
		"it answers no object":          {says(`[1,2]`), "cin_b=invalid_response", true},
		"it does not know the search":   {fails(400, "search_mode_unavailable"), "cin_b=search_mode_unavailable", false},
		"its reader panics":             {func(context.Context, rs.Request) (*rs.Response, error) { panic("secret") }, "cin_b=internal_error", true},
		"it fails with an unknown kind": {func(context.Context, rs.Request) (*rs.Response, error) { return nil, fmt.Errorf("secret") }, "cin_b=internal_error", true},
	} {
		t.Run(name, func(t *testing.T) {
			f := &packageRS{answers: map[string]memberAnswer{"tok_a": hitsOf("a", 2), "tok_b": row.answer, "tok_c": hitsOf("c", 1)}}
			p := packageOf(f, fanout.PackageOptions{}, aMember("a"), aMember("b"), aMember("c"))
			var response *rs.Response
			var err error
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				response, err = p.Do(t.Context(), searchRequest())
				if took := time.Since(start); took > fanout.DefaultMemberDeadline {
					t.Errorf("one member cost %v", took)
				}
			})
			m := readMerged(t, response, err)
			if m.keys() != "a0 c0 a1" || m.missing() != row.missing {
				t.Errorf("hits %q without %q, want a0 c0 a1 without %q", m.keys(), m.missing(), row.missing)
			}
			if m.HasMore != row.goesOn || (m.NextCursor != "") != row.goesOn {
				t.Errorf("has_more=%t with cursor %q, want %t", m.HasMore, m.NextCursor, row.goesOn)
			}
			if m.Meta.Accuracy != "lower_bound" || !strings.Contains(string(m.Meta.Recall), `"complete":false`) {
				t.Errorf("the missing member is counted as searched: %s %s", m.Meta.Accuracy, m.Meta.Recall)
			}
			if len(m.Meta.Warnings) != 1 || !strings.Contains(m.Meta.Warnings[0].Message, "B Mail ("+string(m.Unavailable[0].Code)+")") {
				t.Errorf("warnings are %+v", m.Meta.Warnings)
			}
			if strings.Contains(response.Body, "secret") {
				t.Errorf("a cause is shown: %s", response.Body)
			}
		})
	}
}

func TestPackageSearchRefuses(t *testing.T) {
	both := []fanout.Member{aMember("a"), aMember("b")}
	for name, row := range map[string]struct {
		members []fanout.Member
		request rs.Request
		want    rs.Code
		says    string
	}{
		"S3-16c a stream that nobody was granted": {both, searchRequest("streams", "photos"), "grant_stream_not_allowed", `"photos"`},
		"S3-R16 a stream that a named connection was not granted": {
			[]fanout.Member{aMember("a"), aMember("b", "notes")}, searchRequest("connection_id", "cin_a", "streams", "notes"), "grant_stream_not_allowed", `"notes"`,
		},
		"S3-16d a connection that is not there":             {both, searchRequest("connection_id", "cin_x"), "connection_not_found", `"cin_x"`},
		"S3-16d a stream of a connection that is not there": {both, searchRequest("connection_id", "cin_x", "streams", "messages"), "connection_not_found", `"cin_x"`},
		"S3-3a a connection that was revoked": {
			[]fanout.Member{aMember("a"), refusedMember("b", "grant_revoked")}, searchRequest("connection_id", "cin_b"), "grant_revoked", `"cin_b"`,
		},
		"S3-3a nothing but revoked connections": {
			[]fanout.Member{refusedMember("a", "grant_revoked"), refusedMember("b", "grant_expired")}, searchRequest(), "grant_revoked", "None of the 2",
		},
		"a package without members":       {nil, searchRequest(), "connection_not_found", "holds no connection"},
		"a limit that is no number":       {both, searchRequest("limit", "many"), "invalid_arguments", `"many"`},
		"a limit of nothing":              {both, searchRequest("limit", "0"), "invalid_arguments", `"0"`},
		"a cursor of somebody else":       {both, searchRequest("cursor", "eyJvZmYiOjN9"), "invalid_cursor", "not one that"},
		"a cursor on a hybrid search":     {both, rs.Request{Path: rs.Path("search", "hybrid"), Query: searchRequest("cursor", "x").Query}, "invalid_cursor", "no pages"},
		"a search mode that is not one":   {both, rs.Request{Path: rs.Path("search", "fuzzy"), Query: searchRequest().Query}, "not_found", "not available"},
		"a path that leaves the read API": {both, rs.Request{Path: "/v1/streams/../owner"}, "not_found", "not available"},
		"a path outside of it":            {both, rs.Request{Path: "/admin"}, "not_found", "not available"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &packageRS{answers: map[string]memberAnswer{"tok_a": hitsOf("a", 2), "tok_b": hitsOf("b", 2)}}
			_, err := packageOf(f, fanout.PackageOptions{}, row.members...).Do(t.Context(), row.request)
			if e := wantCode(t, err, row.want); !strings.Contains(e.Message, row.says) || e.Hint == "" {
				t.Errorf("%q (%q) does not say %q", e.Message, e.Hint, row.says)
			}
			f.wantSilence(t)
		})
	}
}

// If all members fail, one error is returned for all.
func TestPackageSearchFailsAsOne(t *testing.T) {
	for name, row := range map[string]struct {
		a, b memberAnswer
		want rs.Code
	}{
		"all say 401":                                      {fails(401, "context.active_false"), fails(401, "context.active_false"), "context.active_false"},
		"all say 403":                                      {fails(403, "grant_revoked"), fails(403, "grant_expired"), "grant_revoked"},
		"a fault of the request is everybody's":            {fails(403, "grant_revoked"), fails(400, "invalid_request"), "invalid_request"},
		"what may pass counts more than a refusal":         {fails(403, "grant_revoked"), fails(503, "unavailable"), "unavailable"},
		"to wait tells more than to be broken":             {fails(500, "broken"), fails(429, "rate_limited"), "rate_limited"},
		"an answer tells more than silence":                {fails(0, "server_unreachable"), fails(500, "broken"), "broken"},
		"a deadline tells more than an unreachable member": {fails(0, "server_unreachable"), hangs, "deadline_exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &packageRS{answers: map[string]memberAnswer{"tok_a": row.a, "tok_b": row.b}}
			p := packageOf(f, fanout.PackageOptions{}, aMember("a"), aMember("b"))
			synctest.Test(t, func(t *testing.T) {
				_, err := p.Do(t.Context(), searchRequest())
				if e := wantCode(t, err, row.want); len(e.Unavailable) != 2 {
					t.Errorf("unavailable are %+v, want both", e.Unavailable)
				}
			})
		})
	}
}

func TestPackageSearchAddsUpWhatMembersCount(t *testing.T) {
	answer := func(meta string) memberAnswer { return says(`{"data":[{"record_key":"x"}],"meta":` + meta + `}`) }
	numbered := func(words int) string {
		list := make([]string, words)
		for i := range list {
			list[i] = fmt.Sprintf(`"w%d"`, i)
		}
		return rs.JoinArray(list)
	}
	for name, row := range map[string]struct {
		a, b string
		want string
	}{
		"exact and exact": {`{"count":2,"count_accuracy":"exact"}`, `{"count":{"kind":"exact","value":3}}`, `{"count":5,"count_accuracy":"exact","warnings":[]}`},
		"a lower bound makes a lower bound": {
			`{"count":2,"count_accuracy":"exact"}`, `{"count":200,"count_accuracy":"lower_bound"}`, `{"count":202,"count_accuracy":"lower_bound","warnings":[]}`,
		},
		"one that does not count makes a lower bound": {`{"count":2,"count_accuracy":"exact"}`, `{"count":{"kind":"none"}}`, `{"count":2,"count_accuracy":"lower_bound","warnings":[]}`},
		"an estimate makes an estimate":               {`{"count":2,"count_accuracy":"exact"}`, `{"count":{"kind":"estimated","value":40}}`, `{"count":{"kind":"estimated","value":42},"warnings":[]}`},
		"a count below nothing is none":               {`{"count":2,"count_accuracy":"exact"}`, `{"count":-1,"count_accuracy":"exact"}`, `{"count":2,"count_accuracy":"lower_bound","warnings":[]}`},
		"a number that is none counts nothing":        {`{"count":2,"count_accuracy":"exact"}`, `{"count":5,"count_accuracy":"none"}`, `{"count":2,"count_accuracy":"lower_bound","warnings":[]}`},
		"an estimate in another word":                 {`{"count":2,"count_accuracy":"estimate"}`, `{"count":3,"count_accuracy":"exact"}`, `{"count":{"kind":"estimated","value":5},"warnings":[]}`},
		"and in a third":                              {`{"count":2,"count_accuracy":"approximate"}`, `{"count":3,"count_accuracy":"exact"}`, `{"count":{"kind":"estimated","value":5},"warnings":[]}`},
		"what is below nothing adds nothing": {
			`{"recall":{"complete":true,"ranked_candidate_count":-1,"sources_searched_count":-1,"candidate_window_limit":-1,"truncated_source_count":-1,"partial_count":-1}}`,
			`{"recall":{"complete":true}}`,
			`{"count":{"kind":"none"},"recall":{"complete":true,"ranked_candidate_count":0,"truncated":false,"sources_searched_count":0},"warnings":[]}`,
		},
		"a word occurs nowhere that no member has": {
			`{"recall":{"complete":true,"missing_words":["x","y"]}}`, `{"recall":{"complete":true,"missing_words":["y","z"]}}`,
			`{"count":{"kind":"none"},"recall":{"complete":true,"ranked_candidate_count":0,"truncated":false,"sources_searched_count":0,"missing_words":["y"]},"warnings":[]}`,
		},
		"of many such words the first 32 are kept": {
			`{"recall":{"complete":true,"missing_words":` + numbered(33) + `}}`, `{"recall":{"complete":true,"missing_words":` + numbered(33) + `}}`,
			`{"count":{"kind":"none"},"recall":{"complete":true,"ranked_candidate_count":0,"truncated":false,"sources_searched_count":0,"missing_words":` + numbered(32) +
				`},"warnings":[]}`,
		},
		"of a member that does not answer nothing is known": {
			`{"recall":{"complete":true,"missing_words":["x"]}}`, "",
			`{"count":{"kind":"none"},"recall":{"complete":false,"ranked_candidate_count":0,"truncated":false,"sources_searched_count":0,"missing_words":["x"]},` +
				`"warnings":[{"code":"unavailable_connections","message":"Connections that could not be read: B Mail (x)."}]}`,
		},
		"a sum beyond the largest number is a lower bound": {
			`{"count":9223372036854775807,"count_accuracy":"exact"}`, `{"count":1,"count_accuracy":"exact"}`,
			`{"count":9223372036854775807,"count_accuracy":"lower_bound","warnings":[]}`,
		},
		"no sum is below nothing": {
			`{"recall":{"complete":true,"ranked_candidate_count":9223372036854775807,"sources_searched_count":9223372036854775807,"truncated_source_count":9223372036854775807,"partial_count":9223372036854775807}}`,
			`{"recall":{"complete":true,"ranked_candidate_count":9223372036854775807,"sources_searched_count":1,"truncated_source_count":1,"partial_count":1}}`,
			`{"count":{"kind":"none"},"recall":{"complete":true,"ranked_candidate_count":9223372036854775807,"truncated":false,"sources_searched_count":9223372036854775807,` +
				`"truncated_source_count":9223372036854775807,"partial_count":9223372036854775807},"warnings":[]}`,
		},
		"nobody counts": {`{"count":{"kind":"none"}}`, `{}`, `{"count":{"kind":"none"},"warnings":[]}`},
		"recall is complete where all are": {
			`{"recall":{"complete":true,"ranking_scope":"all_matches","ranked_candidate_count":2,"sources_searched_count":1}}`,
			`{"recall":{"complete":true,"ranking_scope":"all_matches","ranked_candidate_count":3,"sources_searched_count":2}}`,
			`{"count":{"kind":"none"},"recall":{"complete":true,"ranked_candidate_count":5,"ranking_scope":"all_matches","truncated":false,"sources_searched_count":3},"warnings":[]}`,
		},
		"recall is incomplete where one is": {
			`{"recall":{"complete":false,"ranking_scope":"candidate_window","truncated":true,"ranked_candidate_count":260,"candidate_window_limit":200,"truncated_source_count":1}}`,
			`{"recall":{"complete":true,"ranking_scope":"all_matches","ranked_candidate_count":3}}`,
			`{"count":{"kind":"none"},"recall":{"complete":false,"ranked_candidate_count":263,"ranking_scope":"candidate_window","truncated":true,"sources_searched_count":0,"candidate_window_limit":200,"truncated_source_count":1},"warnings":[]}`,
		},
		"warnings stand once": {
			`{"warnings":[{"code":"x","message":"y"}]}`, `{"warnings":[{"code":"x","message":"y"},{"code":"z"}]}`,
			`{"count":{"kind":"none"},"warnings":[{"code":"x","message":"y"},{"code":"z"}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := &packageRS{answers: map[string]memberAnswer{"tok_a": answer(row.a), "tok_b": answer(row.b)}}
			if row.b == "" {
				f.answers["tok_b"] = fails(400, "x")
			}
			response, err := packageOf(f, fanout.PackageOptions{}, aMember("a"), aMember("b")).Do(t.Context(), searchRequest())
			if err != nil {
				t.Fatal(err)
			}
			var body struct {
				Meta json.RawMessage `json:"meta"`
			}
			if err := json.Unmarshal([]byte(response.Body), &body); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, string(body.Meta)); diff != "" {
				t.Errorf("meta (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPackageSearchWarnsOfAStreamThatNobodyHas(t *testing.T) {
	f := &packageRS{answers: map[string]memberAnswer{"tok_a": hitsOf("a", 1)}}
	response, err := packageOf(
		f,
		fanout.PackageOptions{},
		aMember("a"),
		aMember("b", "notes"),
	).Do(
		t.Context(),
		searchRequest("streams", "messages", "streams", "photos"),
	)
	m := readMerged(t, response, err)
	if m.keys() != "a0" || len(m.Meta.Warnings) != 1 || m.Meta.Warnings[0].Code != "stream_not_granted" || !strings.Contains(m.Meta.Warnings[0].Message, `"photos"`) {
		t.Errorf("hits %q, warnings %+v", m.keys(), m.Meta.Warnings)
	}
}

// A hybrid search has no cursor, but has_more says whether there are more hits.
func TestPackageHybridSearchHasNoCursor(t *testing.T) {
	f := &packageRS{answers: map[string]memberAnswer{"tok_a": hitsOf("a", 3), "tok_b": hitsOf("b", 1)}}
	p := packageOf(f, fanout.PackageOptions{}, aMember("a"), aMember("b"))
	for limit, more := range map[string]bool{"2": true, "10": false} {
		response, err := p.Do(t.Context(), rs.Request{Path: rs.Path("search", "hybrid"), Query: searchRequest("limit", limit).Query})
		if m := readMerged(t, response, err); m.HasMore != more || m.NextCursor != "" {
			t.Errorf("limit %s: has_more=%t, cursor %q", limit, m.HasMore, m.NextCursor)
		}
	}
}

// A member that shares its grant with another is searched with its connection_id, because otherwise hits would occur twice.
func TestPackageSearchOfConnectionsThatShareAGrant(t *testing.T) {
	first, second := aMember("a"), aMember("b")
	second.GrantID, second.Token = first.GrantID, first.Token
	f := &packageRS{answers: map[string]memberAnswer{"tok_a": func(ctx context.Context, r rs.Request) (*rs.Response, error) {
		return hitsOf(strings.TrimPrefix(r.Query.Get("connection_id"), "cin_"), 2)(ctx, r)
	}}}
	response, err := packageOf(f, fanout.PackageOptions{}, first, second, first).Do(t.Context(), searchRequest())
	if m := readMerged(t, response, err); m.keys() != "a0 b0 a1 b1" {
		t.Errorf("hits are %q", m.keys())
	}
}

func TestPackageFanoutIsBounded(t *testing.T) {
	t.Run("no more members are asked at a time than the width", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := &packageRS{answers: map[string]memberAnswer{}}
			members := make([]fanout.Member, 20)
			for i := range members {
				members[i] = aMember(fmt.Sprint(i))
				f.answers["tok_"+fmt.Sprint(i)] = func(ctx context.Context, r rs.Request) (*rs.Response, error) {
					time.Sleep(time.Second)
					return hitsOf("x", 1)(ctx, r)
				}
			}
			start := time.Now()
			response, err := packageOf(f, fanout.PackageOptions{Width: 3}, members...).Do(t.Context(), searchRequest())
			if m := readMerged(t, response, err); len(m.Data) != 20 || f.widest != 3 || time.Since(start) != 7*time.Second {
				t.Errorf("%d hits, %d reads at a time, %v", len(m.Data), f.widest, time.Since(start))
			}
		})
	})
	t.Run("many hanging members together cost three deadlines", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := &packageRS{answers: map[string]memberAnswer{}}
			var members []fanout.Member // none answers: which of them are asked in that time is not certain
			for i := range 30 {
				members = append(members, aMember(fmt.Sprint(i)))
				f.answers["tok_"+fmt.Sprint(i)] = hangs
			}
			start := time.Now()
			_, err := packageOf(f, fanout.PackageOptions{Width: 2}, members...).Do(t.Context(), searchRequest())
			wantCode(t, err, "deadline_exceeded")
			if asked, took := len(f.heard(t)), time.Since(start); asked > 9 || took != 3*fanout.DefaultMemberDeadline {
				t.Errorf("%d members were asked in %v", asked, took)
			}
		})
	})
	t.Run("a caller that hangs up ends every read", func(t *testing.T) {
		for _, request := range []rs.Request{searchRequest(), {Path: rs.Path("schema")}, {Path: rs.Path("streams")}, {Path: rs.Path("blobs", "b1")}} {
			ctx, hangUp := context.WithCancel(t.Context())
			f := &packageRS{answers: map[string]memberAnswer{
				"tok_a": fails(404, "blob_not_found"),
				"tok_b": func(ctx context.Context, r rs.Request) (*rs.Response, error) { hangUp(); return hangs(ctx, r) },
			}}
			_, err := packageOf(f, fanout.PackageOptions{MemberDeadline: time.Minute}, aMember("a"), aMember("b")).Do(ctx, request)
			wantCode(t, err, "canceled")
			if f.active != 0 {
				t.Errorf("%d reads outlive the call", f.active)
			}
		}
	})
	t.Run("the caller's own deadline serves what came in time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			f := &packageRS{answers: map[string]memberAnswer{"tok_a": hitsOf("a", 1), "tok_b": hangs}}
			response, err := packageOf(f, fanout.PackageOptions{}, aMember("a"), aMember("b")).Do(ctx, searchRequest())
			if m := readMerged(t, response, err); m.keys() != "a0" || m.missing() != "cin_b=deadline_exceeded" {
				t.Errorf("hits %q without %q", m.keys(), m.missing())
			}
		})
	})
}

// S0-8a: neither creating a package nor Choose reads any member.
func TestPackageIsSilentUntilAsked(t *testing.T) {
	f := &packageRS{answers: map[string]memberAnswer{"tok_a": hangs}}
	p := packageOf(f, fanout.PackageOptions{}, aMember("a"), aMember("b"))
	if err := p.Choose(rs.Scope{Stream: "messages", ConnectionID: "cin_a"}); err != nil {
		t.Errorf("choose: %v", err)
	}
	wantCode(t, p.Choose(rs.Scope{Stream: "messages"}), "ambiguous_connection")
	f.wantSilence(t)
}

// S0-6b: a hit that names another connection, also by the older member name, keeps that connection, so it can be left out.
func TestAHitOfAnotherConnectionIsNotRenamed(t *testing.T) {
	for name, row := range map[string]struct{ hit, want string }{
		"the asked connection by its older name": {`{"connector_instance_id":"cin_a"}`, `"connection_id":"cin_a"`},
		"no connection":                          {`{"record_key":"1"}`, `"connection_id":"cin_a"`},
		"another by the older name":              {`{"connector_instance_id":"cin_x"}`, `[{"connector_instance_id":"cin_x"}]`},
		"another":                                {`{"connection_id":"cin_x"}`, `[{"connection_id":"cin_x"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			f := &packageRS{answers: map[string]memberAnswer{"tok_a": says(`{"object":"list","data":[` + row.hit + `],"has_more":false}`)}}
			response, err := packageOf(
				f,
				fanout.PackageOptions{},
				aMember("a"),
				aMember("b"),
			).Do(
				t.Context(),
				searchRequest("connection_id", "cin_a"),
			)
			if err != nil || !strings.Contains(response.Body, row.want) {
				t.Errorf("%v, %v; want %s", response, err, row.want)
			}
		})
	}
}

// A refusal of streams that are not granted names up to three and counts the others.
func TestStreamsThatAreNotGrantedAreNamed(t *testing.T) {
	for streams, want := range map[string]string{
		"x":         `No connection of this package grants the stream "x".`,
		"x y z":     `No connection of this package grants the stream "x", "y", "z".`,
		"x y z v w": `No connection of this package grants the stream "x", "y", "z", and 2 more.`,
	} {
		f := &packageRS{}
		r := searchRequest()
		r.Query["streams"] = strings.Fields(streams)
		_, err := packageOf(f, fanout.PackageOptions{}, aMember("a"), aMember("b")).Do(t.Context(), r)
		if e := wantCode(t, err, "grant_stream_not_allowed"); e.Message != want {
			t.Errorf("%s, not %s", e.Message, want)
		}
		f.wantSilence(t)
	}
}

// The work for a member's schema is proportional to its size, and a cursor may have at most MaxMembers turns, even if either is hostile.
func TestAHostileMemberAndCursorEndSoon(t *testing.T) {
	const n = 100_000
	body := `{"detail":"compact","connectors":[` + strings.Repeat(`{},`, n-1) + `{}],"streams":[` + strings.Repeat(`{},`, rs.MaxItems-1) + `{}]}`
	f := &packageRS{answers: map[string]memberAnswer{"tok_a": says(body)}}
	began := time.Now()
	if _, err := packageOf(f, fanout.PackageOptions{}, aMember("a")).Do(t.Context(), rs.CompactSchemaRequest("", "")); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("a schema of %d bytes took %s", len(body), took)
	}

	members := []fanout.Member{aMember("a")}
	for i := range 4000 {
		c := refusedMember("z", "grant_revoked")
		c.ID = fmt.Sprintf("x%d", i)
		members = append(members, c)
	}
	f = &packageRS{answers: map[string]memberAnswer{"tok_a": hitsOf("a", 30)}}
	p, r := packageOf(f, fanout.PackageOptions{}, members...), searchRequest("limit", "10")
	response, err := p.Do(t.Context(), r)
	cursor := readMerged(t, response, err).NextCursor
	for _, more := range []int{fanout.MaxMembers - 1, fanout.MaxMembers} {
		data, _ := base64.RawURLEncoding.DecodeString(cursor)
		var c map[string]any
		if err := json.Unmarshal(data, &c); err != nil {
			t.Fatal(err)
		}
		turns, _ := c["t"].([]any)
		for i := range more {
			turns = append(turns, map[string]any{"i": fmt.Sprintf("n%d", i)})
		}
		c["t"] = turns
		if data, err = json.Marshal(c); err != nil {
			t.Fatal(err)
		}
		r.Query.Set("cursor", base64.RawURLEncoding.EncodeToString(data))
		began = time.Now()
		_, err = p.Do(t.Context(), r)
		if took := time.Since(began); took > 20*time.Second || (err == nil) != (more < fanout.MaxMembers) {
			t.Errorf("a cursor of %d turns took %s: %v", len(turns), took, err)
		}
	}
}

// S3-16c: a page says which parts of records were searched beside the streams that were named, and only if there were any.
func TestPackageSearchSaysWhichPartsItSearched(t *testing.T) {
	members := []fanout.Member{aMember("a", "messages"), aMember("c", "messages", "files")}
	for name, row := range map[string]struct {
		request rs.Request
		want    string
	}{
		"no parts": {searchRequest("streams", "messages"), ""},
		"parts":    {withParts(searchRequest("streams", "messages", "streams", "files"), "files"), `"also_searched":["files"]`},
	} {
		f := &packageRS{answers: map[string]memberAnswer{"tok_a": hitsOf("a", 1), "tok_c": hitsOf("c", 1)}}
		response, err := packageOf(f, fanout.PackageOptions{}, members...).Do(t.Context(), row.request)
		if err != nil || !strings.Contains(response.Body, row.want) || row.want == "" && strings.Contains(response.Body, "also_searched") {
			t.Errorf("%s: %+v (%v)", name, response, err)
		}
	}
}
