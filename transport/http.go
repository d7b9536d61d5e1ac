package transport

import (
	_ "embed" // the icon
	"net/http"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

//go:embed icon.svg
var icon []byte

// Handler returns the hosted adapter: the endpoint behind the HTTP chain, and outside it the two metadata documents, the icon, the
// page for people and the probes. Everything else is 404. Every error has a JSON body.
//
// A Go program mounts it at its root or, with Public.Prefix, below a path. It sees whole paths, so it is mounted without
// [http.StripPrefix], and gets requests for the prefix and for web.MetadataPath followed by the prefix.
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
	endpoint := options.AuthenticatedChain().Then(newEndpoint(o))
	public := options.PublicChain().Then(publicDocuments(o))
	probes := public
	if o.Health != nil {
		probes = options.BaseChain().Then(o.Health)
	}
	signIn := public
	if o.SignIn != nil {
		signIn = options.SignInChain().Then(signInPaths(o))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch o.Public.Route(r.URL.Path) {
		case web.EndpointPath:
			endpoint.ServeHTTP(w, r)
		case web.LivePath, web.ReadyPath:
			probes.ServeHTTP(w, r)
		case web.ServerPath, web.AuthorizePath, web.RegisterPath, web.TokenPath:
			signIn.ServeHTTP(w, r)
		default:
			public.ServeHTTP(w, r)
		}
	})
}

// signInPaths serves a sign-in.
func signInPaths(o HandlerOptions) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, methods := o.Public.Route(r.URL.Path), []string{http.MethodPost}
		switch path {
		case web.ServerPath:
			methods = []string{http.MethodGet, http.MethodHead}
		case web.AuthorizePath:
			methods = []string{http.MethodGet}
		}
		if allowMethods(w, r, methods...) {
			o.SignIn.Serve(w, r, path)
		}
	})
}

// publicDocuments serves what needs no token. Paths are compared as they come: a mux would clean them, and
// redirect with an HTML body.
func publicDocuments(o HandlerOptions) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := o.Public.Route(r.URL.Path)
		switch {
		case path == web.MetadataPath, path == web.MetadataPath+web.EndpointPath, path == web.IconPath:
		case o.Page != nil && path == web.PagePath && wantsPage(r, o.PageForms):
		default:
			web.Refuse(w, r, &rs.Error{
				Code: rs.NotFound, Message: "Nothing is served at this path.", Hint: "The MCP endpoint is " + o.Public.Path(web.EndpointPath) + ".",
			})
			return
		}
		if path != web.PagePath && !allowMethods(w, r, http.MethodGet, http.MethodHead) {
			return
		}
		switch path {
		case web.PagePath:
			w.Header().Add("Vary", "Accept")
			status := ""
			if o.Health != nil {
				status = o.Health.Status(r.Context())
			}
			o.Page.Serve(w, r, o.Public.URL(r, web.EndpointPath), status)
		case web.IconPath:
			w.Header().Set("Content-Type", "image/svg+xml")
			w.Header().Set("Cache-Control", "public, max-age=86400")
			w.Header().Set("X-Content-Type-Options", "nosniff")
			w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
			_, _ = w.Write(icon)
		default:
			o.Metadata.serve(w, r, o.Public)
		}
	})
}

// wantsPage reports whether a person's browser, or anything else that reads HTML, asks for the page. An MCP client that
// tries the root, for JSON or for events, learns where the endpoint is, as if there were no page. forms are of the page alone.
func wantsPage(r *http.Request, forms bool) bool {
	if forms && r.Method == http.MethodPost {
		kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
		return strings.EqualFold(strings.TrimSpace(kind), "application/x-www-form-urlencoded")
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	accept := r.Header.Values("Accept")
	return len(accept) == 0 || slices.ContainsFunc(strings.Split(strings.Join(accept, ","), ","), func(entry string) bool {
		kind, _, _ := strings.Cut(entry, ";")
		return slices.Contains([]string{"text/html", "text/*", "*/*"}, strings.ToLower(strings.TrimSpace(kind)))
	})
}
