package signin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/middleware"
)

// shareFor is how long the answer to a refresh is shared with other requests with the same token.
const shareFor = 10 * time.Second

// A serverAnswer is an answer of the authorization server. A status of 0 means that the answer was lost.
type serverAnswer struct {
	status     int
	body       []byte
	retryAfter string
	at         time.Time
}

// registrationFields are the fields that are forwarded. The authorization server refuses a registration with others, although RFC 7591
// (section 2) requires it to ignore them.
var registrationFields = [...]string{"client_name", "redirect_uris", "application_type"}

func (b *Bridge) register(w http.ResponseWriter, r *http.Request, s server) {
	sent := map[string]json.RawMessage{}
	body, err := io.ReadAll(r.Body)
	if err != nil || !mediaIs(r.Header.Get("Content-Type"), "application/json") || json.Unmarshal(body, &sent) != nil || sent == nil {
		refuse(w, http.StatusBadRequest, "invalid_client_metadata", "The client's metadata must be a JSON object.")
		return
	}
	if !b.registering.ChargeAddress(r) || !b.registrations.AllowN(b.options.Now(), 1) { // the server counts all clients as one
		tooMany(w, "registrations")
		return
	}
	client := map[string]any{
		"token_endpoint_auth_method": "none", "response_types": []string{"code"}, "grant_types": []string{"authorization_code"},
	}
	for _, name := range registrationFields {
		if value, ok := sent[name]; ok {
			client[name] = value
		}
	}
	var grants []string
	if _, given := sent["grant_types"]; given && json.Unmarshal(sent["grant_types"], &grants) == nil && slices.Contains(grants, "refresh_token") {
		client["grant_types"] = []string{"authorization_code", "refresh_token"}
	}
	encoded, _ := json.Marshal(client) // never fails: the values were JSON
	answer, err := b.post(r.Context(), s.RegistrationEndpoint, "application/json", encoded)
	if errors.Is(err, errLost) { // another registration does no harm
		err = errUpstream
	}
	pass(w, answer, err)
}

func tooMany(w http.ResponseWriter, what string) {
	w.Header().Set("Retry-After", "60")
	refuse(w, http.StatusTooManyRequests, "slow_down", "Too many "+what+"; try again in a minute.")
}

// tokenParameters are the parameters of a token request that are forwarded.
var tokenParameters = [...]string{"grant_type", "code", "redirect_uri", "client_id", "code_verifier", "refresh_token", "scope", "resource"}

// token forwards a token request. Concurrent refreshes with one token become one: the authorization server would take a second one for a
// theft and end the sign-in.
func (b *Bridge) token(w http.ResponseWriter, r *http.Request, s server) {
	body, err := io.ReadAll(r.Body)
	sent, parseErr := url.ParseQuery(string(body))
	if err != nil || parseErr != nil || !mediaIs(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		refuse(w, http.StatusBadRequest, "invalid_request", "The body must be a form.")
		return
	}
	form, once := sentOnce(w, sent, tokenParameters[:])
	if !once {
		return
	}
	answer, err := serverAnswer{}, errTooMany
	switch grant := form.Get("grant_type"); {
	case grant == "refresh_token":
		answer, err = b.refresh(r, s, form)
	case grant != "authorization_code":
		refuse(w, http.StatusBadRequest, "unsupported_grant_type", "Only authorization_code and refresh_token are served here.")
		return
	case b.tokens.ChargeAddress(r):
		answer, err = b.post(r.Context(), s.TokenEndpoint, "application/x-www-form-urlencoded", []byte(form.Encode()))
	}
	pass(w, answer, err)
}

