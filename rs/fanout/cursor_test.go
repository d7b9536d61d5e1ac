package fanout_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
)

// walk reads a search page by page to its end and returns the pages' keys.
func walk(t testing.TB, p func() auth.Package, limits func(page int) string, pairs ...string) (pages []string, last merged) {
	t.Helper()
	cursor := ""
	for page := range 200 {
		response, err := p().Do(t.Context(), searchRequest(append(slices.Clone(pairs), "limit", limits(page), "cursor", cursor)...))
		last = readMerged(t, response, err)
		pages = append(pages, last.keys())
		if !last.HasMore {
			return pages, last
		}
		if cursor = last.NextCursor; cursor == "" {
			t.Fatalf("page %d has more and no cursor", page)
		}
	}
	t.Fatal("the search does not end")
	return nil, merged{}
}

func limitOf(limit string) func(int) string { return func(int) string { return limit } }

func TestPackageSearchPages(t *testing.T) {
	for name, row := range map[string]struct {
		hits   map[string]int
		limits []string
		want   []string
	}{
		"turns go on where the page before ended": {
			map[string]int{"a": 3, "b": 1, "c": 4}, []string{"2"}, []string{"a0 b0", "c0 a1", "c1 a2", "c2 c3"},
		},
		"S0-6a the limit may change between pages": {
			map[string]int{"a": 5, "b": 5}, []string{"3", "1", "4"}, []string{"a0 b0 a1", "b1", "a2 b2 a3 b3", "a4 b4"},
		},
		"pages of one":                           {map[string]int{"a": 1, "b": 2}, []string{"1"}, []string{"a0", "b0", "b1"}},
		"one member alone":                       {map[string]int{"a": 5}, []string{"2"}, []string{"a0 a1", "a2 a3", "a4"}},
		"members without hits":                   {map[string]int{"a": 0, "b": 2, "c": 0}, []string{"2"}, []string{"b0 b1"}},
		"nobody has any":                         {map[string]int{"a": 0, "b": 0}, []string{"2"}, []string{""}},
		"a larger limit reads pages as it needs": {map[string]int{"a": 9, "b": 1}, []string{"2", "8"}, []string{"a0 b0", "a1 a2 a3 a4 a5 a6 a7", "a8"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := &packageRS{answers: map[string]memberAnswer{}}
			var members []fanout.Member
			total := 0
			for _, letter := range []string{"a", "b", "c"} {
				if n, ok := row.hits[letter]; ok {
					members = append(members, aMember(letter))
					f.answers["tok_"+letter] = hitsOf(letter, n)
					total += n
				}
			}
			// A new Package for each page: the state of the search is only in the cursor.
			pages, last := walk(t, func() auth.Package { return packageOf(f, fanout.PackageOptions{}, members...) }, func(page int) string {
				return row.limits[min(page, len(row.limits)-1)]
			})
			if !slices.Equal(pages, row.want) {
				t.Errorf("pages are %q, want %q", pages, row.want)
			}
			if string(last.Meta.Count) != fmt.Sprint(total) || last.Meta.Accuracy != "exact" {
				t.Errorf("the last page counts %s (%s), want all %d", last.Meta.Count, last.Meta.Accuracy, total)
			}
			f.heard(t)
		})
	}
}

