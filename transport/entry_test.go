package transport_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// overSocket writes a tool call as it stands, with header lines that no client library would send.
func overSocket(t *testing.T, address, target string, headers ...string) (*http.Response, string) {
	t.Helper()
	const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"q":"call1z"}}}`
	connection, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	lines := append([]string{
		"POST " + target + " HTTP/1.1", "Host: " + address, "Connection: close", "Content-Type: application/json",
		fmt.Sprintf("Content-Length: %d", len(body)),
	}, headers...)
	if _, err := io.WriteString(connection, strings.Join(lines, "\r\n")+"\r\n\r\n"+body); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(text)
}

// S3-R18 S3-6a S3-6b S3-17b S3-18a S0-R3 S0-3a D7: a refused caller gets the reason and where to authorize, by the product's own
// authenticator, and the resource server hears nothing.
func TestWhoIsNotLetIn(t *testing.T) {
	w := newRealm(t)
	w.kinds = map[string]string{}
	good, ended, unknownKind, owner, kindless := w.issue(), w.issue(), w.issue(), w.issue(), w.issue()
	expired := w.issueUntil(w.clock.now().Add(-skew - 1e9))
	endedPackage, package1 := w.issue(w.issue()), w.issue(w.issue())
	w.end(ended, false)
	w.end(endedPackage, false)
	w.kinds[owner.token], w.kinds[unknownKind.token], w.kinds[kindless.token] = auth.KindOwner, "control_plane", ""
	url := strings.TrimSuffix(w.mount(t, nil), web.EndpointPath)
	address := strings.TrimPrefix(url, "http://")
	bearing := func(b *bearer) string { return "Authorization: Bearer " + b.token }
	const malformed, invalid = "invalid_request", "invalid_token"
	for _, test := range []struct {
		name    string
		down    bool // the authority answers nobody
		target  string
		headers []string
		status  int
		code    string
		problem string // error= of the challenge; "" means that there is none
	}{
		{name: "no bearer", status: 401, code: "not_authenticated", problem: invalid},
		{name: "an empty header", headers: []string{"Authorization:"}, status: 401, code: malformed, problem: malformed},
		{name: "an empty bearer", headers: []string{"Authorization: Bearer "}, status: 401, code: malformed, problem: malformed},
		{name: "garbage", headers: []string{"Authorization: Bearer ;;&%"}, status: 401, code: malformed, problem: malformed},
		{name: "garbage without a scheme", headers: []string{"Authorization: " + good.token}, status: 401, code: malformed, problem: malformed},
		{name: "two bearers", headers: []string{bearing(good), bearing(good)}, status: 401, code: malformed, problem: malformed},
		{name: "a bearer and an owner's", headers: []string{bearing(good), bearing(owner)}, status: 401, code: malformed, problem: malformed},
		{name: "two bearers in one header", headers: []string{bearing(good) + ", Bearer " + owner.token}, status: 401, code: malformed, problem: malformed},
		{name: "Basic", headers: []string{"Authorization: Basic cGRwcDpwZHBw"}, status: 401, code: malformed, problem: malformed},
		{name: "a bearer in the query", target: "?access_token=" + good.token, status: 401, code: malformed, problem: malformed},
		{name: "a bearer in the query and in the header", target: "?access_token=" + good.token, headers: []string{bearing(good)}, status: 401, code: malformed, problem: malformed},
		{name: "a bearer in a cookie", headers: []string{"Cookie: access_token=" + good.token}, status: 401, code: "not_authenticated", problem: invalid},
		{name: "an unknown token", headers: []string{"Authorization: Bearer nobody"}, status: 401, code: "token_inactive", problem: invalid},
		{name: "a revoked token", headers: []string{bearing(ended)}, status: 401, code: "grant_revoked", problem: invalid},
		{name: "an expired token", headers: []string{bearing(expired)}, status: 401, code: "token_expired", problem: invalid},
		{name: "a revoked package", headers: []string{bearing(endedPackage)}, status: 401, code: "grant_revoked", problem: invalid},
		{name: "D40 an owner", headers: []string{bearing(owner)}, status: 403, code: "owner_token_refused", problem: invalid},
		{name: "D40 an unknown kind", headers: []string{bearing(unknownKind)}, status: 403, code: "token_kind_refused", problem: invalid},
		{name: "D40 no kind", headers: []string{bearing(kindless)}, status: 403, code: "token_kind_refused", problem: invalid},
		{name: "an authority that is down", down: true, headers: []string{bearing(good)}, status: 503, code: "authority_unreachable"},
		{name: "an authority that is down, about a package", down: true, headers: []string{bearing(package1)}, status: 503, code: "authority_unreachable"},
		{name: "an authority that is down, about an owner", down: true, headers: []string{bearing(w.issue())}, status: 503, code: "authority_unreachable"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w.change(func(time.Time) { w.down = test.down })
			response, body := overSocket(t, address, web.EndpointPath+test.target, test.headers...)
			if response.StatusCode != test.status {
				t.Fatalf("%d %s, want %d", response.StatusCode, body, test.status)
			}
			var document struct {
				Error struct {
					Code     string `json:"code"`
					Message  string `json:"message"`
					Metadata string `json:"resource_metadata"`
				} `json:"error"`
			}
			if err := json.Unmarshal([]byte(body), &document); err != nil || document.Error.Code != test.code || document.Error.Message == "" {
				t.Errorf("body %s, want the code %s (%v)", body, test.code, err)
			}
			challenge, link, metadata := "", "", ""
			if test.problem != "" {
				metadata = url + "/.well-known/oauth-protected-resource/mcp"
				challenge = `Bearer error="` + test.problem + `", error_description="` + strings.ReplaceAll(document.Error.Message, `"`, "") + `", resource_metadata="` + metadata + `"`
				link = "<" + url + `/icon.svg>; rel="icon"; type="image/svg+xml"`
			}
			if got := response.Header.Get("WWW-Authenticate"); got != challenge {
				t.Errorf("WWW-Authenticate %q, want %q", got, challenge)
			}
			if got := document.Error.Metadata; got != metadata {
				t.Errorf("error.resource_metadata %q, want %q", got, metadata)
			}
			if got := response.Header.Get("Link"); got != link {
				t.Errorf("Link %q, want %q", got, link)
			}
			if got := response.Header.Get("Retry-After"); (got != "") != (test.status == 503) {
				t.Errorf("Retry-After %q", got)
			}
			if response.Header.Get("Content-Type") != "application/json" || response.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%v", response.Header)
			}
		})
	}
	if reads := w.reads(); len(reads) != 0 {
		t.Errorf("the resource server was asked: %v", reads)
	}
	w.change(func(time.Time) { w.down = false })
	if response, body := overSocket(t, address, web.EndpointPath, bearing(good)); response.StatusCode != 200 ||
		!strings.Contains(body, good.stamp()) {
		t.Errorf("who may enter gets %d %s", response.StatusCode, body)
	}
}

