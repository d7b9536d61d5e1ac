// Package embedded is an embedded resource server for trying things out. It keeps a person's data in SQLite, serves the reads of the PDPP
// REST contract over it, and has an authorization server for it (introspection, the directory of packages, and grants that the owner
// approves), all at one origin. Package importer reads a person's data from files; package sample has the files of an invented person.
// Every read is limited to the grant of its token.
//
// It is not a reference for servers: it takes no writes, and forgets the grants that it issues when it ends.
package embedded

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/semantic"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// Options configure a [Server]. The zero value works, but refuses introspection.
type Options struct {
	authority.Terms
	// Origin returns the server's origin, such as "http://127.0.0.1:7710": the issuer and audience of its tokens. It is called on each
	// request, because a server may learn its port only by listening. Nil: the request's host.
	Origin func() string
	// Now returns the current time. Nil: time.Now.
	Now func() time.Time
	// Fault is called for each error that the client sees only as 500 internal_error, concurrently. It may be nil.
	Fault func(*http.Request, error)
	// AllWords makes search require every word of the query, as other resource servers do. It is for tests of how a client recovers.
	AllWords bool
	// Pending returns a warning for every answer while files have changes that the store does not have yet, or "". It may be nil.
	Pending func() string
	// Embeddings is the index of semantic and hybrid search. Nil: both are refused.
	Embeddings *semantic.Index
}

// A Server is a resource server and its authorization server, at one origin.
type Server struct {
	store     *store.Store
	authority *authority.Server
	options   Options
	routes    []route
}

var _ http.Handler = (*Server)(nil)

// NewServer returns a server that gives clients access to a store, within their grants.
func NewServer(from *store.Store, grants *authority.Grants, options Options) *Server {
	if options.Now == nil {
		options.Now = time.Now
	}
	s := &Server{store: from, options: options, routes: routes(options.Embeddings != nil)}
	s.authority = authority.New(authority.Options{
		Terms: options.Terms, Grants: grants, Connectors: from.Connectors, Origin: s.origin, Now: options.Now,
	})
	return s
}

// IsOwner reports whether secret is the owner's.
func (s *Server) IsOwner(secret string) bool { return s.authority.IsOwner(secret) }

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	requestID := "req_" + rand.Text()
	w.Header().Set("Request-Id", requestID)
	path, err := splitPath(r.URL)
	if err != nil {
		s.writeError(w, r, requestID, err)
		return
	}
	if s.authority.Serve(w, r, path, requestID) {
		return
	}
	body, err := s.answer(r, path)
	if err != nil {
		s.writeError(w, r, requestID, err)
		return
	}
	if raw, ok := body.(blobBody); ok {
		raw.write(w)
		return
	}
	writeJSON(w, http.StatusOK, body)
}

// splitPath unescapes each path segment separately, because an id may contain a slash.
func splitPath(u *url.URL) ([]string, error) {
	segments := strings.Split(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	for i, segment := range segments {
		plain, err := url.PathUnescape(segment)
		if err != nil {
			return nil, invalidRequest("Malformed path")
		}
		segments[i] = plain
	}
	return segments, nil
}

func (s *Server) answer(r *http.Request, path []string) (any, error) {
	switch strings.Join(path, "/") {
	case ".well-known/oauth-protected-resource":
		return metadata(s.origin(r), "", authority.KindOwner, authority.KindClient), nil
	case ".well-known/oauth-protected-resource/mcp":
		return metadata(s.origin(r), "/mcp", authority.KindClient, authority.KindPackage), nil
	}
	if path[0] != "v1" {
		return nil, noSuchResource()
	}
	return s.read(r, path[1:])
}

// metadata is the RFC 9728 metadata of the resource server or, with a resource path, of an MCP server in front of it.
func metadata(origin, resource string, tokenKinds ...string) object {
	return object{
		{"resource", origin + resource}, {"resource_name", "PDPP demo resource server"}, {"authorization_servers", []string{origin}},
		{"bearer_methods_supported", []string{"header"}}, {"pdpp_core_query_base", origin + "/v1"}, {"pdpp_token_kinds_supported", tokenKinds},
		{"pdpp_agent_discovery", object{
			{"mcp", object{{"authorization", object{{"device_code", object{{"resource", origin + "/mcp"}}}}}}},
		}},
	}
}

// read authenticates the bearer token and answers a read under /v1.
func (s *Server) read(r *http.Request, path []string) (any, error) {
	grant, err := s.admit(r)
	if err != nil {
		return nil, err
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return nil, newError(http.StatusMethodNotAllowed, "method_not_allowed", "Reads are GET requests")
	}
	for _, route := range s.routes {
		if !route.matches(path) {
			continue
		}
		params, refusal := parseParams(r.URL.RawQuery, route.params)
		if refusal != nil {
			return nil, refusal
		}
		return s.consistently(r.Context(), func(current *store.Catalog) (any, error) {
			c := &call{
				ctx: r.Context(), store: s.store, options: &s.options, url: r.URL, path: path, params: params, grant: grant,
				catalog: current, sources: sourcesOf(current, grant),
			}
			c.warnPending()
			body := route.answer(c)
			return body, c.err
		})
	}
	return nil, noSuchResource()
}

// maxAttempts limits how often a read is repeated because the store changed during it.
const maxAttempts = 5

// consistently answers from one state of the store: if the store changed during answer, it calls answer again.
func (s *Server) consistently(ctx context.Context, answer func(*store.Catalog) (any, error)) (any, error) {
	for range maxAttempts {
		current, err := s.store.Current(ctx)
		if err != nil {
			return nil, err
		}
		body, err := answer(current)
		if now, failed := s.store.Generation(ctx); failed != nil {
			return nil, failed
		} else if now == current.Generation {
			return body, err
		}
	}
	return nil, newError(http.StatusServiceUnavailable, "index_changing",
		"The files change faster than they can be answered from. Ask again in a moment.")
}

// admit returns the grant of the request's bearer token, if it has not ended.
func (s *Server) admit(r *http.Request) (authority.Grant, error) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return authority.Grant{}, newError(http.StatusUnauthorized, "authentication_error", "Missing bearer token")
	}
	grant, ok := s.authority.Grants.Lookup(strings.TrimSpace(token))
	switch {
	case !ok:
		return authority.Grant{}, failedClosed("context.active_false")
	case grant.Kind == authority.KindPackage:
		return authority.Grant{}, newError(http.StatusNotFound, "not_found", "Unknown source: unknown")
	}
	if reason := grant.Ended(s.options.Now()); reason != "" {
		return authority.Grant{}, newError(http.StatusForbidden, reason, "%s", authority.EndedMessage(reason))
	}
	return grant, nil
}