// S3-R3: a cursor of another search is refused without a read.
func TestPackageCursorIsBound(t *testing.T) {
	f := &packageRS{answers: map[string]memberAnswer{"tok_a": hitsOf("a", 9), "tok_b": hitsOf("b", 9)}}
	p := packageOf(f, fanout.PackageOptions{}, aMember("a", "messages", "notes"), aMember("b"))
	response, err := p.Do(t.Context(), searchRequest("limit", "2", "streams", "messages", "streams", "notes"))
	cursor := readMerged(t, response, err).NextCursor
	f.heard(t)

	elsewhere := fanout.NewPackage(
		fanout.Membership{PackageID: "pkg_2", Members: []fanout.Member{aMember("a"), aMember("b")}},
		f.doer,
		fanout.PackageOptions{},
	)
	same := searchRequest("streams", "messages", "streams", "notes", "cursor", cursor)
	otherPath := same
	otherPath.Path = rs.Path("search", "semantic")
	otherWords := searchRequest("streams", "messages", "streams", "notes", "cursor", cursor)
	otherWords.Query.Set("q", "receipt")
	for name, row := range map[string]struct {
		p       auth.Package
		request rs.Request
	}{
		"another package":    {elsewhere, same},
		"other words":        {p, otherWords},
		"another kind":       {p, otherPath},
		"other streams":      {p, searchRequest("streams", "messages", "cursor", cursor)},
		"another filter":     {p, searchRequest("streams", "messages", "streams", "notes", "filter[a]", "b", "cursor", cursor)},
		"a member's cursor":  {p, searchRequest("streams", "messages", "streams", "notes", "cursor", "a@2")},
		"a broken cursor":    {p, searchRequest("streams", "messages", "streams", "notes", "cursor", cursor[:len(cursor)-3])},
		"a cursor with more": {p, searchRequest("streams", "messages", "streams", "notes", "cursor", cursor+"AAAA")},
		"an endless cursor":  {p, searchRequest("streams", "messages", "streams", "notes", "cursor", strings.Repeat("A", 20_000))},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := row.p.Do(t.Context(), row.request)
			if e := wantCode(t, err, "invalid_cursor"); e.Param != "cursor" || !strings.Contains(e.Hint, "without cursor") {
				t.Errorf("no way out: %+v", e)
			}
			f.wantSilence(t)
		})
	}
	t.Run("the order of streams does not matter", func(t *testing.T) {
		response, err := p.Do(t.Context(), searchRequest("streams", "notes", "streams", "messages", "limit", "2", "cursor", cursor))
		if m := readMerged(t, response, err); m.keys() != "a1 b1" {
			t.Errorf("hits are %q", m.keys())
		}
	})
}

func TestPackageCursorIsReadStrictly(t *testing.T) {
	f := &packageRS{answers: map[string]memberAnswer{"tok_a": hitsOf("a", 9)}}
	p := packageOf(f, fanout.PackageOptions{}, aMember("a"))
	response, err := p.Do(t.Context(), searchRequest("limit", "2"))
	good, err := base64.RawURLEncoding.DecodeString(readMerged(t, response, err).NextCursor)
	if err != nil {
		t.Fatal(err)
	}
	f.heard(t)
	for name, change := range map[string]func(map[string]any){
		"another version":        func(c map[string]any) { c["v"] = 2 },
		"another kind":           func(c map[string]any) { c["k"] = "records" },
		"no page size":           func(c map[string]any) { delete(c, "l") },
		"too large a page":       func(c map[string]any) { c["l"] = 101 },
		"no turns":               func(c map[string]any) { c["t"] = []any{} },
		"a turn of nobody":       func(c map[string]any) { c["t"] = []any{map[string]any{}} },
		"a turn twice":           func(c map[string]any) { c["t"] = append(c["t"].([]any), c["t"].([]any)...) },
		"a negative skip":        func(c map[string]any) { c["t"].([]any)[0].(map[string]any)["s"] = -1 },
		"an absurd skip":         func(c map[string]any) { c["t"].([]any)[0].(map[string]any)["s"] = 1 << 40 },
		"a negative count":       func(c map[string]any) { c["d"] = map[string]any{"n": -5} },
		"a type that is not one": func(c map[string]any) { c["t"] = "cin_a" },
	} {
		t.Run(name, func(t *testing.T) {
			var c map[string]any
			if err := json.Unmarshal(good, &c); err != nil {
				t.Fatal(err)
			}
			change(c)
			_, err := p.Do(t.Context(), searchRequest("limit", "2", "cursor", rs.EncodeHandle(c)))
			wantCode(t, err, "invalid_cursor")
			f.wantSilence(t)
		})
	}
}

