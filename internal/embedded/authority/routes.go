package authority

import (
	"bytes"
	"io"
	"net/http"
	"strings"
)

// Serve answers a request of OAuth or of the consent page and reports whether it was one. path is the request's, unescaped
// segment by segment.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, path []string, requestID string) bool {
	answer := s.route(r, path)
	if answer == nil {
		return false
	}
	body, err := s.answer(w, r, answer)
	if err != nil {
		writeRefusal(w, path, requestID, err)
		return true
	}
	switch kind := body.(type) {
	case redirect:
		w.Header().Set("Location", string(kind))
		w.WriteHeader(http.StatusFound)
	case document:
		w.WriteHeader(kind.status)
		_, _ = w.Write(kind.html)
	case answered:
		writeJSON(w, kind.status, kind.body)
	default:
		writeJSON(w, http.StatusOK, body)
	}
	return true
}

// An answerer answers while it has the mutex.
type answerer func(http.ResponseWriter, *http.Request) (any, error)

// answer reads the body first: a client that is slow must not hold the mutex. A page of another site could send requests, to fill what is
// kept of them; the consent page, which browsers post to, says itself what is wrong with one.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, answer answerer) (any, error) {
	if origin, sent := r.Header["Origin"]; sent && (len(origin) > 1 || origin[0] != s.Origin(r)) && !strings.HasPrefix(r.URL.Path, "/consent/") {
		return nil, &RefusedError{Status: http.StatusForbidden, Code: "origin_refused", Message: "Pages of other sites are not served"}
	}
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return answer(w, r)
}

func (s *Server) route(r *http.Request, path []string) answerer {
	switch r.Method + " " + strings.Join(path, "/") {
	case "GET .well-known/oauth-authorization-server":
		return s.metadata
	case "POST oauth/register":
		return s.register
	case "POST oauth/par":
		return s.push
	case "POST agent-connect":
		return s.connect
	case "POST oauth/device_authorization":
		return s.startDevice
	case "GET oauth/authorize":
		return s.authorize
	case "POST oauth/token":
		return s.answerToken
	case "POST consent/exchange":
		return s.exchangeConsent
	case "GET consent", "GET device":
		return s.showConsent
	case "GET _ref/connections":
		return s.connections
	case "POST consent/approve", "POST consent/deny":
		return s.decide
	}
	if len(path) == 2 && path[0] == "connectors" && r.Method == http.MethodGet {
		r.SetPathValue("id", path[1])
		return s.declaration
	}
	if len(path) == 3 && r.Method == http.MethodPost {
		r.SetPathValue("id", path[1])
		switch path[0] + "/" + path[2] {
		case "agent-connect/token":
			return s.pollConnect
		case "grants/revoke":
			return s.revoke
		}
	}
	return nil
}
