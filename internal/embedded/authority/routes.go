package authority

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// An answerer answers a request; its caller holds the mutex. The body is a page of HTML ([]byte), nil, or a value to encode as JSON.
type answerer func(*Server, *call) (any, error)

// routes maps methods and paths to answerers, with * for an id in the path.
var routes = map[string]answerer{
	"GET .well-known/oauth-authorization-server": (*Server).metadata,
	"POST introspect":                 (*Server).introspect,
	"POST packages":                   (*Server).directory,
	"GET connectors/*":                (*Server).declaration,
	"POST oauth/register":             (*Server).register,
	"POST oauth/par":                  (*Server).push,
	"POST agent-connect":              (*Server).connect,
	"POST agent-connect/*/token":      (*Server).pollConnect,
	"POST oauth/device_authorization": (*Server).startDevice,
	"GET oauth/authorize":             (*Server).authorize,
	"POST oauth/token":                (*Server).answerToken,
	"POST consent/exchange":           (*Server).exchangeConsent,
	"GET consent":                     ownHostOnly((*Server).showConsent),
	"POST consent/approve":            ownHostOnly((*Server).decide),
	"POST consent/deny":               ownHostOnly((*Server).decide),
	"POST grants/*/revoke":            (*Server).revoke,
	"GET _ref/connections":            ownHostOnly((*Server).connections),
}

// ownHostOnly wraps the answerer of a page for browsers. It refuses requests under another host name, which another site could have
// resolved to this server (DNS rebinding).
func ownHostOnly(answer answerer) answerer {
	return func(s *Server, c *call) (any, error) {
		if _, own, _ := strings.Cut(s.Origin(c.Request), "://"); c.Host != own {
			return nil, refuse(http.StatusMisdirectedRequest, "host_refused", "The host name %q is not this server's: open this page at %s",
				rs.ErrorText(c.Host), s.Origin(c.Request))
		}
		return answer(s, c)
	}
}

// Serve answers a request of OAuth or of the consent page, and reports whether it was one. path has the unescaped segments of the request's
// path.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, path []string, requestID string) bool {
	c := &call{Request: r, header: w.Header(), status: http.StatusOK}
	answer, found := routes[r.Method+" "+strings.Join(path, "/")]
	if !found && len(path) > 1 {
		c.id, path = path[1], slices.Clone(path)
		path[1] = "*"
		answer, found = routes[r.Method+" "+strings.Join(path, "/")]
	}
	if !found {
		return false
	}
	c.header.Set("Cache-Control", "no-store")
	body, err := s.answer(c, answer)
	if err != nil {
		refused := c.refuse(err)
		if body = refused.body(requestID); path[0] == "oauth" && path[1] != "par" {
			body = refused.oauthBody(requestID)
		}
	}
	page, isPage := body.([]byte)
	if body != nil && !isPage {
		c.header.Set("Content-Type", "application/json; charset=utf-8")
		page, _ = json.Marshal(body) // never fails for texts, numbers and lists
		page = append(page, '\n')
	}
	w.WriteHeader(c.status)
	_, _ = w.Write(page)
	return true
}

// answer reads the body before it locks the mutex, so that a slow client does not block others. It refuses requests by pages of other
// sites, which could fill the list of requests; the consent page, to which browsers post, reports a wrong origin itself.
func (s *Server) answer(c *call, answer answerer) (body any, err error) {
	origin, sent := c.Header["Origin"]
	if sent && (len(origin) > 1 || origin[0] != s.Origin(c.Request)) && !strings.HasPrefix(c.URL.Path, "/consent/") {
		return nil, refuse(http.StatusForbidden, "origin_refused", "Pages of other sites are not served")
	}
	if c.Method == http.MethodGet {
		c.form, err = parseForm(c.URL.RawQuery)
	} else {
		c.body, c.form, err = readForm(c.Request)
	}
	if err != nil {
		return nil, err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return answer(s, c)
}
