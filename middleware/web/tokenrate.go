package web

import (
	"crypto/sha256"
	"net/http"

	"github.com/justinas/alice"

	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// tokenRate refuses with 429 what comes faster with one token than it may. It must come after [bearer], so that no
// caller uses up another's rate. Tokens are counted under their SHA-256; they are not kept.
func tokenRate(limiter *Limiter) alice.Constructor {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if tokens := limiter.state.Load().tokens; tokens != nil {
				bucket := tokens.of(sha256.Sum256([]byte(auth.PrincipalFrom(r.Context()).Token.Reveal())))
				if wait, ok := bucket.take(limiter.now()); !ok {
					refuseLater(w, r, tooFast("Requests with this access token come too fast.", wait))
					return
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}
