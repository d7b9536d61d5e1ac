package page_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/internal/page"
)

// seen is the part of a page that differs between requests.
type seen struct{ Endpoint, Status string }

// opened returns a page as a browser gets it.
func opened(o page.Options, view seen) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	page.New(o).Serve(recorder, httptest.NewRequest(http.MethodGet, "/", nil), view.Endpoint, view.Status)
	return recorder
}

var (
	hosted = page.Options{Server: clients.Server{Name: "pdpp"}}
	view   = seen{Endpoint: "https://mcp.example/mcp", Status: "ready"}
	sample = page.Options{
		LinkToData: true,
		Server:     clients.Server{Name: "pdpp-demo", Command: "/opt/pdpp-mcp", Arguments: []string{"stdio", "--demo"}},
	}
	ownData = page.Options{LinkToData: true, Server: clients.Server{Name: "pdpp-demo", TokenEnv: "PDPP_TOKEN"}}
)

func TestAPageSaysWhatAPersonNeeds(t *testing.T) {
	for _, c := range []struct {
		name          string
		options       page.Options
		status        string
		holds, misses []string
	}{
		{
			"a hosted server", hosted, "ready",
			[]string{
				`value="https://mcp.example/mcp"`, "<strong>Ready.</strong>", "It only reads",
				"claude mcp add --scope user --transport http pdpp https://mcp.example/mcp", "Open Settings, then Connectors", "Developer mode",
				"codex mcp login pdpp", `href="cursor://anysphere.cursor-deeplink/mcp/install?name=pdpp`, `href="vscode:mcp/install?`,
				"gemini mcp add --scope user --transport http pdpp", "~/.config/zed/settings.json", "Another client",
				"~/Library/Application Support/Code/User/mcp.json", "~/AppData/Roaming/Code/User/mcp.json",
			},
			[]string{"tools/list", "Bearer", "token that the demo", "Only a hosted server", "Look at the data"},
		},
		{"one that is not ready", hosted, "not_ready", []string{"<strong>Not ready.</strong>"}, []string{"Ready.</strong>"}},
		{"one that starts", hosted, "starting", []string{"<strong>Starting.</strong>"}, nil},
		{"one that stops", hosted, "draining", []string{"<strong>Stopping.</strong>"}, nil},
		{"one whose status is not known", hosted, "", nil, []string{`class="state`}},
		{
			"the sample year", sample, "ready",
			[]string{`<a href="/">Look at the data yourself</a>`, "claude mcp add --scope user pdpp-demo -- /opt/pdpp-mcp stdio --demo", "can be connected to ChatGPT.", `value="https://mcp.example/mcp"`},
			nil,
		},
		{
			"data of the person's own", ownData, "ready",
			[]string{`<a href="/">Look at the data yourself</a>`, "Authorization: Bearer ${PDPP_TOKEN}", "can be connected to Claude Desktop, ChatGPT, VS Code, Zed"},
			[]string{"pdpp_client_", "stdio"},
		},
	} {
		body := opened(c.options, seen{Endpoint: view.Endpoint, Status: c.status}).Body.String()
		body = strings.NewReplacer("&#39;", "'", "&#34;", `"`, "&#43;", "+").Replace(body)
		for _, text := range c.holds {
			if !strings.Contains(body, text) {
				t.Errorf("the page of %s does not have %q", c.name, text)
			}
		}
		for _, text := range c.misses {
			if strings.Contains(body, text) {
				t.Errorf("the page of %s has %q", c.name, text)
			}
		}
	}
}

var (
	inline = regexp.MustCompile(`(?s)<(script|style)>(.*?)</(?:script|style)>`)
	loads  = regexp.MustCompile(`(?:src|href|action|srcset|poster|data)="([^"]*)"`)
	event  = regexp.MustCompile(`(?i)<[^>]* (?:on[a-z]+|style)=`)
)

