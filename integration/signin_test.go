package integration

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

const loopbackCallback = "http://127.0.0.1:49152/callback"

var csrfField = regexp.MustCompile(`name="_csrf" value="([^"]+)"`)

// An owner is the demo's, with a browser without JavaScript.
type owner struct {
	addresses
	decision string   // approve or deny
	picks    []string // connections, if the page asks for them
	asked    atomic.Int64
	handler  auth.OAuthHandler // of the program that signed in last
}

// authorize follows the program's authorization URL to the response for the program.
func (o *owner) authorize(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	o.asked.Add(1)
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	browser := &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.String(), loopbackCallback) {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	page, response, err := browse(ctx, browser, http.MethodGet, args.URL, nil)
	if err != nil {
		return nil, err
	}
	field := csrfField.FindStringSubmatch(page)
	if response.StatusCode != http.StatusOK || field == nil {
		return nil, fmt.Errorf("the consent page answers %d: %s", response.StatusCode, page)
	}
	form := url.Values{
		"_csrf": {field[1]}, "owner_secret": {o.OwnerSecret}, "connection": o.picks, "request_uri": {response.Request.URL.Query().Get("request_uri")},
	}
	_, response, err = browse(ctx, browser, http.MethodPost, o.RSURL+"/consent/"+o.decision, form)
	if err != nil {
		return nil, err
	}
	back, err := url.Parse(response.Header.Get("Location"))
	if err != nil || response.StatusCode != http.StatusFound {
		return nil, errors.New("the owner denied it")
	}
	return &auth.AuthorizationResult{Code: back.Query().Get("code"), State: back.Query().Get("state"), Iss: back.Query().Get("iss")}, nil
}

func browse(ctx context.Context, browser *http.Client, method, target string, form url.Values) (string, *http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, target, strings.NewReader(form.Encode()))
	if err != nil {
		return "", nil, err
	}
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Origin", request.URL.Scheme+"://"+request.URL.Host)
	}
	response, err := browser.Do(request)
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = response.Body.Close() }()
	page, err := io.ReadAll(response.Body)
	return string(page), response, err
}

// signIn connects with the SDK's OAuth client, which registers, signs in and refreshes.
func signIn(t *testing.T, endpoint string, o *owner) (*mcp.ClientSession, error) {
	t.Helper()
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "go-sdk", RedirectURIs: []string{"http://127.0.0.1/callback", loopbackCallback},
			GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"}, TokenEndpointAuthMethod: "none",
		}},
		RedirectURL: loopbackCallback, AuthorizationCodeFetcher: o.authorize,
	})
	if err != nil {
		t.Fatal(err)
	}
	o.handler = handler
	client := mcp.NewClient(&mcp.Implementation{Name: "go-sdk", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: endpoint, OAuthHandler: handler}, nil)
	if err == nil {
		t.Cleanup(func() { _ = session.Close() })
	}
	return session, err
}

func schemaText(t *testing.T, session *mcp.ClientSession) string {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "schema", Arguments: map[string]any{}})
	if err != nil || result.IsError {
		t.Fatalf("schema: %v %v", err, result)
	}
	return result.Content[0].(*mcp.TextContent).Text
}

// loopbackAddress returns one without a listener.
func loopbackAddress(t *testing.T) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// The SDK's OAuth client signs in through a server that requests one source, and gets a token of one grant.
func TestOAuthClientSignsInForOneSource(t *testing.T) {
	address := loopbackAddress(t)
	serve(t, "--rs-url", sample.RSURL, "--listen", address, "--public-url", "http://"+address, "--authorization-source", "slack")
	o := &owner{addresses: sample, decision: "approve"}
	session, err := signIn(t, "http://"+address+"/mcp", o)
	if err != nil {
		t.Fatal(err)
	}
	if text := schemaText(t, session); !strings.Contains(text, "slack") || strings.Contains(text, "gmail") {
		t.Errorf("schema: %s", text)
	}
	if asked := o.asked.Load(); asked != 1 {
		t.Errorf("the owner was asked %d times", asked)
	}
	if got := finish(t, nil, "", "doctor", "--url", "http://"+address+"/mcp"); got.code != 0 || !strings.Contains(got.stdout, "for the one source") {
		t.Errorf("doctor: %d %s", got.code, got.stdout)
	}
	plain, _ := serve(t, "--rs-url", sample.RSURL)
	if got := finish(t, nil, "", "doctor", "--url", plain); got.code != 0 || !strings.Contains(got.stdout, "may get a package token of several sources there") {
		t.Errorf("doctor: %d %s", got.code, got.stdout)
	}
	t.Run("one source from the details in a file", func(t *testing.T) {
		details := filepath.Join(t.TempDir(), "details.json")
		if err := os.WriteFile(details, []byte(`[{"type":"https://pdpp.dev/data-access","access_mode":"continuous","purpose_code":"https://pdpp.dev/purpose/personal_ai_assistant",
			"source":{"id":"`+sourceID(t, "gmail")+`"},"streams":[{"name":"messages","fields":["subject"],"instance_ids":["cin_mail_work"]}]}]`), 0o600); err != nil {
			t.Fatal(err)
		}
		address := loopbackAddress(t)
		serve(t, "--rs-url", sample.RSURL, "--listen", address, "--public-url", "http://"+address, "--authorization-details", details)
		session, err := signIn(t, "http://"+address+"/mcp", o)
		if err != nil {
			t.Fatal(err)
		}
		if text := schemaText(t, session); !strings.Contains(text, "cin_mail_work") || strings.Contains(text, "cin_mail_personal") || strings.Contains(text, "threads") {
			t.Errorf("schema: %s", text)
		}
	})
}