// panicking is a resource server that fails with the caller's token in its hands.
type panicking struct{ principal auth.Principal }

func (p panicking) Do(_ context.Context, r rs.Request) (*rs.Response, error) {
	if strings.Contains(r.Path, "/blobs/") {
		panic(p.principal.Token.Reveal()) // a fault that quotes the credential itself
	}
	if strings.Contains(r.Path, "/records") {
		panic(fmt.Errorf("%v %+v %#v", p, p.principal, p.principal.Token))
	}
	return nil, &rs.Error{
		Code: "server_unreachable", Message: fmt.Sprintf("%s %v", p.principal.Token, p),
		Cause: fmt.Errorf("dial %v: %w", p.principal, io.ErrUnexpectedEOF),
	}
}

// A canary: a token goes through every tool and resource at debug level, with panics and errors that hold it, as a good
// bearer, an owner's, an unknown one and a malformed one; no log line and no answer has it.
func TestATokenIsInNoLogErrorOrPanic(t *testing.T) {
	const canary = "canary7d1e"
	var log bytes.Buffer
	logger := zerolog.New(zerolog.SyncWriter(&log)).Level(zerolog.DebugLevel)
	all := tools.All(tools.Options{RecordBase: "https://rs.example"})
	handle := middleware.Standard(
		middleware.Options{Log: logger, Source: func(p auth.Principal) rs.Doer { return panicking{p} }},
		tools.Forward,
	)
	f := fixture{Server: httptest.NewServer(transport.Handler(transport.HandlerOptions{
		Server: transport.NewServer(transport.ServerOptions{
			Self: mcp.Implementation{Name: "pdpp", Version: "1"}, Tools: all, Resources: tools.Resources(all), Handler: handle, Logger: logger,
		}),
		Authenticator: &authority{}, Public: web.Public{Origin: "https://mcp.example"}, Logger: logger,
	}))}
	t.Cleanup(f.Close)
	var answers strings.Builder
	for _, token := range []string{"good-" + canary, "owner-" + canary, "unknown-" + canary, canary + "\\"} {
		for _, params := range []string{
			`"tools/call","params":{"name":"schema","arguments":{}}`,
			`"tools/call","params":{"name":"search","arguments":{"q":"x"}}`,
			`"tools/call","params":{"name":"query_records","arguments":{"stream":"s"}}`,
			`"tools/call","params":{"name":"query_records","arguments":{"stream":"s","expand":["r"]}}`,
			`"tools/call","params":{"name":"aggregate","arguments":{"stream":"s","metric":"count"}}`,
			`"tools/call","params":{"name":"fetch","arguments":{"id":"s:1"}}`,
			`"tools/call","params":{"name":"read_record_field","arguments":{"id":"s:1","field":"f"}}`,
			`"tools/call","params":{"name":"fetch_blob","arguments":{"blob_id":"b"}}`,
			`"tools/call","params":{"name":"list_streams","arguments":{}}`,
			`"resources/read","params":{"uri":"pdpp://record/s:1"}`,
			`"resources/read","params":{"uri":"pdpp://streams"}`,
		} {
			got := f.post(t, `{"jsonrpc":"2.0","id":1,"method":`+params+`}`, map[string]string{"Authorization": "Bearer " + token})
			fmt.Fprintln(&answers, got.status, got.header, got.body)
		}
	}
	f.Close() // the log is complete
	if text := answers.String(); strings.Contains(text, canary) || !strings.Contains(text, "internal_error") ||
		!strings.Contains(text, "server_unreachable") {
		t.Errorf("answers:\n%s", text)
	}
	if text := log.String(); strings.Contains(text, canary) || !strings.Contains(text, `"message":"panic"`) || !strings.Contains(text, `"code":"server_unreachable"`) {
		t.Errorf("log:\n%s", text)
	}
}

