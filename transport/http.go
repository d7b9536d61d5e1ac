package transport

import (
	_ "embed" // the icon
	"net/http"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

//go:embed icon.svg
var icon []byte

// Handler returns the hosted adapter: the endpoint behind the HTTP chain, and outside it the two metadata documents, the icon, the
// page for people, the probes and, with SignIn, the paths of a sign-in. Everything else is 404. Every error of the handler has a JSON body.
//
// A Go program mounts it at its root or, with Public.Prefix, below a path. It needs full paths, so mount it without [http.StripPrefix], and
// for the prefix as well as for web.MetadataPath followed by the prefix.
func Handler(o HandlerOptions) http.Handler {
	if o.Public.Prefix = strings.Trim(o.Public.Prefix, "/"); o.Public.Prefix != "" {
		o.Public.Prefix = "/" + o.Public.Prefix
	}
	options := web.ChainOptions{
		Authenticator: o.Authenticator, Public: o.Public, Origins: o.Origins,
		Limiter: o.Limiter, Logger: o.Logger, Tracer: o.Tracer, Observer: o.Observer,
	}
	if o.SignIn != nil {
		options.Offers = o.SignIn.Offers
	}
	notFound := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		web.Refuse(w, r, &rs.Error{
			Code: "not_found", Message: "Nothing is served at this path.", Hint: "The MCP endpoint is " + o.Public.Path(web.EndpointPath) + ".",
		})
	})
	document := func(serve http.HandlerFunc) web.Route {
		return web.Route{Access: web.Anyone, Handler: allowing(serve, http.MethodGet, http.MethodHead)}
	}
	metadata := document(func(w http.ResponseWriter, r *http.Request) { o.Metadata.serve(w, r, o.Public) })
	routes := map[string]web.Route{
		web.EndpointPath: {Handler: newEndpoint(o)},
		web.MetadataPath: metadata, web.MetadataPath + web.EndpointPath: metadata,
		web.IconPath:  document(serveIcon),
		web.OtherPath: {Access: web.Anyone, Handler: notFound},
	}
	if o.Page != nil {
		routes[web.PagePath] = web.Route{Access: web.Anyone, Handler: o.page(notFound)}
	}
	if o.Health != nil {
		probes := web.Route{Access: web.Probing, Handler: o.Health}
		routes[web.LivePath], routes[web.ReadyPath] = probes, probes
	}
	if o.SignIn != nil {
		for path, methods := range signInMethods {
			serve := func(w http.ResponseWriter, r *http.Request) { o.SignIn.Serve(w, r, path) }
			routes[path] = web.Route{Access: web.SigningIn, Handler: allowing(serve, methods...)}
		}
	}
	return options.Handler(routes)
}

// page serves the page for people to browsers, and passes any other request to notFound.
func (o HandlerOptions) page(notFound http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !wantsPage(r, o.PageForms) {
			notFound.ServeHTTP(w, r)
			return
		}
		w.Header().Add("Vary", "Accept")
		status := ""
		if o.Health != nil {
			status = o.Health.Status(r.Context())
		}
		o.Page.Serve(w, r, o.Public.URL(r, web.EndpointPath), status)
	})
}

// signInMethods has the paths of a sign-in, with the methods that each serves.
var signInMethods = map[string][]string{
	web.ServerPath: {http.MethodGet, http.MethodHead}, web.AuthorizePath: {http.MethodGet}, web.RegisterPath: {http.MethodPost}, web.TokenPath: {http.MethodPost},
}

// allowing returns a handler that answers 405 to methods other than the given ones.
func allowing(serve http.HandlerFunc, methods ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if allowMethods(w, r, methods...) {
			serve(w, r)
		}
	}
}

func serveIcon(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Cache-Control", "public, max-age=86400")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	_, _ = w.Write(icon)
}

// wantsPage reports whether a browser, or anything else that reads HTML, requests the page. An MCP client that requests JSON or events from
// the root gets the 404 that names the endpoint. If forms is set, a POST of a form is for the page as well.
func wantsPage(r *http.Request, forms bool) bool {
	if forms && r.Method == http.MethodPost {
		kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
		return strings.EqualFold(strings.TrimSpace(kind), "application/x-www-form-urlencoded")
	}
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && accepts(r.Header, "text/html", "text/*", "*/*")
}
