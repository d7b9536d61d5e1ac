package auth_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

var introspectionTime = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newIntrospector(t *testing.T, answer http.HandlerFunc) auth.Authority {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	introspector, err := auth.NewIntrospector(auth.IntrospectorOptions{
		LookupOptions: auth.LookupOptions{Endpoint: server.URL + "/introspect", ClientID: "mcp adapter", ClientSecret: rs.NewToken("s:cret"), Timeout: 5 * time.Second},
		Issuer:        "https://as.example",
		Audiences:     []string{"https://rs.example", "https://rs.example/mcp"},
		Now:           func() time.Time { return introspectionTime },
	})
	if err != nil {
		t.Fatal(err)
	}
	return introspector
}

func TestIntrospectorAsksAsRFC7662Says(t *testing.T) {
	introspector := newIntrospector(t, func(w http.ResponseWriter, r *http.Request) {
		id, secret, _ := r.BasicAuth()
		body, _ := io.ReadAll(r.Body)
		got := []string{r.Method, r.URL.String(), r.Header.Get("Content-Type"), r.Header.Get("Accept"), id, secret, string(body)}
		want := []string{"POST", "/introspect", "application/x-www-form-urlencoded", "application/json", "mcp+adapter", "s%3Acret", "token=a%2Bb"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("request (-want +got):\n%s", diff)
		}
		_, _ = io.WriteString(w, `{"active":false}`)
	})
	if _, err := introspector.Introspect(context.Background(), rs.NewToken("a+b")); err != nil {
		t.Error(err)
	}
}

