package web

import (
	"net/http"
	"strings"

	"github.com/justinas/alice"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// maxTokenBytes bounds a token. The authenticator is not asked about longer ones.
const maxTokenBytes = 4096

// bearer admits a request with exactly one good client token in the Authorization header, and puts the principal into the
// context. It refuses every other request itself (S0-R3, S3-R6, S3-R18).
//
// A token can die while its request is in the pipeline: if the resource server refuses it, the authenticator is asked again
// before the answer begins, and the challenge may replace the answer (D7). So does a challenge for more where a call was refused for what
// a new sign-in asks for; see [ChainOptions].
func bearer(o ChainOptions) alice.Constructor {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			token, err := parseBearer(r)
			var principal auth.Principal
			if err == nil {
				principal, err = o.authenticate(r.Context(), token)
			}
			if err == nil {
				err = principal.Admissible()
			}
			if err != nil {
				refuseCaller(w, r, o.Public, err)
				return
			}
			deferred := &deferredWriter{w: w, r: r, token: token, options: &o}
			next.ServeHTTP(deferred, r.WithContext(auth.WithPrincipal(r.Context(), principal)))
			deferred.finish()
		})
	}
}

// parseBearer returns the token of a request (RFC 6750, section 2.1). A token in the query is refused even beside a good header:
// the query ends up in logs and histories.
func parseBearer(r *http.Request) (rs.Token, error) {
	values := r.Header.Values("Authorization")
	switch {
	case r.URL.RawQuery != "" && r.URL.Query().Has("access_token"):
		return rs.Token{}, malformed("The access token was sent in the URL.")
	case len(values) == 0:
		return rs.Token{}, &rs.Error{Code: "not_authenticated", Message: "No access token was sent.", Hint: bearerHint}
	case len(values) > 1:
		return rs.Token{}, malformed("More than one Authorization header was sent.")
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	token = strings.Trim(token, " ")
	switch {
	case !strings.EqualFold(scheme, "Bearer"):
		return rs.Token{}, malformed("The Authorization header is not of the Bearer scheme.")
	case token == "":
		return rs.Token{}, malformed("The bearer token is empty.")
	case len(token) > maxTokenBytes || !isToken68(token):
		return rs.Token{}, malformed("The bearer token is not of the form that RFC 6750 allows.")
	}
	return rs.NewToken(token), nil
}

const bearerHint = "Send a client access token of a PDPP grant: Authorization: Bearer TOKEN." // #nosec G101 -- a hint

func malformed(message string) *rs.Error {
	return &rs.Error{Code: "invalid_request", Message: message, Hint: bearerHint}
}

// isToken68 reports whether a text is a b64token: 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"=".
func isToken68(text string) bool {
	body := strings.TrimRight(text, "=")
	return body != "" && !strings.ContainsFunc(body, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+/", r)
	})
}
