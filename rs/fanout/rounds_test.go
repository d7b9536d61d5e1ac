package fanout_test

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
)

// pagesOf is a member with the given pages, of any length, one letter for each hit: a has all words of the query, s has some.
func pagesOf(prefix string, pages ...string) memberAnswer {
	return func(ctx context.Context, r rs.Request) (*rs.Response, error) {
		at := 0
		_, _ = fmt.Sscanf(r.Query.Get("cursor"), "p%d", &at)
		var hits []string
		for i, letter := range pages[at] {
			hits = append(hits, fmt.Sprintf(`{"record_key":"%s%d%d","match":%q}`, prefix, at, i, map[rune]string{'a': "all", 's': "some"}[letter]))
		}
		next := ""
		if at+1 < len(pages) {
			next = fmt.Sprintf(`,"next_cursor":"p%d"`, at+1)
		}
		return says(`{"data":[`+strings.Join(hits, ",")+`]`+next+`}`)(ctx, r)
	}
}

// Members are read only as far as a page needs, and no hit with all words follows one with some because its page is not read yet.
func TestAPageReadsWhatItNeeds(t *testing.T) {
	for name, row := range map[string]struct {
		a, b, c  []string // pages
		limit    string
		oneRound bool
		keys     string
		reads    int
		rounds   int
	}{
		"a page that is full":    {[]string{"a", "a"}, []string{"a", "a"}, []string{"a"}, "3", false, "a00 b00 c00", 3, 1},
		"one hit more":           {[]string{"a", "a"}, []string{"a", "a"}, []string{"a", "a"}, "4", false, "a00 b00 c00 a10", 4, 2},
		"all that there is":      {[]string{"a", "a"}, []string{"a"}, []string{"a"}, "9", false, "a00 b00 c00 a10", 4, 2},
		"one round":              {[]string{"a", "a"}, []string{"a"}, []string{"a"}, "9", true, "a00 b00 c00", 3, 1},
		"an empty page leads on": {[]string{"", "", "a"}, []string{"a"}, []string{"a"}, "9", false, "a20 b00 c00", 5, 3},
		"a page that is missing may have all words":      {[]string{"a", "a"}, []string{"s"}, []string{"s"}, "4", false, "a00 a10 b00 c00", 4, 2},
		"what has all words waits for no page":           {[]string{"a", "a"}, []string{"aa"}, []string{"s"}, "2", false, "a00 b00", 3, 1},
		"what has some words waits for those that may":   {[]string{"a", "s"}, []string{"s"}, []string{"s"}, "2", false, "a00 b00", 4, 2},
		"of the last pages none is missing any more":     {[]string{"s"}, []string{"s"}, []string{"a"}, "3", false, "c00 a00 b00", 3, 1},
		"nothing at all is one round, and no reads more": {[]string{""}, []string{""}, []string{""}, "3", false, "", 3, 1},
	} {
		t.Run(name, func(t *testing.T) {
			rounds := 0
			f := &packageRS{answers: map[string]memberAnswer{"tok_a": pagesOf("a", row.a...), "tok_b": pagesOf("b", row.b...), "tok_c": pagesOf("c", row.c...)}}
			p := packageOf(f, fanout.PackageOptions{FannedOut: func(int, int) { rounds++ }}, aMember("a"), aMember("b"), aMember("c"))
			request := searchRequest("limit", row.limit)
			request.OneRound = row.oneRound
			response, err := p.Do(t.Context(), request)
			if m := readMerged(t, response, err); m.keys() != row.keys || len(f.heard(t)) != row.reads || rounds != row.rounds {
				t.Errorf("%q after %d reads in %d rounds", m.keys(), response.Reads, rounds)
			}
		})
	}
}

