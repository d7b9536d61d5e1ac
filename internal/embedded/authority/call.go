package authority

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxForm bounds the body of a request to the authority, and its query, in bytes.
const maxForm = 64 << 10

// A call is one request of OAuth or of the consent page, with what its answer has beside a body.
type call struct {
	*http.Request
	id     string     // in the path
	body   []byte     // as it was sent
	form   url.Values // the parameters in the query of a GET request, else in the body
	header http.Header
	status int
}

// An answerer answers while it has the mutex. A body is a page of HTML, nil for none, or else written as JSON.
type answerer func(*Server, *call) (any, error)

// routes are what is answered, with * for an id in the path.
var routes = map[string]answerer{
	"GET .well-known/oauth-authorization-server": (*Server).metadata,
	"GET connectors/*":                           (*Server).declaration,
	"POST oauth/register":                        (*Server).register,
	"POST oauth/par":                             (*Server).push,
	"POST agent-connect":                         (*Server).connect,
	"POST agent-connect/*/token":                 (*Server).pollConnect,
	"POST oauth/device_authorization":            (*Server).startDevice,
	"GET oauth/authorize":                        (*Server).authorize,
	"POST oauth/token":                           (*Server).answerToken,
	"POST consent/exchange":                      (*Server).exchangeConsent,
	"GET consent":                                shown((*Server).showConsent),
	"POST consent/approve":                       shown((*Server).decide),
	"POST consent/deny":                          shown((*Server).decide),
	"POST grants/*/revoke":                       (*Server).revoke,
	"GET _ref/connections":                       shown((*Server).connections),
}

// shown answers with what a browser shows, and refuses it under another name, to which a page of another site could have resolved its own.
func shown(answer answerer) answerer {
	return func(s *Server, c *call) (any, error) {
		if _, own, _ := strings.Cut(s.Origin(c.Request), "://"); c.Host != own {
			return nil, refuse(http.StatusMisdirectedRequest, "host_refused", "Open this page under the server's own address")
		}
		return answer(s, c)
	}
}

// Serve answers a request of OAuth or of the consent page and reports whether it was one. path is the request's, unescaped
// segment by segment.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, path []string, requestID string) bool {
	c := &call{Request: r, header: w.Header(), status: http.StatusOK}
	answer, is := routes[r.Method+" "+strings.Join(path, "/")]
	if !is && len(path) > 1 {
		c.id, path = path[1], slices.Clone(path)
		path[1] = "*"
		answer, is = routes[r.Method+" "+strings.Join(path, "/")]
	}
	if !is {
		return false
	}
	c.header.Set("Cache-Control", "no-store")
	body, err := s.answer(c, answer)
	if err != nil {
		body = c.refuse(err, path[0] == "oauth" && path[1] != "par", requestID)
	}
	page, isPage := body.([]byte)
	if body != nil && !isPage {
		c.header.Set("Content-Type", "application/json; charset=utf-8")
	}
	w.WriteHeader(c.status)
	if body != nil && !isPage {
		_ = json.NewEncoder(w).Encode(body) // the status is out: nothing more can reach a client that hung up
	}
	_, _ = w.Write(page)
	return true
}

// answer reads the body first: a client that is slow must not hold the mutex. A page of another site could send requests, to fill what is
// kept of them; the consent page, which browsers post to, says itself what is wrong with one.
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

// readForm reads a form, or a JSON object of texts and of other values, which it keeps as JSON.
func readForm(r *http.Request) ([]byte, url.Values, error) {
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxForm))
	if err != nil {
		return nil, nil, badRequest("invalid_request", "The body is longer than %d bytes, or broke off", maxForm)
	}
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if media != "application/json" && !strings.HasPrefix(string(body), "{") {
		form, err := parseForm(string(body))
		return body, form, err
	}
	sent, form := map[string]json.RawMessage{}, url.Values{}
	if json.Unmarshal(body, &sent) != nil {
		return nil, nil, badRequest("invalid_request", "The body must be a JSON object")
	}
	for name, value := range sent {
		var text string
		if json.Unmarshal(value, &text) != nil {
			text = string(value)
		}
		form.Set(name, text)
	}
	return body, form, nil
}

// parseForm refuses a parameter that was sent twice, because two readers could take different values (RFC 6749 3.1, 3.2). Only sources
// and connections may be several.
func parseForm(sent string) (url.Values, error) {
	form, err := url.ParseQuery(sent)
	if err != nil || len(sent) > maxForm {
		return nil, badRequest("invalid_request", "The parameters are not a form")
	}
	for _, name := range slices.Sorted(maps.Keys(form)) {
		if len(form[name]) > 1 && name != "connection" && name != "connector_id" {
			return nil, badRequest("invalid_request", "The parameter %s was sent more than once", clip(name))
		}
	}
	return form, nil
}

// A RefusedError is the error of a request that gets no answer.
type RefusedError struct {
	Status  int
	Code    string
	Message string

	familyDied bool // fresh_authorization_required
	retryAfter time.Duration
}

// Error returns code and message.
func (r *RefusedError) Error() string { return r.Code + ": " + r.Message }

func refuse(status int, code, format string, args ...any) *RefusedError {
	return &RefusedError{Status: status, Code: code, Message: fmt.Sprintf(format, args...)}
}

func badRequest(code, format string, args ...any) *RefusedError {
	return refuse(http.StatusBadRequest, code, format, args...)
}

func tooMany(of string, retryAfter time.Duration) *RefusedError {
	refused := refuse(http.StatusTooManyRequests, "slow_down", "Too many %s", of)
	refused.retryAfter = retryAfter
	return refused
}

// clip bounds what is repeated of a request.
func clip(text string) string { return strings.ToValidUTF8(text[:min(len(text), 200)], "") }

// kinds are the types of errors outside of OAuth's own endpoints.
var kinds = map[int]string{
	http.StatusBadRequest: "invalid_request_error", http.StatusUnauthorized: "authentication_error", http.StatusForbidden: "permission_error",
	http.StatusNotFound: "not_found_error", http.StatusGone: "gone_error",
	http.StatusMisdirectedRequest: "invalid_request_error", http.StatusTooManyRequests: "rate_limit_error",
}

// refuse spells an error in the form of OAuth, or else as the reference's own endpoints have it.
func (c *call) refuse(err error, isOAuth bool, requestID string) any {
	refused, ok := errors.AsType[*RefusedError](err)
	if !ok {
		refused = refuse(http.StatusInternalServerError, "internal_error", "The server could not answer. Try again.")
	}
	c.status = refused.Status
	if refused.retryAfter > 0 {
		c.header.Set("Retry-After", strconv.FormatInt(seconds(refused.retryAfter), 10))
	}
	if !isOAuth {
		return map[string]any{"error": map[string]string{
			"code": refused.Code, "message": refused.Message, "type": kinds[refused.Status], "request_id": requestID,
		}}
	}
	body := map[string]any{"error": refused.Code, "error_description": refused.Message, "request_id": requestID}
	if refused.familyDied {
		body["fresh_authorization_required"] = true
	}
	return body
}
