package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// An accepted token is one well-formed token from the header; a refusal repeats no part of the header.
func FuzzParseBearer(f *testing.F) {
	for _, seed := range []string{"", "Bearer", "Bearer ", "Bearer a", "bearer  a==", "Basic a", "Bearer a b", "Bearer \x00", "Bearer =", "Bearer é", "Bearer a,Bearer b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		r := &http.Request{Header: http.Header{"Authorization": {header}}, URL: &url.URL{Path: "/mcp"}}
		token, err := parseBearer(r)
		text := token.Reveal()
		if err == nil {
			if text == "" || len(text) > maxTokenBytes || strings.ContainsAny(text, " \t\r\n\",\\\x00") {
				t.Errorf("accepted %q", text)
			}
			if !strings.HasSuffix(strings.TrimRight(header, " "), text) || !strings.EqualFold(header[:len("Bearer ")], "Bearer ") {
				t.Errorf("accepted %q from %q", text, header)
			}
			return
		}
		if text != "" {
			t.Errorf("a refusal came with the token %q", text)
		}
		if len(header) > 24 && strings.Contains(err.Error(), header) {
			t.Errorf("a refusal repeats the header: %v", err)
		}
		if challenge := challenge(rs.AsError(err), "https://mcp.example/x"); strings.Count(challenge, `"`) != 6 {
			t.Errorf("challenge %q", challenge)
		}
	})
}