// A page whose cursor leads to itself is the last of its member, although it has hits.
func TestAPageThatLeadsToItself(t *testing.T) {
	f := &packageRS{answers: map[string]memberAnswer{
		"tok_a": says(`{"data":[{"record_key":"a0"}],"has_more":true,"next_cursor":"p1"}`), "tok_b": hitsOf("b", 1),
	}}
	p := packageOf(f, fanout.PackageOptions{}, aMember("a"), aMember("b"))
	response, err := p.Do(t.Context(), searchRequest("limit", "2"))
	first := readMerged(t, response, err)
	response, err = p.Do(t.Context(), searchRequest("limit", "2", "cursor", first.NextCursor))
	if last := readMerged(t, response, err); first.keys() != "a0 b0" || last.keys() != "a0" || !last.HasMore || last.NextCursor != "" {
		t.Errorf("%q, then %q, has_more=%t, cursor %q", first.keys(), last.keys(), last.HasMore, last.NextCursor)
	}
}

// If a member has more hits but no cursor, the search ends with has_more and without a cursor.
func TestThereIsMoreAndNoWayToIt(t *testing.T) {
	for body, more := range map[string]bool{
		`{"data":[{"record_key":"x"}],"has_more":true}`: true, `{"data":[{"record_key":"x"}],"has_more":false}`: false, `{"data":[],"has_more":true,"next_cursor":""}`: false,
	} {
		f := &packageRS{answers: map[string]memberAnswer{"tok_a": says(body), "tok_b": hitsOf("b", 1)}}
		response, err := packageOf(f, fanout.PackageOptions{}, aMember("a"), aMember("b")).Do(t.Context(), searchRequest())
		if m := readMerged(t, response, err); m.HasMore != more || m.NextCursor != "" {
			t.Errorf("%s: has_more=%t, cursor %q", body, m.HasMore, m.NextCursor)
		}
	}
}

// If a connection has two grants, a cursor resumes each one separately, even if only one of them is left.
func TestAGrantThatIsGoneIsNoOther(t *testing.T) {
	first, second := aMember("a"), aMember("b", "notes")
	second.ID = first.ID
	f := &packageRS{answers: map[string]memberAnswer{"tok_a": hitsOf("a", 3), "tok_b": hitsOf("b", 3)}}
	response, err := packageOf(f, fanout.PackageOptions{}, first, second).Do(t.Context(), searchRequest("limit", "2"))
	cursor := readMerged(t, response, err).NextCursor
	for keys, left := range map[string]fanout.Member{"a1 a2": first, "b1 b2": second} {
		response, err := packageOf(f, fanout.PackageOptions{}, left).Do(t.Context(), searchRequest("limit", "2", "cursor", cursor))
		if m := readMerged(t, response, err); m.keys() != keys || m.missing() != "cin_a=connection_not_found" {
			t.Errorf("hits %q without %q, want %q", m.keys(), m.missing(), keys)
		}
	}
}

// S0-6b: hits of other connections are left out, and a warning counts them.
func TestHitsOfOthersAreCounted(t *testing.T) {
	f := &packageRS{answers: map[string]memberAnswer{
		"tok_a": says(`{"data":[{"record_key":"x","connection_id":"cin_z"},{"record_key":"y","connection_id":"cin_a"}]}`), "tok_b": hitsOf("b", 1),
	}}
	response, err := packageOf(f, fanout.PackageOptions{}, aMember("a"), aMember("b")).Do(t.Context(), searchRequest())
	m := readMerged(t, response, err)
	if m.keys() != "y b0" || len(m.Meta.Warnings) != 1 || m.Meta.Warnings[0].Code != "other_connections" || !strings.Contains(m.Meta.Warnings[0].Message, "; 1 were left out") {
		t.Errorf("%q, %+v", m.keys(), m.Meta.Warnings)
	}
}

