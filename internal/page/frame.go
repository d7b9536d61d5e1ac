package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"net/http"
)

//go:embed frame.html page.html page.css page.js
var files embed.FS

// A Frame is what the pages of this program have in common: head and tail, style and script, and headers that let nothing else run. It
// is used by many at a time.
type Frame struct {
	template       *template.Template
	policy, refers string
}

// NewFrame returns a frame around templates. Each page is a template of markup that begins with the template "head", given its title, and
// ends with "tail"; functions are for them alone. style is added to the common one. forms lets pages send forms to their own server.
func NewFrame(markup, style string, forms bool, functions template.FuncMap) *Frame {
	style, script := file("page.css")+style, file("page.js")
	f := &Frame{refers: "no-referrer"}
	action := "none"
	if forms {
		action, f.refers = "self", "same-origin" // with no-referrer, browsers send a form with Origin: null
	}
	f.policy = "default-src 'none'; script-src '" + hash(script) + "'; style-src '" + hash(style) + "'; img-src 'self'; " +
		"base-uri 'none'; form-action '" + action + "'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
	f.template = template.Must(template.New("").Funcs(template.FuncMap{
		"style":  func() template.CSS { return template.CSS(style) }, // #nosec G203 -- embedded
		"script": func() template.JS { return template.JS(script) },  // #nosec G203 -- embedded
	}).Funcs(functions).Parse(file("frame.html") + markup))
	return f
}

func file(name string) string {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

// hash is a source as a content security policy names it.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Write answers a request with the page of a name.
func (f *Frame) Write(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	var body bytes.Buffer
	if err := f.template.ExecuteTemplate(&body, name, data); err != nil {
		panic(err) // a fault of the template; the HTTP chain answers 500
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Language", "en")
	header.Set("Cache-Control", "no-store") // it depends on the name and the headers of the request, and on the moment
	header.Set("Content-Security-Policy", f.policy)
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Referrer-Policy", f.refers)
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = body.WriteTo(w)
	}
}