// A fault outside of the pipeline's own recovery ends neither the process nor the log with a token: the HTTP chain recovers it on the fast
// path, and a middleware of the SDK below the SDK.
func TestAPanicOutsideThePipelineKeepsItsValue(t *testing.T) {
	const canary = "canary3c55"
	for params, want := range map[string]struct {
		status int
		says   string
	}{
		`"tools/call","params":{"name":"echo"}`:                   {500, `"code":"internal_error"`},
		`"resources/read","params":{"uri":"pdpp://thing/7"}`:      {200, `"code":-32603`},
		`"tools/call","params":{"name":"echo","progressToken":1}`: {200, `"code":-32603`}, // not plain
	} {
		f := newFixture(t, func(ctx context.Context, _ tools.Call) (tools.Reply, error) { panic(auth.PrincipalFrom(ctx)) })
		got := f.post(t, `{"jsonrpc":"2.0","id":1,"method":`+params+`}`, map[string]string{"Authorization": "Bearer good-" + canary})
		f.Close()
		if got.status != want.status || !strings.Contains(got.body, want.says) || strings.Contains(got.body, canary) {
			t.Errorf("%s: %d %s", params, got.status, got.body)
		}
		if log := f.log.String(); !strings.Contains(log, `"message":"panic"`) || strings.Contains(log, canary) {
			t.Errorf("%s: log %s", params, log)
		}
	}
}