func TestPackageSearchWhenMembersChange(t *testing.T) {
	f := &packageRS{answers: map[string]memberAnswer{"tok_a": hitsOf("a", 4), "tok_b": hitsOf("b", 4), "tok_c": hitsOf("c", 4)}}
	response, err := packageOf(f, fanout.PackageOptions{}, aMember("a"), aMember("b")).Do(t.Context(), searchRequest("limit", "2"))
	cursor := readMerged(t, response, err).NextCursor
	f.heard(t)
	for name, row := range map[string]struct {
		members       []fanout.Member
		keys, missing string
		code          rs.Code
	}{
		"one that came later is not part of it":  {members: []fanout.Member{aMember("c"), aMember("a"), aMember("b")}, keys: "a1 b1"},
		"one that is gone is reported":           {members: []fanout.Member{aMember("b")}, keys: "b1 b2", missing: "cin_a=connection_not_found"},
		"S3-3a one that was revoked is reported": {members: []fanout.Member{refusedMember("a", "grant_revoked"), aMember("b")}, keys: "b1 b2", missing: "cin_a=grant_revoked"},
		"all are gone":                           {members: []fanout.Member{aMember("c")}, code: "invalid_cursor"},
		"S3-3a all were revoked":                 {members: []fanout.Member{refusedMember("a", "grant_revoked"), refusedMember("b", "grant_revoked"), aMember("c")}, code: "grant_revoked"},
	} {
		t.Run(name, func(t *testing.T) {
			response, err := packageOf(f, fanout.PackageOptions{}, row.members...).Do(t.Context(), searchRequest("limit", "2", "cursor", cursor))
			if row.code != "" {
				wantCode(t, err, row.code)
				f.wantSilence(t)
				return
			}
			m := readMerged(t, response, err)
			if m.keys() != row.keys || m.missing() != row.missing {
				t.Errorf("hits %q without %q", m.keys(), m.missing())
			}
			for _, asked := range f.heard(t) {
				if strings.HasPrefix(asked, "tok_c") {
					t.Errorf("asked: %s", asked)
				}
			}
		})
	}
}

func TestPackageSearchThatKeepsFailing(t *testing.T) {
	t.Run("only failing members left: asked once more, then the search ends and says so", func(t *testing.T) {
		f := &packageRS{answers: map[string]memberAnswer{"tok_a": hitsOf("a", 3), "tok_b": fails(503, "unavailable")}}
		pages, last := walk(t, func() auth.Package { return packageOf(f, fanout.PackageOptions{}, aMember("a"), aMember("b")) }, limitOf("2"))
		if !slices.Equal(pages, []string{"a0 a1", "a2", ""}) {
			t.Errorf("pages are %q", pages)
		}
		if last.missing() != "cin_b=unavailable" || !strings.Contains(last.Meta.Warnings[0].Message, "the search ends here") ||
			string(last.Meta.Count) != "3" ||
			last.Meta.Accuracy != "lower_bound" {
			t.Errorf("the last page says %+v, without %q", last.Meta, last.missing())
		}
	})
	t.Run("all fail at once: an error, and the cursor stays good", func(t *testing.T) {
		down := false
		f := &packageRS{answers: map[string]memberAnswer{"tok_a": func(ctx context.Context, r rs.Request) (*rs.Response, error) {
			if down {
				return fails(503, "unavailable")(ctx, r)
			}
			return hitsOf("a", 3)(ctx, r)
		}}}
		p := packageOf(f, fanout.PackageOptions{}, aMember("a"))
		response, err := p.Do(t.Context(), searchRequest("limit", "2"))
		next := searchRequest("limit", "2", "cursor", readMerged(t, response, err).NextCursor)
		down = true
		_, err = p.Do(t.Context(), next)
		wantCode(t, err, "unavailable")
		down = false
		response, err = p.Do(t.Context(), next)
		if m := readMerged(t, response, err); m.keys() != "a2" || m.HasMore {
			t.Errorf("hits are %q", m.keys())
		}
	})
	t.Run("a member that hangs once gives its hits later", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			hung := false
			f := &packageRS{answers: map[string]memberAnswer{"tok_a": hitsOf("a", 2), "tok_b": func(ctx context.Context, r rs.Request) (*rs.Response, error) {
				if !hung {
					hung = true
					return hangs(ctx, r)
				}
				return hitsOf("b", 3)(ctx, r)
			}}}
			start := time.Now()
			pages, _ := walk(t, func() auth.Package { return packageOf(f, fanout.PackageOptions{}, aMember("a"), aMember("b")) }, limitOf("2"))
			if !slices.Equal(pages, []string{"a0 a1", "b0 b1", "b2"}) || time.Since(start) != fanout.DefaultMemberDeadline {
				t.Errorf("pages are %q after %v", pages, time.Since(start))
			}
		})
	})
	t.Run("a member that hangs between two of its pages keeps what it gave", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			hung := false
			f := &packageRS{answers: map[string]memberAnswer{"tok_a": func(ctx context.Context, r rs.Request) (*rs.Response, error) {
				if r.Query.Get("cursor") == "a@2" && !hung {
					hung = true
					return hangs(ctx, r)
				}
				return hitsOf("a", 5)(ctx, r)
			}, "tok_b": hitsOf("b", 1)}}
			pages, _ := walk(
				t,
				func() auth.Package { return packageOf(f, fanout.PackageOptions{}, aMember("a"), aMember("b")) },
				func(page int) string { return []string{"2", "4"}[min(page, 1)] },
			)
			if !slices.Equal(pages, []string{"a0 b0", "a1", "a2 a3 a4"}) {
				t.Errorf("pages are %q", pages)
			}
		})
	})
	t.Run("pages that are empty and lead nowhere end", func(t *testing.T) {
		f := &packageRS{answers: map[string]memberAnswer{
			"tok_a": says(`{"data":[],"has_more":true,"next_cursor":"loop"}`), "tok_b": hitsOf("b", 1),
		}}
		pages, _ := walk(t, func() auth.Package { return packageOf(f, fanout.PackageOptions{}, aMember("a"), aMember("b")) }, limitOf("2"))
		if strings.Join(pages, "") != "b0" {
			t.Errorf("pages are %q", pages)
		}
	})
}