// refresh sends one request for each client and refresh token, and answers all concurrent calls from it; only that request counts against a
// caller's limit. It is not canceled with the call that began it: if a token is used and the answer lost, the sign-in ends. A token that
// may have been used is not sent again.
func (b *Bridge) refresh(r *http.Request, s server, form url.Values) (serverAnswer, error) {
	ctx := r.Context()
	sum := sha256.Sum256([]byte(form.Get("client_id") + "\x00" + form.Get("refresh_token")))
	key := string(sum[:])
	flight := b.refreshes.DoChan(key, func() (any, error) {
		previous, ok := b.recent.Get(key)
		switch {
		case ok && previous.status == 0:
			return serverAnswer{}, errLost
		case ok && b.options.Now().Sub(previous.at) < shareFor:
			return previous, nil
		case !b.tokens.ChargeAddress(r):
			return serverAnswer{}, errTooMany
		}
		answer, err := b.post(context.WithoutCancel(ctx), s.TokenEndpoint, "application/x-www-form-urlencoded", []byte(form.Encode()))
		switch {
		case errors.Is(err, errLost):
			b.recent.Add(key, serverAnswer{})
		case err == nil && answer.status == http.StatusOK && len(answer.body) <= maxShared:
			answer.at = b.options.Now()
			b.recent.Add(key, answer)
			time.AfterFunc(shareFor, func() { b.recent.Remove(key) })
		}
		return answer, err
	})
	select {
	case result := <-flight:
		answer, _ := result.Val.(serverAnswer)
		return answer, result.Err
	case <-ctx.Done():
		return serverAnswer{}, ctx.Err()
	}
}

// maxShared is the most bytes of an answer that is shared; a token answer has a few hundred.
const maxShared = 16 << 10

var errTooMany = errors.New("too many token requests")

// errUpstream means that the request was not sent, or that the authorization server did not accept it.
var errUpstream = errors.New("the authorization server does not take the request")

// errLost means that the authorization server may have carried out the request, but its answer did not arrive, or only a proxy's did.
var errLost = errors.New("the authorization server's answer was lost")

// post sends a request to the authorization server, once: nothing here may be sent twice. If maxInFlight requests are unanswered, or a
// quarter of them of the same client address, it fails without sending.
func (b *Bridge) post(ctx context.Context, target, media string, body []byte) (serverAnswer, error) {
	release, ok := b.inFlight.Acquire(ctx, middleware.RequestFrom(ctx).Client, 0)
	if !ok {
		return serverAnswer{}, errUpstream
	}
	defer release()
	request, _ := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(body)) // check has parsed the target
	request.Header.Set("Content-Type", media)
	request.Header.Set("Accept", "application/json")
	response, connected, err := b.client.Do(request)
	switch {
	case err != nil && connected:
		return serverAnswer{}, errLost
	case err != nil:
		return serverAnswer{}, errUpstream
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxDocument+1))
	answer := serverAnswer{status: response.StatusCode, body: text, retryAfter: response.Header.Get("Retry-After")}
	isAnswer := err == nil && len(text) <= maxDocument && json.Valid(text)
	switch status := answer.status; {
	case isAnswer && (status/100 == 2 || status/100 == 4): // a proxy in front of this server would take a 101 for a tunnel
		return answer, nil
	case answer.retryAfter != "" && (status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable):
		return serverAnswer{}, errUpstream
	}
	return serverAnswer{}, errLost
}

// pass writes an answer of the authorization server. It does not write the error, which may quote what was sent.
func pass(w http.ResponseWriter, answer serverAnswer, err error) {
	switch {
	case errors.Is(err, errTooMany):
		tooMany(w, "token requests")
		return
	case errors.Is(err, errLost): // after a 503 the host would send it again, which ends the grant
		refuse(w, http.StatusBadRequest, "invalid_grant", "The authorization server's answer was lost, "+
			"and what was sent may have been used. Sign in again; the grant so far may live on, and its owner can revoke it where grants are managed.")
		return
	case err != nil:
		w.Header().Set("Retry-After", "10")
		refuse(w, http.StatusServiceUnavailable, "temporarily_unavailable", "The authorization server did not answer.")
		return
	}
	if answer.retryAfter != "" && strings.Trim(answer.retryAfter, "0123456789") == "" {
		w.Header().Set("Retry-After", answer.retryAfter)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(answer.status)
	_, _ = w.Write(answer.body)
}
