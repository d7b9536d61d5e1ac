package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the style and the script
	"encoding/base64"
	"net/http"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

var (
	//go:embed page.css
	commonStyle string
	//go:embed page.js
	script string
)

// A Frame is what the pages of this program share: head and tail, style and script, and headers that let nothing else run.
//
// Pages are Go functions that return nodes. Text and attribute values are escaped as HTML when they are written, and not otherwise. So an
// address must be built as one or have its scheme checked, and nothing that others wrote may go into a script, a style or the name of an
// element or an attribute.
type Frame struct {
	Style string // follows the common style
	Forms bool   // the pages send forms to their own server
	Bare  bool   // the pages have no script, no image and no link to skip to the content
}

// Write answers a request with a page. The content must have the element main.
func (f Frame) Write(w http.ResponseWriter, r *http.Request, status int, title string, content ...g.Node) {
	document := f.Render(w.Header(), "", title, content...)
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(document)
	}
}

// Render returns a page and sets its headers. The answer to a form may also redirect to redirects, which are sources of a content security
// policy, each with a space before it.
func (f Frame) Render(header http.Header, redirects, title string, content ...g.Node) []byte {
	style, action, refers := commonStyle+f.Style, "'none'", "no-referrer"
	if f.Forms {
		action, refers = "'self'"+redirects, "same-origin" // with no-referrer, browsers send a form with Origin: null
	}
	rich := "script-src '" + hash(script) + "'; img-src 'self'; "
	if f.Bare {
		rich = ""
	}
	for name, value := range map[string]string{
		"Content-Type":     "text/html; charset=utf-8",
		"Content-Language": "en",
		"Cache-Control":    "no-store", // it depends on the host and the headers of the request, and on the time
		"Content-Security-Policy": "default-src 'none'; " + rich + "style-src '" + hash(style) + "'; base-uri 'none'; " +
			"form-action " + action + "; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Referrer-Policy":              refers,
		"X-Content-Type-Options":       "nosniff",
		"X-Frame-Options":              "DENY",
	} {
		header.Set(name, value)
	}
	var document bytes.Buffer
	_ = f.document(title, style, content).Render(&document) // writing to a buffer does not fail
	return document.Bytes()
}

func (f Frame) document(title, style string, content g.Group) g.Node {
	rich := func(node g.Node) g.Node { return g.If(!f.Bare, node) }
	return h.Doctype(h.HTML(
		h.Lang("en"),
		h.Head(
			h.Meta(h.Charset("utf-8")),
			h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
			h.Meta(h.Name("color-scheme"), h.Content("light dark")),
			h.Meta(h.Name("robots"), h.Content("noindex")),
			h.TitleEl(g.Text(title)),
			rich(h.Link(h.Rel("icon"), h.Href("/icon.svg"), h.Type("image/svg+xml"))),
			h.StyleEl(g.Raw(style)),
		),
		h.Body(
			rich(h.A(Class("skip"), h.Href("#main"), g.Text("Skip to content"))),
			content,
			rich(P(h.ID("said"), Class("apart"), h.Role("status"))),
			rich(h.Script(g.Raw(script))),
		),
	))
}

// hash returns the hash of an inline text as a content security policy has it.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