func TestIntrospector(t *testing.T) {
	const rest = `"aud":"https://rs.example","iss":"https://as.example"`
	for _, test := range []struct {
		name    string
		answer  string
		kind    string
		grant   string
		expires int64
		refusal rs.Code
	}{
		{name: "a client grant", answer: `{"active":true,"pdpp_token_kind":"client","grant_id":"grt_1","client_id":"app",` + rest + `}`, kind: "client", grant: "grt_1"},
		{name: "a package carries its package id", answer: `{"active":true,"pdpp_token_kind":"mcp_package","grant_package_id":"pkg_1",` + rest + `}`, kind: "mcp_package", grant: "pkg_1"},
		{name: "S0-R3 an owner is recognized, and judged first", answer: `{"active":true,"pdpp_token_kind":"owner",` + rest + `}`, kind: "owner"},
		{name: "S0-R3 D40 an owner of another audience is an owner", answer: `{"active":true,"pdpp_token_kind":"owner","aud":"https://other.example","iss":"https://as.example"}`, kind: "owner"},
		{name: "S0-R3 D40 an owner whose token has expired is an owner", answer: `{"active":true,"pdpp_token_kind":"owner","exp":1,` + rest + `}`, kind: "owner"},
		{name: "S0-R3 D40 an owner of no issuer, not good yet, is an owner", answer: `{"active":true,"pdpp_token_kind":"owner","nbf":1772370000}`, kind: "owner"},
		{name: "D7 an owner's token that is over is over", answer: `{"active":false,"pdpp_token_kind":"owner",` + rest + `}`, refusal: rs.TokenInactive},
		{name: "a missing kind stays missing", answer: `{"active":true,` + rest + `}`},
		{name: "an audience array with one of ours", answer: `{"active":true,"pdpp_token_kind":"client","aud":["https://x.example","https://rs.example/mcp"],"iss":"https://as.example"}`, kind: "client"},
		{name: "an expiry in the future", answer: `{"active":true,"pdpp_token_kind":"client","exp":1772366460,` + rest + `}`, kind: "client", expires: 1772366460},
		{name: "an expiry 29 s ago is within the skew", answer: `{"active":true,"pdpp_token_kind":"client","exp":1772366371,` + rest + `}`, kind: "client", expires: 1772366371},
		{name: "an expiry 30 s ago has passed", answer: `{"active":true,"pdpp_token_kind":"client","exp":1772366370,` + rest + `}`, refusal: "token_expired"},
		{name: "an absurd expiry is none", answer: `{"active":true,"pdpp_token_kind":"client","exp":1e300,` + rest + `}`, refusal: rs.TokenInactive},
		{name: "a token that is good in 30 s is within the skew", answer: `{"active":true,"pdpp_token_kind":"client","nbf":1772366430,` + rest + `}`, kind: "client"},
		{name: "a member of a nested object may have any name", answer: `{"active":true,"pdpp_token_kind":"client","authorization_details":[{"Type":"a","type":"b"}],` + rest + `}`, kind: "client"},
		{name: "a token that is not good yet", answer: `{"active":true,"pdpp_token_kind":"client","nbf":1772366431,` + rest + `}`, refusal: rs.TokenInactive},
		{name: "another audience", answer: `{"active":true,"pdpp_token_kind":"client","aud":"https://other.example","iss":"https://as.example"}`, refusal: "token_audience_refused"},
		{name: "an audience that only begins like ours", answer: `{"active":true,"pdpp_token_kind":"client","aud":"https://rs.example.evil","iss":"https://as.example"}`, refusal: "token_audience_refused"},
		{name: "no audience", answer: `{"active":true,"pdpp_token_kind":"client","iss":"https://as.example"}`, refusal: "token_audience_refused"},
		{name: "an audience of another type", answer: `{"active":true,"pdpp_token_kind":"client","aud":{"a":1},"iss":"https://as.example"}`, refusal: "token_audience_refused"},
		{name: "another issuer", answer: `{"active":true,"pdpp_token_kind":"client","aud":"https://rs.example","iss":"https://evil.example"}`, refusal: "token_issuer_refused"},
		{name: "no issuer", answer: `{"active":true,"pdpp_token_kind":"client","aud":"https://rs.example"}`, refusal: "token_issuer_refused"},
		{name: "inactive without a reason", answer: `{"active":false}`, refusal: rs.TokenInactive},
		{name: "D7 inactive with a reason", answer: `{"active":false,"inactive_reason":"grant_revoked",` + rest + `}`, refusal: "grant_revoked"},
		{name: "D7 a package that was revoked", answer: `{"active":false,"inactive_reason":"package_revoked",` + rest + `}`, refusal: "package_revoked"},
		{name: "D7 a reason that reads like a fault of ours stays a dead token", answer: `{"active":false,"inactive_reason":"canceled"}`, refusal: rs.TokenInactive},
		{name: "a reason that is no code is not repeated", answer: `{"active":false,"inactive_reason":"see \"http://evil\" <b>"}`, refusal: rs.TokenInactive},
		{name: "a reason that repeats the token is not repeated", answer: `{"active":false,"inactive_reason":"no_token-0123456789"}`, refusal: rs.TokenInactive},
		{name: "active that is missing is false", answer: `{}`, refusal: rs.TokenInactive},
	} {
		t.Run(test.name, func(t *testing.T) {
			introspector := newIntrospector(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, test.answer) })
			token := rs.NewToken("token-0123456789")
			info, err := introspector.Introspect(context.Background(), token)
			if err != nil {
				t.Fatal(err)
			}
			if test.refusal != "" {
				if info.Inactive == nil || info.Inactive.Code != test.refusal || info.Principal != (auth.Principal{}) {
					t.Errorf("info %+v, want %s", info, test.refusal)
				}
				return
			}
			p := info.Principal
			if info.Inactive != nil || p.Kind != test.kind || p.GrantID != test.grant || p.Token != token {
				t.Errorf("info %+v", info)
			}
			if test.expires == 0 && !info.Expires.IsZero() || test.expires != 0 && info.Expires.Unix() != test.expires {
				t.Errorf("expires %v, want %d", info.Expires, test.expires)
			}
		})
	}
}

// goodClient is the end of an answer about a valid client token.
const goodClient = `"pdpp_token_kind":"client","aud":"https://rs.example","iss":"https://as.example"}`

func says2xx(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
}

