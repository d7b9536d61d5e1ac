package integration

import (
	"net/http"
	"strings"
	"testing"
)

// getPage asks for what a person sees who opens the server of an endpoint in a browser.
func getPage(t *testing.T, endpoint string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(endpoint, "mcp"), nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "text/html")
	status, _, body := do(t, request)
	return status, body
}

// secrets are everything of a demo that opens something.
func (a addresses) secrets() []string {
	return []string{a.ClientToken, a.NarrowToken, a.PackageToken, a.OwnerToken, a.ExpiredToken, a.RevokedToken, a.IntrospectionClientSecret}
}

// A hosted server's page has no token and no console, whatever its flags and whoever calls it.
func TestTheHostedPageHoldsNoToken(t *testing.T) {
	t.Parallel()
	endpoint, _ := serve(t, "--rs-url", sample.RSURL, "--introspection-url", sample.IntrospectionURL,
		"--introspection-client-id", sample.IntrospectionClientID, "--introspection-client-secret", sample.IntrospectionClientSecret)
	overHTTP(t, endpoint, sample.ClientToken).text("schema", args(`{}`))
	status, body := getPage(t, endpoint)
	if status != http.StatusOK || !strings.Contains(body, `value="`+endpoint+`"`) {
		t.Fatalf("%d %s", status, body)
	}
	for _, text := range append(sample.secrets(), sample.RSURL, sample.IntrospectionURL, `id="token"`, "tools/call", "pdpp_client_") {
		if strings.Contains(body, text) {
			t.Errorf("the page holds %s", text)
		}
	}
}

func TestThePageCanBeSwitchedOff(t *testing.T) {
	t.Parallel()
	endpoint, _ := serve(t, "--rs-url", sample.RSURL, "--no-page")
	if status, body := getPage(t, endpoint); status != http.StatusNotFound || !strings.HasPrefix(body, "{") {
		t.Errorf("%d %s", status, body)
	}
}

// The sample year's page holds the one token that its console calls with, and no other.
func TestTheDemosPageHoldsItsToken(t *testing.T) {
	t.Parallel()
	status, body := getPage(t, sample.MCPURL)
	if status != http.StatusOK || strings.Count(body, sample.ClientToken) != 1 || !strings.Contains(body, "tools/call") {
		t.Errorf("%d, the token %d times", status, strings.Count(body, sample.ClientToken))
	}
	for _, secret := range sample.secrets()[1:] {
		if strings.Contains(body, secret) {
			t.Errorf("the page holds %s", secret)
		}
	}
}

// A person's own data is not for whoever can open a port of the machine: the token comes with the printed link alone.
func TestThePageOfOwnDataHoldsNoToken(t *testing.T) {
	t.Parallel()
	folder := writeFolder(t, map[string]string{"notes.jsonl": lineOf(t, map[string]any{"id": "n1", "title": "Groceries"})})
	d := runDemo(t, "--data", folder)
	status, body := getPage(t, d.MCPURL)
	if status != http.StatusOK || !strings.Contains(body, `id="token" type="password"`) {
		t.Errorf("%d %s", status, body)
	}
	for _, secret := range d.secrets() {
		if strings.Contains(body, secret) {
			t.Errorf("the page holds %s", secret)
		}
	}

	p, err := start(t.TempDir(), nil, "demo", "--data", folder, "--listen", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.stop(); err != nil {
			t.Error(err)
		}
	})
	if _, err := p.stdout.find(startTime, func(line string) bool {
		return strings.Contains(line, "In a browser, http://127.0.0.1:") && strings.Contains(line, "/#token=pdpp_client_")
	}); err != nil {
		t.Errorf("%v:\n%s", err, p.stdout)
	}
}
