package page_test

import (
	"slices"
	"strings"
	"testing"

	g "maragu.dev/gomponents"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/internal/page"
	"github.com/pdp-connect/pdpp-mcp/internal/page/pagetest"
)

// The texts of operators, requests and addresses cannot add an element, an attribute or a link to the page; at most the page lacks those
// of a client that such a server cannot be added to.
func TestNothingThatIsShownIsMarkup(t *testing.T) {
	for name, options := range map[string]func(text string) page.Options{
		"a hosted server": func(text string) page.Options {
			return page.Options{Server: clients.Server{Name: text, URL: "https://mcp.example/" + text}, LinkToData: true}
		},
		"an address": func(text string) page.Options { return page.Options{Server: clients.Server{Name: "pdpp", URL: text}} },
		"a command": func(text string) page.Options {
			return page.Options{Server: clients.Server{Name: "pdpp", Command: text, Arguments: []string{text, "--x=" + text}}}
		},
		"a variable": func(text string) page.Options {
			return page.Options{Server: clients.Server{Name: "pdpp", URL: "https://mcp.example/" + text, TokenEnv: text}}
		},
	} {
		for _, text := range pagetest.Hostile() {
			shown := opened(options(text), seen{"https://mcp.example/mcp" + text, text}).Body.String()
			plain := pagetest.Shape(t, opened(options(pagetest.Plain(text)), seen{"https://mcp.example/mcp", ""}).Body.String())
			for _, line := range pagetest.Shape(t, shown) {
				if !slices.Contains(plain, line) {
					t.Errorf("%s of %q has %s", name, text, line)
				}
			}
			if typed := pagetest.Typed(text); typed == text && !pagetest.Holds(t, shown, "https://mcp.example/mcp"+text) {
				t.Errorf("%s of %q has lost the address", name, text)
			}
		}
	}
}

func TestLinksOnlyLeadToKnownPlaces(t *testing.T) {
	for _, address := range append(
		pagetest.Hostile(), "", "https://evil.example/", "x", "vscode:mcp/install", "#main", "/\t/evil.example", "/\n\\evil.example",
	) {
		if link := render(page.Link(address, "text")); link != "text" {
			t.Errorf("%q leads out: %s", address, link)
		}
	}
	if link := render(page.Link(`/?q="`, "text")); link != `<a href="/?q=&#34;">text</a>` {
		t.Error(link)
	}
}

func render(node g.Node) string {
	var text strings.Builder
	_ = node.Render(&text)
	return text.String()
}