// sourceID reads a source's id from the authority.
func sourceID(t *testing.T, key string) string {
	t.Helper()
	page, _, err := browse(t.Context(), http.DefaultClient, http.MethodGet, sample.RSURL+"/connectors/"+key, nil)
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`"manifest_uri":"([^"]+)"`).FindStringSubmatch(page)[1]
}

// At the demo the owner chooses connections, and the client reads them as one.
func TestOAuthClientSignsInAtTheDemo(t *testing.T) {
	session, err := signIn(t, sample.MCPURL, &owner{addresses: sample, decision: "approve", picks: []string{"cin_mail_work", "cin_notes"}})
	if err != nil {
		t.Fatal(err)
	}
	if text := schemaText(t, session); !strings.Contains(text, "cin_mail_work") || strings.Contains(text, "cin_mail_personal") {
		t.Errorf("schema: %s", text)
	}
	if _, err := signIn(t, sample.MCPURL, &owner{addresses: sample, decision: "deny"}); err == nil {
		t.Error("the owner denied it, and the client is in")
	}
}

// A token is refreshed without the owner. The client does so ten seconds before it expires, here at each call.
func TestOAuthClientRefreshes(t *testing.T) {
	demo := runDemo(t, "--token-life", "9s")
	o := &owner{addresses: demo.addresses, decision: "approve", picks: []string{"cin_mail_work"}}
	session, err := signIn(t, demo.MCPURL, o)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		schemaText(t, session)
	}
	if asked := o.asked.Load(); asked != 1 {
		t.Errorf("the owner was asked %d times", asked)
	}
}

// During a session the network is lost, a call needs more than was granted (403, insufficient_scope), and the grant is revoked; after the
// latter two the client asks the owner again by itself.
func TestOAuthClientContinues(t *testing.T) {
	o, address := &owner{addresses: sample, decision: "approve"}, loopbackAddress(t)
	asking := func(streams string) (stop func()) {
		details := filepath.Join(t.TempDir(), "details.json")
		check(t, os.WriteFile(details, []byte(`[{"type":"https://pdpp.dev/data-access","access_mode":"continuous","purpose_code":"https://pdpp.dev/purpose/personal_ai_assistant",
			"source":{"id":"`+sourceID(t, "gmail")+`"},"streams":[`+streams+`]}]`), 0o600))
		_, p := serve(t, append(introspected(sample), "--rs-url", sample.RSURL, "--listen", address, "--public-url", "http://"+address, "--authorization-details", details)...)
		return func() { check(t, p.stop()) }
	}
	const messages = `{"name":"messages","instance_ids":["cin_mail_work"]}`
	stop := asking(messages)
	session, err := signIn(t, "http://"+address+"/mcp", o)
	check(t, err)
	search := func() (string, error) {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "search", Arguments: map[string]any{"q": "invoice", "streams": []string{"threads"}, "limit": 1}})
		if err != nil {
			return "", err
		}
		return result.Content[0].(*mcp.TextContent).Text, nil
	}
	if text, err := search(); err != nil || !strings.Contains(text, `no stream "threads" in this grant`) || o.asked.Load() != 1 {
		t.Errorf("when a new sign-in does not help: %v %s; the owner was asked %d times", err, text, o.asked.Load())
	}
	stop()
	if text, err := search(); err == nil {
		t.Errorf("the network is lost: %s", text)
	}
	asking(messages + `,{"name":"threads","instance_ids":["cin_mail_work"]}`)
	if text, err := search(); err != nil || !strings.Contains(text, "cin_mail_work/threads:") || o.asked.Load() != 2 {
		t.Errorf("more than was granted: %v %s; the owner was asked %d times", err, text, o.asked.Load())
	}
	source, err := o.handler.TokenSource(t.Context())
	check(t, err)
	held, err := source.Token()
	check(t, err)
	check(t, revokeGrant(sample, held.AccessToken))
	for range 2 { // the first may say that the grant was revoked
		if _, err = search(); err == nil && o.asked.Load() > 2 {
			break
		}
	}
	if text, err := search(); err != nil || !strings.Contains(text, "cin_mail_work/threads:") || o.asked.Load() != 3 {
		t.Errorf("revoked: %v %s; the owner was asked %d times", err, text, o.asked.Load())
	}
}

func TestServeRefusesASignInThatCannotWork(t *testing.T) {
	details := filepath.Join(t.TempDir(), "details.json")
	if err := os.WriteFile(details, []byte("[{}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, want string
		code       int
		arguments  []string
	}{
		{"without a public URL", "--public-url", 64, []string{"--authorization-source", "slack"}},
		{"with two selections", "name one", 64, []string{"--authorization-source", "slack", "--authorization-details", details}},
		{"with two authorization servers", "one of --authorization-servers", 64, []string{
			"--authorization-source", "slack", "--public-url", "http://127.0.0.1:1", "--authorization-servers", "https://a.example,https://b.example",
		}},
		{"with details of no source", details + ": authorization details must be", 64, []string{"--authorization-details", details, "--public-url", "http://127.0.0.1:1"}},
		{"for an unknown source", "nosuch", 69, []string{"--authorization-source", "nosuch", "--public-url", "http://127.0.0.1:1"}},
		{"at a server out of reach", "authorization server", 69, []string{
			"--authorization-source", "slack", "--public-url", "http://127.0.0.1:1", "--authorization-servers", "http://127.0.0.1:1",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := finish(t, nil, "", append([]string{"serve", "--listen", "127.0.0.1:0", "--rs-url", sample.RSURL}, test.arguments...)...)
			if got.code != test.code || !strings.Contains(got.stderr, test.want) {
				t.Errorf("exit %d: %s", got.code, got.stderr)
			}
		})
	}
}
