package integration

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// getPage requests the page that a person sees at the root of an endpoint's server.
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

// secrets returns all secrets and tokens of a demo.
func (a addresses) secrets() []string {
	return []string{a.ClientToken, a.NarrowToken, a.PackageToken, a.OwnerToken, a.ExpiredToken, a.RevokedToken, a.IntrospectionClientSecret}
}

// A hosted server's page has no token and no data, whatever its flags and its caller.
func TestTheHostedPageHoldsNoToken(t *testing.T) {
	t.Parallel()
	endpoint, _ := serve(t, "--rs-url", sample.RSURL, "--introspection-url", sample.IntrospectionURL,
		"--introspection-client-id", sample.IntrospectionClientID, "--introspection-client-secret", sample.IntrospectionClientSecret)
	overHTTP(t, endpoint, sample.ClientToken).text("schema", args(`{}`))
	status, body := getPage(t, endpoint)
	if status != http.StatusOK || !strings.Contains(body, `value="`+endpoint+`"`) {
		t.Fatalf("%d %s", status, body)
	}
	for _, text := range append(sample.secrets(), sample.RSURL, sample.IntrospectionURL, "owner_secret", "<form", "pdpp_client_") {
		if strings.Contains(body, text) {
			t.Errorf("the page contains %s", text)
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

// The link that demo prints has no token; the secret that opens the page is printed beside it.
func TestTheLinkToThePageHoldsNoToken(t *testing.T) {
	t.Parallel()
	folder := writeFolder(t, map[string]string{"notes.jsonl": lineOf(t, map[string]any{"id": "n1", "title": "Groceries"})})
	p, err := start(t.TempDir(), nil, "demo", "--data", folder, "--listen", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.stop(); err != nil {
			t.Error(err)
		}
	})
	link := regexp.MustCompile(`In a browser, (http://127\.0\.0\.1:\d+)/ shows the data; it opens with the owner's secret, (\w+)$`)
	line, err := p.stdout.find(startTime, link.MatchString)
	if err != nil {
		t.Fatalf("%v:\n%s", err, p.stdout)
	}
	found := link.FindStringSubmatch(line)
	if body := visitPage(t, found[1]+"/mcp").open(found[2]).show("/?view=records&stream=notes"); !strings.Contains(body, "Groceries") {
		t.Error(body)
	}
}