// The content security policy allows the page's own style and script by their hashes, and nothing else.
func TestTheContentSecurityPolicy(t *testing.T) {
	for name, options := range map[string]page.Options{"hosted": hosted, "sample": sample, "own data": ownData} {
		answer := opened(options, view)
		body := answer.Body.String()
		found := inline.FindAllStringSubmatch(body, -1)
		if len(found) != 2 {
			t.Fatalf("%s: %d inline elements", name, len(found))
		}
		hashes := map[string]string{}
		for _, element := range found {
			sum := sha256.Sum256([]byte(element[2]))
			hashes[element[1]] = base64.StdEncoding.EncodeToString(sum[:])
		}
		want := fmt.Sprintf("default-src 'none'; script-src 'sha256-%s'; img-src 'self'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "+
			"require-trusted-types-for 'script'; trusted-types 'none'", hashes["script"], hashes["style"])
		if got := answer.Header().Get("Content-Security-Policy"); got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
		markup := inline.ReplaceAllString(body, "")
		if found := event.FindString(markup); found != "" {
			t.Errorf("%s: %s would not work", name, found)
		}
		for _, url := range loads.FindAllStringSubmatch(markup, -1) {
			switch {
			case url[1] == "/icon.svg", url[1] == "#main", url[1] == "/" && options.LinkToData, url[1] == "/.well-known/oauth-protected-resource/mcp":
			case strings.HasPrefix(url[1], "cursor://"), strings.HasPrefix(url[1], "vscode:mcp/"):
			default:
				t.Errorf("%s leads to %s", name, url[1])
			}
		}
	}
}

func TestAPageIsNeitherStoredNorFramed(t *testing.T) {
	header := opened(hosted, view).Header()
	for name, want := range map[string]string{
		"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "X-Frame-Options": "DENY", "Set-Cookie": "", "Access-Control-Allow-Origin": "",
	} {
		if got := header.Get(name); got != want {
			t.Errorf("%s: %q, not %q", name, got, want)
		}
	}
}

// A name, an address, a path or a token that looks like markup is escaped.
func TestWhatIsShownIsEscaped(t *testing.T) {
	const hostile = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`
	for name, options := range map[string]page.Options{
		"a name":        {Server: clients.Server{Name: hostile}},
		"a command":     {Server: clients.Server{Name: "pdpp", Command: hostile, Arguments: []string{hostile}}},
		"an address":    {Server: clients.Server{Name: "pdpp", URL: "https://mcp.example/" + hostile}},
		"a variable":    {Server: clients.Server{Name: "pdpp", TokenEnv: hostile}},
		"the endpoint":  hosted,
		"the sample's":  sample,
		"own data's, …": ownData,
	} {
		body := opened(options, seen{Endpoint: "https://mcp.example/mcp" + hostile, Status: hostile}).Body.String()
		if n := strings.Count(body, "<script"); n != 1 || strings.Contains(body, "<img src=x") || !strings.Contains(body, "&lt;script&gt;") {
			t.Errorf("%s: %d scripts", name, n)
		}
	}
}

// The install links contain exactly what the host reads.
func TestLinksHoldTheServer(t *testing.T) {
	body := opened(hosted, view).Body.String()
	found := regexp.MustCompile(`href="cursor://[^"]*config=([^"&]*)"`).FindStringSubmatch(body)
	if found == nil {
		t.Fatal("no link for Cursor")
	}
	config, err := base64.StdEncoding.DecodeString(strings.NewReplacer("%3D", "=", "%2B", "+", "%2F", "/").Replace(found[1]))
	var entry map[string]string
	if err != nil || json.Unmarshal(config, &entry) != nil || len(entry) != 1 || entry["url"] != view.Endpoint {
		t.Errorf("%s (%v)", config, err)
	}
}

func TestHeadHasNoBody(t *testing.T) {
	recorder := httptest.NewRecorder()
	page.New(hosted).Serve(recorder, httptest.NewRequest(http.MethodHead, "/", nil), view.Endpoint, view.Status)
	if recorder.Code != http.StatusOK || recorder.Body.Len() != 0 || recorder.Header().Get("Content-Security-Policy") == "" {
		t.Errorf("%d with %d bytes", recorder.Code, recorder.Body.Len())
	}
}

// Every id that an element refers to exists once.
func TestEachIDThatIsReferredToExistsOnce(t *testing.T) {
	for name, options := range map[string]page.Options{"hosted": hosted, "sample": sample, "own data": ownData} {
		body := opened(options, view).Body.String()
		ids := map[string]int{}
		for _, id := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(body, -1) {
			ids[id[1]]++
		}
		for id, n := range ids {
			if n != 1 {
				t.Errorf("%s: %d elements %s", name, n, id)
			}
		}
		for _, reference := range regexp.MustCompile(` (?:for|data-copy|aria-labelledby|aria-describedby)="([^"]+)"|at\("([^"]+)"\)`).FindAllStringSubmatch(body, -1) {
			if id := reference[1] + reference[2]; ids[id] != 1 {
				t.Errorf("%s: no element has the id %s", name, id)
			}
		}
	}
}
