package authority

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// A created, accepted or redirect is an answer that is not 200.
type (
	created  struct{ body any }
	accepted struct{ body any }
	redirect string
	document struct {
		status int
		html   []byte
	}
)

// Serve answers a request of OAuth or of the consent page and reports whether it was one. path is the request's, unescaped
// segment by segment.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, path []string, requestID string) bool {
	answer := s.route(r, path)
	if answer == nil {
		return false
	}
	body, err := answer(w, r)
	if err != nil {
		writeRefusal(w, path, requestID, err)
		return true
	}
	status := http.StatusOK
	switch kind := body.(type) {
	case created:
		status, body = http.StatusCreated, kind.body
	case accepted:
		status, body = http.StatusAccepted, kind.body
	case redirect:
		w.Header().Set("Location", string(kind))
		w.WriteHeader(http.StatusFound)
		return true
	case document:
		w.WriteHeader(kind.status)
		_, _ = w.Write(kind.html)
		return true
	}
	writeJSON(w, status, body)
	return true
}

type answerer func(http.ResponseWriter, *http.Request) (any, error)

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

// kinds are the types of errors outside of the token endpoint's.
var kinds = map[int]string{
	http.StatusBadRequest: "invalid_request_error", http.StatusUnauthorized: "authentication_error", http.StatusForbidden: "permission_error",
	http.StatusNotFound: "not_found_error", http.StatusGone: "gone_error",
	http.StatusMisdirectedRequest: "invalid_request_error", http.StatusTooManyRequests: "rate_limit_error",
}

// writeRefusal writes an error in the one of two shapes that the reference has at this path.
func writeRefusal(w http.ResponseWriter, path []string, requestID string, err error) {
	refused, ok := errors.AsType[*RefusedError](err)
	if !ok {
		refused = &RefusedError{Status: http.StatusInternalServerError, Code: "internal_error", Message: "The server could not answer. Try again."}
	}
	if refused.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.FormatInt(seconds(refused.retryAfter), 10))
	}
	if path[0] == "oauth" && path[1] != "par" {
		body := map[string]any{"error": refused.Code, "error_description": refused.Message, "request_id": requestID}
		if refused.familyDied {
			body["fresh_authorization_required"] = true
		}
		writeJSON(w, refused.Status, body)
		return
	}
	writeJSON(w, refused.Status, map[string]any{"error": map[string]string{
		"code": refused.Code, "message": refused.Message, "type": kinds[refused.Status], "request_id": requestID,
	}})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the status is out: nothing more can reach a client that hung up
}

func noStore(w http.ResponseWriter) { w.Header().Set("Cache-Control", "no-store") }

func readBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxForm))
	if err != nil {
		return nil, badRequest("invalid_request", "The body is longer than %d bytes, or broke off", maxForm)
	}
	return body, nil
}

func readJSON(r *http.Request, into any) error {
	body, err := readBody(r)
	if err != nil {
		return err
	}
	if json.Unmarshal(body, into) != nil {
		return badRequest("invalid_request", "The body must be a JSON object")
	}
	return nil
}