func (s *Server) origin(r *http.Request) string {
	if s.options.Origin != nil {
		return s.options.Origin()
	}
	return "http://" + r.Host
}

// nextStep tells a client without a usable token how to get one.
const nextStep = "Fetch error.resource_metadata to find the authorization server, then request a scoped client grant without using an " +
	"owner bearer token."

// refusalOf converts any error into the one that the client sees.
func (s *Server) refusalOf(r *http.Request, err error) *apiError {
	if refusal, ok := errors.AsType[*apiError](err); ok {
		return refusal
	}
	if s.options.Fault != nil && r.Context().Err() == nil { // a client that hung up is no fault
		s.options.Fault(r, err)
	}
	if damaged, ok := errors.AsType[*store.IndexError](s.store.Explain(err)); ok {
		return newError(http.StatusInternalServerError, "index_damaged", "%s", damaged)
	}
	return newError(http.StatusInternalServerError, "internal_error", "The server could not answer. Try again.")
}

func (s *Server) writeError(w http.ResponseWriter, r *http.Request, requestID string, err error) {
	refusal := s.refusalOf(r, err)
	body := refusal.body(requestID)
	switch refusal.Status {
	case http.StatusUnauthorized:
		described := s.origin(r) + "/.well-known/oauth-protected-resource"
		body = append(body, object{{"resource_metadata", described}, {"next_step", nextStep}}...)
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+described+`"`)
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", "GET, HEAD")
	}
	writeJSON(w, refusal.Status, object{{"error", body}})
}

// A route is one read: its path under /v1, in which * matches any segment, and its parameters.
type route struct {
	path   string
	params routeParams
	answer func(*call) any
}

func (r route) matches(path []string) bool {
	return slices.EqualFunc(strings.Split(r.path, "/"), path, func(pattern, segment string) bool {
		return pattern == segment || pattern == "*" && segment != ""
	})
}

func routes(embeddings bool) []route {
	scoped := func(names ...string) []string { // adds the parameters of every read that select connections
		return append(names, "connection_id", "connector_instance_id", "connector_id")
	}
	search := routeParams{single: scoped("q", "limit", "cursor"), lists: []string{"streams"}, filter: true}
	nearest := search
	nearest.lenient = !embeddings // every request is refused anyway
	return []route{
		{"schema", routeParams{single: scoped("view", "detail", "stream")}, (*call).schema},
		{"streams", routeParams{single: scoped()}, (*call).streams},
		{"streams/*", routeParams{single: scoped()}, (*call).stream},
		{"streams/*/records", routeParams{
			single: scoped("limit", "cursor", "order", "sort", "count", "view", "changes_since"),
			lists:  []string{"fields", "expand"}, filter: true, expand: true,
		}, (*call).records},
		{"streams/*/records/*", routeParams{single: scoped("view"), lists: []string{"fields", "expand"}, expand: true}, (*call).record},
		{"streams/*/records/*/field-window", routeParams{
			single: scoped("field", "offset_chars", "limit_chars", "q", "before_chars", "after_chars"), lenient: true,
		}, (*call).fieldWindow},
		{"streams/*/aggregate", routeParams{
			single: scoped("metric", "field", "group_by", "group_by_time", "granularity", "time_zone", "limit"), filter: true,
		}, (*call).aggregate},
		{"search", search, (*call).search},
		{"search/semantic", nearest, (*call).semantic},
		{"search/hybrid", nearest, (*call).hybrid},
		{"blobs/*", routeParams{single: scoped()}, (*call).blob},
	}
}