// Granted lists the granted streams of the members that can be read now, or nothing if the directory omits them for any member.
func TestWhatAPackageGrants(t *testing.T) {
	silent := aMember("c")
	silent.Streams = nil
	for want, members := range map[string][]fanout.Member{
		"cin_a/messages cin_a/notes cin_b/messages": {aMember("a", "messages", "notes"), aMember("b")},
		"cin_a/messages": {aMember("a"), refusedMember("b", "grant_revoked")},
		"":               {aMember("a"), silent},
	} {
		var got []string
		for _, g := range packageOf(&packageRS{}, fanout.PackageOptions{}, members...).Granted() {
			got = append(got, g.Connection.ID+"/"+g.Stream)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// If only one connection can have a blob, the read may take as long as the call. Otherwise at most 16 connections are tried.
func TestHowFarABlobIsLookedFor(t *testing.T) {
	blob := rs.Request{Path: rs.Path("blobs", "b1"), Query: url.Values{}}
	synctest.Test(t, func(t *testing.T) {
		f := &packageRS{answers: map[string]memberAnswer{"tok_a": func(ctx context.Context, r rs.Request) (*rs.Response, error) {
			select {
			case <-time.After(time.Minute):
				return says("bytes")(ctx, r)
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}}}
		if response, err := packageOf(f, fanout.PackageOptions{}, aMember("a")).Do(t.Context(), blob); err != nil || response.Body != "bytes" {
			t.Error(err)
		}
	})
	for n, asked := range map[int]int{2: 2, 16: 16, 17: 0} {
		f := &packageRS{answers: map[string]memberAnswer{}}
		var members []fanout.Member
		for i := range n {
			members = append(members, aMember(fmt.Sprint(i)))
			f.answers["tok_"+fmt.Sprint(i)] = fails(404, "blob_not_found")
		}
		_, err := packageOf(f, fanout.PackageOptions{}, members...).Do(t.Context(), blob)
		if e := rs.AsError(err); len(f.heard(t)) != asked || (e.Code == "blob_not_found") != (asked > 0) || strings.Contains(e.Hint, "cannot be read") {
			t.Errorf("%d members: %v", n, err)
		}
	}
}

// The connection that an error is about is the first that it names, however many cannot be read.
func TestAnErrorNamesItsConnectionFirst(t *testing.T) {
	members := []fanout.Member{aMember("a")}
	for i := range 2 * rs.MaxConnectionOptions {
		members = append(members, refusedMember(fmt.Sprint(i), "grant_revoked"))
	}
	last := members[len(members)-1].ID
	_, err := packageOf(&packageRS{}, fanout.PackageOptions{}, members...).Do(t.Context(), searchRequest("connection_id", last))
	if e := wantCode(t, err, "grant_revoked"); len(e.Unavailable) != rs.MaxConnectionOptions || e.Unavailable[0].ID != last {
		t.Errorf("%+v", e.Unavailable)
	}
}

// The id of a package is that of the directory, or else that of the token.
func TestTheIDOfAPackage(t *testing.T) {
	for given, want := range map[string]string{"": "pkg_1", "pkg_2": "pkg_2"} {
		f := &packageRS{answers: map[string]memberAnswer{"tok_a": packageSchemaOf("mail", "cin_a", "messages")}}
		authority := fanout.NewPackageAuthority(fanout.PackageAuthorityOptions{
			Authority: memberIntrospector(func(_ context.Context, token rs.Token) (auth.TokenInfo, error) {
				kind, grantID := auth.KindClient, "grt_a"
				if token.Reveal() == packageToken {
					kind, grantID = auth.KindPackage, "pkg_1"
				}
				return auth.TokenInfo{Principal: auth.Principal{Token: token, Kind: kind, GrantID: grantID}}, nil
			}),
			For: f.doer, Directory: directoryFunc(func(context.Context, rs.Token) (fanout.Membership, error) {
				return fanout.Membership{PackageID: given, Members: []fanout.Member{aMember("a")}}, nil
			}),
		})
		info, err := authority.Introspect(t.Context(), rs.NewToken(packageToken))
		if err != nil {
			t.Fatal(err)
		}
		p := info.Principal.Package
		response, err := p.Do(t.Context(), rs.Request{Path: rs.Path("schema"), Query: url.Values{"view": {"compact"}}})
		if err != nil || !strings.Contains(response.Body, `"package_id":"`+want+`"`) {
			t.Errorf("%q: %v, %v", given, response, err)
		}
	}
}

// Malformed paths are refused without a read.
func TestPathsThatAreNotWhole(t *testing.T) {
	for _, path := range []string{"/v1/", "/v1/streams//records", "/v1/streams/%zz/records", "/v1/streams/./records", "/v1/streams/%2E%2E/records", "/v1/streams/"} {
		f := &packageRS{answers: map[string]memberAnswer{"tok_a": says(`{"data":[]}`)}}
		_, err := packageOf(f, fanout.PackageOptions{}, aMember("a")).Do(t.Context(), rs.Request{Path: path, Query: url.Values{}})
		wantCode(t, err, "not_found")
		f.wantSilence(t)
	}
}

// S0-5f: the full form of a stream is the unchanged answer of the one connection; for a stream that is not granted nothing is read.
func TestTheFullFormIsOfOneConnection(t *testing.T) {
	const own = `{"object":"schema","detail":"full","bearer":{"grant_id":"g"},"connectors":[]}`
	f := &packageRS{answers: map[string]memberAnswer{"tok_a": says(own), "tok_b": says(own)}}
	p := packageOf(f, fanout.PackageOptions{}, aMember("a"), aMember("b", "notes"))
	for stream, asked := range map[string]int{"messages": 1, "photos": 0} {
		response, err := p.Do(t.Context(), rs.Request{Path: rs.Path("schema"), Query: url.Values{"detail": {"full"}, "stream": {stream}}})
		if err != nil || (response.Body == own) != (asked == 1) || len(f.heard(t)) != asked {
			t.Errorf("%s: %+v, %v", stream, response, err)
		}
	}
}

// Schemas of different detail are merged into one without a detail, and a connection keeps the grant id in its document.
func TestWhatAMergedSchemaSays(t *testing.T) {
	document := func(detail, connection string) memberAnswer {
		return says(`{"object":"schema",` + detail + `"connectors":[{"connector_key":"k","granted_connections":[` + connection + `]}]}`)
	}
	compact, plain := `"detail":"compact",`, `{"connection_id":"c"}`
	for name, row := range map[string]struct {
		a, b     memberAnswer
		detailed bool
		grants   []string
	}{
		"one form":        {document(compact, plain), document(compact, plain), true, []string{"grt_a", "grt_b"}},
		"two forms":       {document(compact, plain), document(`"detail":"full",`, plain), false, []string{"grt_a", "grt_b"}},
		"no form":         {document("", plain), document("", plain), false, []string{"grt_a", "grt_b"}},
		"one has none":    {document(compact, plain), document("", plain), false, []string{"grt_a", "grt_b"}},
		"a grant its own": {document("", `{"connection_id":"c","grant_id":"own"}`), document("", plain), false, []string{"own", "grt_b"}},
	} {
		f := &packageRS{answers: map[string]memberAnswer{"tok_a": row.a, "tok_b": row.b}}
		response, err := packageOf(f, fanout.PackageOptions{}, aMember("a"), aMember("b")).Do(t.Context(), rs.Request{Path: rs.Path("schema"), Query: url.Values{}})
		if err != nil {
			t.Fatal(err)
		}
		var grants []string
		for _, connector := range response.Schema().Connectors {
			grants = append(grants, connector.Connections[0].GrantID)
		}
		if response.Object().Has("detail") != row.detailed || !slices.Equal(grants, row.grants) {
			t.Errorf("%s: %s", name, response.Body)
		}
	}
	f := &packageRS{answers: map[string]memberAnswer{"tok_a": fails(503, "unavailable")}}
	_, err := packageOf(f, fanout.PackageOptions{}, aMember("a")).Do(t.Context(), rs.Request{Path: rs.Path("schema"), Query: url.Values{}})
	wantCode(t, err, "unavailable")
}

// The row of a grant on two connections has only what both connections share.
func TestARowOfTwoConnections(t *testing.T) {
	for key, want := range map[string]string{"mail": `"connector_key":"mail","grant_id":"grt_a"`, "wiki": `{"name":"messages","grant_id":"grt_a"`} {
		first, second := aMember("a"), aMember("b")
		second.GrantID, second.Token, second.ConnectorKey = first.GrantID, first.Token, key
		f := &packageRS{answers: map[string]memberAnswer{"tok_a": says(`{"object":"list","data":[{"name":"messages"}]}`)}}
		response, err := packageOf(f, fanout.PackageOptions{}, first, second).Do(t.Context(), rs.Request{Path: rs.Path("streams"), Query: url.Values{}})
		if err != nil || !strings.Contains(response.Body, want) || strings.Contains(response.Body, "cin_a") {
			t.Errorf("%s: %+v, %v", key, response, err)
		}
	}
}