// A server that accepts one audience refuses tokens with another audience or with none.
func TestIntrospectorWithOneAudience(t *testing.T) {
	for body, code := range map[string]rs.Code{
		`{"active":true,"pdpp_token_kind":"client","aud":"https://rs.example"}`:         "",
		`{"active":true,"pdpp_token_kind":"client","aud":"https://other.example"}`:      "token_audience_refused",
		`{"active":true,"pdpp_token_kind":"mcp_package","aud":["https://rs.example/"]}`: "token_audience_refused",
		`{"active":true,"pdpp_token_kind":"client"}`:                                    "token_audience_refused",
	} {
		server := httptest.NewServer(says2xx(body))
		t.Cleanup(server.Close)
		introspector, err := auth.NewIntrospector(
			auth.IntrospectorOptions{LookupOptions: auth.LookupOptions{Endpoint: server.URL}, Audiences: []string{"https://rs.example"}},
		)
		if err != nil {
			t.Fatal(err)
		}
		info, err := introspector.Introspect(t.Context(), rs.NewToken("tok"))
		if err != nil || code == "" && info.Inactive != nil || code != "" && (info.Inactive == nil || info.Inactive.Code != code) {
			t.Errorf("%s: %+v, %v; want %q", body, info, err, code)
		}
	}
}

func TestIntrospectorThatCanNotTellCondemnsNobody(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the token was sent on") }))
	defer elsewhere.Close()
	for name, answer := range map[string]http.HandlerFunc{
		"a 500":                         func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		"our own credentials are wrong": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) },
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		},
		"text":                          func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "active") },
		"an empty body":                 func(http.ResponseWriter, *http.Request) {},
		"active is not a boolean":       func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"active":"true"}`) },
		"an endless body":               func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat(" ", 1<<20+1)) },
		"active twice":                  says2xx(`{"active":true,"active":true,` + goodClient),
		"active twice, of two minds":    says2xx(`{"active":false,"active":true,` + goodClient),
		"active in another case too":    says2xx(`{"active":false,"Active":true,` + goodClient),
		"active in another case first":  says2xx(`{"ACTIVE":true,"active":false,` + goodClient),
		"active in another case alone":  says2xx(`{"Active":true,` + goodClient),
		"active with an escape":         says2xx(`{"active":false,"\u0061ctive":true,` + goodClient),
		"the kind twice":                says2xx(`{"active":true,"pdpp_token_kind":"owner",` + goodClient),
		"the kind in another case":      says2xx(`{"active":true,"PDPP_token_kind":"owner",` + goodClient),
		"a kind with a Kelvin sign":     says2xx(`{"active":true,"pdpp_to\u212Aen_kind":"owner",` + goodClient),
		"an issuer with a long s":       says2xx(`{"active":true,"i\u017F\u017F":"https://as.example",` + goodClient),
		"the audience twice":            says2xx(`{"active":true,"aud":"https://other.example",` + goodClient),
		"the expiry twice":              says2xx(`{"active":true,"exp":1,"exp":1772366460,` + goodClient),
		"the expiry in another case":    says2xx(`{"active":true,"EXP":1,` + goodClient),
		"the details in another case":   says2xx(`{"active":true,"Authorization_Details":[],` + goodClient),
		"the time before it, twice":     says2xx(`{"active":true,"nbf":1872366460,"nbf":1,` + goodClient),
		"a member that is not read too": says2xx(`{"active":true,"scope":"a","Scope":"b",` + goodClient),
		"a broken connection":           func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			info, err := newIntrospector(t, answer).Introspect(context.Background(), rs.NewToken("canary-77"))
			var e *rs.Error
			if !errors.As(err, &e) || e.Code != rs.AuthorityUnreachable || info != (auth.TokenInfo{}) {
				t.Fatalf("info %+v, error %v", info, err)
			}
			if strings.Contains(err.Error()+e.Cause.Error(), "canary-77") || strings.Contains(e.Cause.Error(), "cret") {
				t.Errorf("a secret in the error: %v: %v", err, e.Cause)
			}
		})
	}
}
