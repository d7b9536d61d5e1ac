package integration

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// member answers the introspection of a member's token with its kind and audience, and with other members from rest.
func member(kind, audience, rest string) http.HandlerFunc {
	return body(200, "application/json", fmt.Sprintf(`{"active":true,"pdpp_token_kind":%q,"aud":%q%s}`, kind, audience, rest))
}

// TestAMemberIsReadOnlyWhileItsTokenIsAClients covers S0-R3 and D27 with the built program: every other member is reported as an
// unavailable connection, and its token does not reach the resource server.
func TestAMemberIsReadOnlyWhileItsTokenIsAClients(t *testing.T) {
	t.Parallel()
	const elsewhere = "https://elsewhere.example"
	past, future := fmt.Sprint(time.Now().Add(-time.Hour).Unix()), fmt.Sprint(time.Now().Add(time.Hour).Unix())
	for _, group := range []struct {
		name    string
		members map[string]func(audience string) http.HandlerFunc
		codes   map[string]string
	}{
		{
			"another kind, whatever else is wrong with it",
			map[string]func(string) http.HandlerFunc{
				"owner":           func(aud string) http.HandlerFunc { return member("owner", aud, "") },
				"owner-elsewhere": func(string) http.HandlerFunc { return member("owner", elsewhere, "") },
				"owner-expired":   func(aud string) http.HandlerFunc { return member("owner", aud, `,"exp":`+past) },
				"owner-early":     func(aud string) http.HandlerFunc { return member("owner", aud, `,"nbf":`+future) },
				"package":         func(aud string) http.HandlerFunc { return member("mcp_package", aud, `,"grant_package_id":"other"`) },
				"no-kind":         func(aud string) http.HandlerFunc { return member("", aud, "") },
			},
			map[string]string{
				"owner": "grant_unusable", "owner-elsewhere": "grant_unusable", "owner-expired": "grant_unusable",
				"owner-early": "grant_unusable", "package": "grant_unusable", "no-kind": "grant_unusable",
			},
		},
		{
			"a client whose token is not valid",
			map[string]func(string) http.HandlerFunc{
				"inactive": func(string) http.HandlerFunc { return body(200, "application/json", `{"active":false}`) },
				"revoked": func(string) http.HandlerFunc {
					return body(200, "application/json", `{"active":false,"inactive_reason":"grant_revoked"}`)
				},
				"expired":   func(aud string) http.HandlerFunc { return member("client", aud, `,"exp":`+past) },
				"early":     func(aud string) http.HandlerFunc { return member("client", aud, `,"nbf":`+future) },
				"elsewhere": func(string) http.HandlerFunc { return member("client", elsewhere, `,"iss":"https://as.example"`) },
				"issuer":    func(aud string) http.HandlerFunc { return member("client", aud, `,"iss":"https://evil.example"`) },
			},
			map[string]string{
				"inactive": "token_inactive", "revoked": "grant_revoked", "expired": "token_expired",
				"early": "token_inactive", "elsewhere": "token_audience_refused", "issuer": "token_issuer_refused",
			},
		},
		{
			"an introspection without a valid answer",
			map[string]func(string) http.HandlerFunc{
				"fails": func(string) http.HandlerFunc { return body(500, "text/html", "<h1>Internal Server Error</h1>") },
				"hangs": func(string) http.HandlerFunc {
					return func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
				},
				"resets": func(string) http.HandlerFunc {
					return func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
				},
				"garbage": func(string) http.HandlerFunc { return body(200, "application/json", `{"active":tru`) },
			},
			map[string]string{
				"fails": "authority_unreachable", "hangs": "authority_unreachable", "resets": "authority_unreachable", "garbage": "authority_unreachable",
			},
		},
	} {
		for _, row := range []struct{ tool, arguments string }{{"search", `{"q":"x"}`}, {"schema", `{}`}, {"list_streams", `{}`}} {
			t.Run(group.name+", "+row.tool, func(t *testing.T) {
				t.Parallel()
				members := []scriptedMember{{"good", well("good")}}
				want := map[string]string{}
				for name := range group.members {
					members = append(members, scriptedMember{name, well(name)})
					want["cin_"+name] = group.codes[name]
				}
				f := newFamily(t, members...)
				f.introspect = map[string]http.HandlerFunc{"good": member("client", f.URL, `,"iss":"https://as.example"`)}
				for name, answer := range group.members {
					f.introspect[name] = answer(f.URL)
				}
				var more []string
				if _, issued := group.members["issuer"]; issued {
					f.issuer = "https://as.example"
					more = []string{"--issuer", f.issuer}
				}
				s := dialFamily(t, f, more...)
				began := time.Now()
				result := s.call(row.tool, args(row.arguments))
				if took := time.Since(began); took > memberDeadline {
					t.Errorf("it took %v", took)
				}
				var page packagePage
				if err := structured(result, &page); err != nil || result.IsError {
					t.Fatal(textOf(result), err)
				}
				got := map[string]string{}
				for _, u := range page.Data.Unavailable {
					got[u.ID] = u.Code
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("unavailable_connections (-want +got):\n%s", diff)
				}
				for name := range group.members {
					if got := s.refusal("query_records", args(`{"stream":"notes","connection_id":"cin_`+name+`"}`)); got.Code != group.codes[name] {
						t.Errorf("records of %s: %+v, want %s", name, got, group.codes[name])
					}
				}
				for _, r := range f.reads() {
					if r.token != "member-good" {
						t.Errorf("the resource server got a request for %s with %s", r.path, r.token)
					}
				}
			})
		}
	}
}

// TestMembersBeyondTheBoundAreNamed covers D27: if a package has more connections than are read, the others are unavailable.
func TestMembersBeyondTheBoundAreNamed(t *testing.T) {
	t.Parallel()
	const most = 256
	var members []scriptedMember
	for i := range most + 4 {
		name := fmt.Sprintf("c%03d", i)
		members = append(members, scriptedMember{name, well(name)})
	}
	f := newFamily(t, members...)
	s := dialFamily(t, f)
	var page packagePage
	s.structured("list_streams", args(`{}`), &page)
	if len(page.Data.Unavailable) != 4 || page.Data.Unavailable[0].ID != "cin_c256" {
		t.Errorf("unavailable: %v", page.Data.Unavailable)
	}
	read := map[string]bool{}
	for _, r := range f.reads() {
		read[r.token] = true
	}
	introspected := f.questions()
	if len(read) != most || len(introspected) != most || read["member-c256"] || slices.Contains(introspected, "c256") {
		t.Errorf("%d members were read, %d were introspected", len(read), len(introspected))
	}
}
