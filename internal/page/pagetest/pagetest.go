// Package pagetest compares pages that show hostile texts with pages that show plain words.
package pagetest

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// Hostile returns texts that would be more than text on a page that fails to escape them.
func Hostile() []string {
	return []string{
		`"><script>alert(1)</script>`, `'><img src=x onerror='alert(2)'>`, `x" onmouseover="alert(3)" y='`,
		"x` onfocus=alert(4) autofocus `${alert(5)}",
		`javascript:alert(6)`, `//evil.example/`, `/\evil.example`, `data:text/html,<script>alert(7)</script>`, "\x01java\tscript:alert(8)",
		`</title></style></script></textarea></select></pre><svg onload=alert(9)>`, `--><!--<![CDATA[ ]]>`,
		`&lt;b&gt; &quot; &#106;avascript: &`,
		"a\x00b<\x00script>", "\xff\xfe<b\xc0\xaf>", "\u202e\u2066evil\u200f\u2069", `?view=call&view=x#main`, `{{.}} <% %> ${x}`, "+/=%22%3E%3Cscript%3E",
	}
}

// Plain returns a harmless text that is as long as another, in bytes.
func Plain(text string) string { return strings.Repeat("x", len(text)) }

// Typed returns a text without control characters and invalid UTF-8, which no address and no form may contain.
func Typed(text string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' {
			return -1
		}
		return c
	}, strings.ToValidUTF8(text, ""))
}

// free has the attributes that may have any value.
var free = []string{"value", "aria-label", "datetime"}

// Shape returns a line for each element of a page: its attributes with their values, except those that may have any value. Addresses are
// shown without the values of their parameters other than view. Scripts and styles are shown in full.
func Shape(t testing.TB, page string) []string {
	t.Helper()
	var lines []string
	walk(t, page, func(node *html.Node) {
		switch {
		case node.Type == html.CommentNode:
			lines = append(lines, "comment")
		case node.Type == html.TextNode && slices.Contains([]string{"script", "style"}, node.Parent.Data):
			lines = append(lines, node.Data)
		case node.Type == html.ElementNode:
			line := []string{node.Data}
			for _, attribute := range node.Attr {
				value := attribute.Val
				switch {
				case slices.Contains(free, attribute.Key):
					value = "…"
				case slices.Contains([]string{"href", "src", "action", "formaction"}, attribute.Key):
					value = target(value)
				}
				line = append(line, fmt.Sprintf("%s=%q", attribute.Key, value))
			}
			lines = append(lines, strings.Join(line, " "))
		}
	})
	return lines
}

// target returns what an address leads to.
func target(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	if u.Scheme != "" || u.Host != "" {
		return u.Scheme + ":" + u.Opaque + "//" + u.Host + u.Path
	}
	to := []string{u.Path + "#" + u.Fragment, u.Query().Get("view")}
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		name, _, _ := strings.Cut(pair, "=")
		to = append(to, name)
	}
	return strings.Join(to, " ")
}

// Holds reports whether a text of a page, or the value of an attribute, is exactly a text.
func Holds(t testing.TB, page, text string) bool {
	t.Helper()
	found := false
	walk(t, page, func(node *html.Node) {
		found = found || node.Type == html.TextNode && node.Data == text ||
			slices.ContainsFunc(node.Attr, func(a html.Attribute) bool { return a.Val == text })
	})
	return found
}

func walk(t testing.TB, page string, see func(*html.Node)) {
	t.Helper()
	document, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for node := range document.Descendants() {
		see(node)
	}
}