// If the members of a package have names too long for a cursor, a warning says so instead of a cursor that no tool accepts.
func TestPackageCursorThatWouldBeTooLong(t *testing.T) {
	f := &packageRS{answers: map[string]memberAnswer{}}
	var members []fanout.Member
	for i := range fanout.MaxMembers {
		letter := fmt.Sprintf("connection_with_a_very_long_name_%04d", i)
		members = append(members, aMember(letter))
		f.answers["tok_"+letter] = hitsOf(letter, 2)
	}
	response, err := packageOf(f, fanout.PackageOptions{Width: 64}, members...).Do(t.Context(), searchRequest("limit", "2"))
	m := readMerged(t, response, err)
	if !m.HasMore || m.NextCursor != "" || len(m.Meta.Warnings) != 1 || m.Meta.Warnings[0].Code != "search_too_wide" {
		t.Errorf("has_more=%t, cursor of %d bytes, warnings %+v", m.HasMore, len(m.NextCursor), m.Meta.Warnings)
	}
}

// Two grants on one connection are two members, and a cursor tells them apart.
func TestPackageSearchOfTwoGrantsOnOneConnection(t *testing.T) {
	other := aMember("b", "notes")
	other.ID = "cin_a"
	f := &packageRS{answers: map[string]memberAnswer{"tok_a": hitsOf("a", 3), "tok_b": hitsOf("b", 2)}}
	pages, _ := walk(t, func() auth.Package { return packageOf(f, fanout.PackageOptions{}, aMember("a"), other) }, limitOf("2"))
	if !slices.Equal(pages, []string{"a0 b0", "a1 b1", "a2"}) {
		t.Errorf("pages are %q", pages)
	}
}

// If the connections of a cursor lost the stream, were refused or are gone, the error says why, without a read.
func TestASearchThatCannotGoOnSaysWhy(t *testing.T) {
	f := &packageRS{answers: map[string]memberAnswer{"tok_a": hitsOf("a", 9), "tok_b": hitsOf("b", 9)}}
	response, err := packageOf(
		f,
		fanout.PackageOptions{},
		aMember("a"),
		aMember("b", "notes"),
	).Do(
		t.Context(),
		searchRequest("limit", "2", "streams", "messages"),
	)
	next := searchRequest("limit", "2", "streams", "messages", "cursor", readMerged(t, response, err).NextCursor)
	f.heard(t)
	for name, row := range map[string]struct {
		members []fanout.Member
		want    rs.Code
	}{
		"the grant has lost the stream": {[]fanout.Member{aMember("a", "notes"), aMember("b", "notes")}, "grant_stream_not_allowed"},
		"the grant was revoked":         {[]fanout.Member{refusedMember("a", "grant_revoked"), aMember("b")}, "grant_revoked"},
		"the connection is gone":        {[]fanout.Member{aMember("b")}, "invalid_cursor"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := packageOf(f, fanout.PackageOptions{}, row.members...).Do(t.Context(), next)
			wantCode(t, err, row.want)
			f.wantSilence(t)
		})
	}
}
