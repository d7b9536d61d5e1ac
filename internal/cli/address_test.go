package cli

import "testing"

func TestAnOriginHasNoPathAndNoCredentials(t *testing.T) {
	for text, want := range map[string]string{
		"https://MCP.Example":       "https://mcp.example",
		"https://mcp.example:443/":  "https://mcp.example",
		"http://127.0.0.1:8080":     "http://127.0.0.1:8080",
		"https://mcp.example:80":    "https://mcp.example:80",
		"ftp://mcp.example":         "",
		"mcp.example":               "",
		"https://":                  "",
		"https://a:b@mcp.example":   "",
		"https://mcp.example/base":  "",
		"https://mcp.example/?q=1":  "",
		"https://mcp.example/#frag": "",
	} {
		got, err := parseOrigin(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("ParseOrigin(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
}

// setup refuses an address of another machine without TLS, with the same message for a hosted server and for a provider.
func TestAnAddressWithoutTLSIsRefused(t *testing.T) {
	for _, flag := range []string{"--url", "--provider-url"} {
		want := flag + ": http is only for this machine, and rs.example is another: give an https address."
		if err := requireTLS(flag, "http://rs.example"); err == nil || err.Error() != want {
			t.Errorf("%s: %v; want %q", flag, err, want)
		}
	}
}
