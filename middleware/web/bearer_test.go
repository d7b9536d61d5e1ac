package web_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sendRaw sends the target and headers unchanged, which net/http's client does not always do.
func sendRaw(t *testing.T, f webFixture, target string, headers ...string) (*http.Response, []byte) {
	t.Helper()
	address := strings.TrimPrefix(f.URL, "http://")
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nContent-Length: 2\r\n", target, address)
	for _, header := range headers {
		head += header + "\r\n"
	}
	if _, err := io.WriteString(connection, head+"\r\n{}"); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, body
}

func TestBearer(t *testing.T) {
	const metadata = "https://mcp.example/.well-known/oauth-protected-resource/mcp"
	for _, test := range []struct {
		name    string
		target  string
		headers []string
		status  int
		code    string // of the body
		problem string // error= of the challenge; empty means no challenge
		asked   int64  // introspections
		entered int64
	}{
		{name: "a client bearer gets in", headers: []string{"Authorization: Bearer good"}, status: 204, asked: 1, entered: 1},
		{name: "the scheme is case-insensitive", headers: []string{"authorization: bEARER good"}, status: 204, asked: 1, entered: 1},
		{name: "more spaces between scheme and token are tolerated", headers: []string{"Authorization: Bearer   good "}, status: 204, asked: 1, entered: 1},
		{name: "S3-6a S3-18a no header at all", status: 401, code: "not_authenticated", problem: "invalid_token"},
		{name: "an empty header", headers: []string{"Authorization:"}, status: 401, code: "invalid_request", problem: "invalid_request"},
		{name: "the scheme alone", headers: []string{"Authorization: Bearer"}, status: 401, code: "invalid_request", problem: "invalid_request"},
		{name: "an empty bearer", headers: []string{"Authorization: Bearer "}, status: 401, code: "invalid_request", problem: "invalid_request"},
		{name: "Basic", headers: []string{"Authorization: Basic Z29vZA=="}, status: 401, code: "invalid_request", problem: "invalid_request"},
		{name: "a token without a scheme", headers: []string{"Authorization: good"}, status: 401, code: "invalid_request", problem: "invalid_request"},
		{name: "two headers, the good one first", headers: []string{"Authorization: Bearer good", "Authorization: Bearer bad"}, status: 401, code: "invalid_request", problem: "invalid_request"},
		{name: "two headers, both good", headers: []string{"Authorization: Bearer good", "AUTHORIZATION: Bearer good"}, status: 401, code: "invalid_request", problem: "invalid_request"},
		{name: "two tokens in one header", headers: []string{"Authorization: Bearer good, Bearer good"}, status: 401, code: "invalid_request", problem: "invalid_request"},
		{name: "two tokens after one scheme", headers: []string{"Authorization: Bearer good good"}, status: 401, code: "invalid_request", problem: "invalid_request"},
		{name: "a quoted token", headers: []string{`Authorization: Bearer "good"`}, status: 401, code: "invalid_request", problem: "invalid_request"},
		{name: "padding alone", headers: []string{"Authorization: Bearer ==="}, status: 401, code: "invalid_request", problem: "invalid_request"},
		{name: "a token that is not ASCII", headers: []string{"Authorization: Bearer gööd"}, status: 401, code: "invalid_request", problem: "invalid_request"},
		{name: "a tab for a space", headers: []string{"Authorization: Bearer\tgood"}, status: 401, code: "invalid_request", problem: "invalid_request"},
		{name: "a token of 4097 bytes", headers: []string{"Authorization: Bearer " + strings.Repeat("a", 4097)}, status: 401, code: "invalid_request", problem: "invalid_request"},
		{name: "a token of 4096 bytes", headers: []string{"Authorization: Bearer " + strings.Repeat("a", 4096)}, status: 401, code: "token_inactive", problem: "invalid_token", asked: 1},
		{name: "a query without a token", target: "/mcp?x=1", headers: []string{"Authorization: Bearer good"}, status: 204, asked: 1, entered: 1},
		{name: "a token in the query", target: "/mcp?access_token=good", status: 401, code: "invalid_request", problem: "invalid_request"},
		{name: "a token in the query beside a good header", target: "/mcp?access_token=good", headers: []string{"Authorization: Bearer good"}, status: 401, code: "invalid_request", problem: "invalid_request"},
		{name: "a token in a query that does not parse", target: "/mcp?x=1;access_token=good", headers: []string{"Authorization: Bearer good"}, status: 401, code: "invalid_request", problem: "invalid_request"},
		{name: "a query with a broken escape", target: "/mcp?x=%zz&access_token%=good", headers: []string{"Authorization: Bearer good"}, status: 401, code: "invalid_request", problem: "invalid_request"},
		{name: "a Proxy-Authorization is no authorization", headers: []string{"Proxy-Authorization: Bearer good"}, status: 401, code: "not_authenticated", problem: "invalid_token"},
		{name: "an unknown token", headers: []string{"Authorization: Bearer nope"}, status: 401, code: "token_inactive", problem: "invalid_token", asked: 1},
		{name: "D7 a revoked grant keeps its PDPP code", headers: []string{"Authorization: Bearer revoked"}, status: 401, code: "grant_revoked", problem: "invalid_token", asked: 1},
		{name: "S0-3a S3-6b D40 an owner bearer", headers: []string{"Authorization: Bearer owner"}, status: 403, code: "owner_token_refused", problem: "invalid_token", asked: 1},
		{name: "S0-R3 D40 a control-plane bearer", headers: []string{"Authorization: Bearer strange"}, status: 403, code: "token_kind_refused", problem: "invalid_token", asked: 1},
		{name: "D40 a bearer of no kind", headers: []string{"Authorization: Bearer kindless"}, status: 403, code: "token_kind_refused", problem: "invalid_token", asked: 1},
		{name: "D17 a revoked package", headers: []string{"Authorization: Bearer package"}, status: 403, code: "package_revoked", asked: 1},
		{name: "an authority out of reach condemns nobody", headers: []string{"Authorization: Bearer unreachable"}, status: 503, code: "authority_unreachable", asked: 1},
		{name: "an authenticator's foreign error is a fault of ours", headers: []string{"Authorization: Bearer foreign"}, status: 500, code: "internal_error", asked: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newWebFixture(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
			target := test.target
			if target == "" {
				target = "/mcp"
			}
			response, body := sendRaw(t, f, target, test.headers...)
			if got := response.StatusCode; got != test.status {
				t.Fatalf("status %d, want %d: %s", got, test.status, body)
			}
			if asked, entered := f.authority.asked.Load(), f.entered.Load(); asked != test.asked || entered != test.entered {
				t.Errorf("the authority was asked %d times, want %d; the pipeline heard %d requests, want %d", asked, test.asked, entered, test.entered)
			}
			if test.status < 400 {
				return
			}
			if got := refusalCode(t, body); got != test.code {
				t.Errorf("code %q, want %q", got, test.code)
			}
			if got := response.Header.Get("Content-Type"); got != "application/json" {
				t.Errorf("Content-Type %q", got)
			}
			challenge := response.Header.Get("WWW-Authenticate")
			if test.problem == "" {
				if challenge != "" || strings.Contains(string(body), "resource_metadata") {
					t.Errorf("challenge %q in a refusal that authorizing again would not mend: %s", challenge, body)
				}
				return
			}
			if !strings.HasPrefix(challenge, `Bearer error="`+test.problem+`", error_description="`) ||
				!strings.HasSuffix(challenge, `", resource_metadata="`+metadata+`"`) || strings.Count(challenge, `"`) != 6 {
				t.Errorf("WWW-Authenticate: %s", challenge)
			}
			if !strings.Contains(string(body), `"resource_metadata":"`+metadata+`"`) { // S3-18a
				t.Errorf("the body lacks the challenge's URL: %s", body)
			}
			if diff := cmp.Diff(`<https://mcp.example/icon.svg>; rel="icon"; type="image/svg+xml"`, response.Header.Get("Link")); diff != "" { // S3-17b
				t.Errorf("Link (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnreachableAuthoritySaysWhenToRetry(t *testing.T) {
	f := newWebFixture(t, func(http.ResponseWriter, *http.Request) {})
	response, _ := sendRaw(t, f, "/mcp", "Authorization: Bearer unreachable")
	if got := response.Header.Get("Retry-After"); got != "5" {
		t.Errorf("Retry-After %q, want 5", got)
	}
}

// No log line and no answer repeats a credential, wherever the request has it.
func TestNoCredentialIsEverRepeated(t *testing.T) {
	const canary = "canary-4f1c9e"
	for name, send := range map[string]struct {
		target  string
		headers []string
	}{
		"as an unknown bearer":      {"/mcp", []string{"Authorization: Bearer " + canary}},
		"as Basic":                  {"/mcp", []string{"Authorization: Basic " + canary}},
		"without a scheme":          {"/mcp", []string{"Authorization: " + canary}},
		"doubled":                   {"/mcp", []string{"Authorization: Bearer " + canary, "Authorization: Bearer " + canary}},
		"in the query":              {"/mcp?access_token=" + canary, nil},
		"in another query argument": {"/mcp?x=" + canary, []string{"Authorization: Bearer good"}},
		"as a cookie":               {"/mcp", []string{"Cookie: session=" + canary}},
		"as a forwarded host":       {"/mcp", []string{"X-Forwarded-Host: " + canary, "Forwarded: host=" + canary}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newWebFixture(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
			response, body := sendRaw(t, f, send.target, send.headers...)
			f.Close() // the log is complete
			if text := fmt.Sprint(response.Header, string(body)); strings.Contains(text, canary) {
				t.Errorf("the answer repeats it: %s", text)
			}
			if text := f.log.String(); strings.Contains(text, canary) || !strings.Contains(text, `"message":"request"`) {
				t.Errorf("the log repeats it, or is empty: %s", text)
			}
		})
	}
}
