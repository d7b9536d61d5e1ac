package render

import (
	"net/url"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

const maxURLChars = 2048

// urlFields are where records keep their public address, best first.
var urlFields = []string{"url", "html_url", "web_url", "permalink", "source_url", "link"}

// citable reports whether a record's address may be a citation: http or https, no userinfo, at most 2,048 characters,
// nothing that a line could not hold (D20).
func citable(address string) bool {
	if address == "" || longerThan(address, maxURLChars) || strings.ContainsFunc(address, func(c rune) bool { return !shown(c) || c <= ' ' || c == '"' || c == '<' || c == '>' }) {
		return false
	}
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}

// citation returns the first usable address among the record's, or "" and the record's unusable one.
func citation(data object) (usable, refused string) {
	for _, key := range urlFields {
		raw := data.Get(key)
		if rs.Kind(raw) != "string" {
			continue
		}
		address, _ := rs.AsText(raw)
		if citable(address) {
			return address, ""
		}
		if refused == "" {
			refused = preview(address, maxURLChars)
		}
	}
	return "", refused
}

func queryEscape(s string) string { return url.QueryEscape(s) }
