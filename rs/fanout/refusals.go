package fanout

import (
	"crypto/sha256"
	"net/http"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

const (
	// refusalHold is how long a member that answered 401 or 403 is not offered again (D14).
	refusalHold = 60 * time.Second
	// maxRefusals bounds the memory of one process.
	maxRefusals = 10_000
)

// refusals remembers which member grants the resource server turned away, under the SHA-256 of the member's token, so
// that a grant approved anew starts with a clean name. It is safe for concurrent use.
type refusals struct {
	entries *lru.Cache[[sha256.Size]byte, refusal]
}

type refusal struct {
	why   *rs.Error
	until time.Time
}

func newRefusals() *refusals {
	entries, _ := lru.New[[sha256.Size]byte, refusal](maxRefusals) // fails for a size below 1 only
	return &refusals{entries}
}

func (r *refusals) of(token rs.Token, now time.Time) *rs.Error {
	entry, found := r.entries.Get(sha256.Sum256([]byte(token.Reveal())))
	if !found || !now.Before(entry.until) {
		return nil
	}
	return entry.why
}

func (r *refusals) remember(token rs.Token, why *rs.Error, now time.Time) {
	r.entries.Add(sha256.Sum256([]byte(token.Reveal())), refusal{why, now.Add(refusalHold)})
}

// refusesGrant reports whether an error says that the grant itself is no good. A 401 or 403 also stands for a stream,
// field or connection that this grant does not hold; such an answer is about the request, and the grant stays usable.
func refusesGrant(e *rs.Error) bool {
	if e.Status != http.StatusUnauthorized && e.Status != http.StatusForbidden {
		return false
	}
	for _, aboutRequest := range []string{"stream_not_allowed", "instance_mismatch", "_not_granted", "connection_not_found", "needs_broader_grant"} {
		if strings.HasSuffix(string(e.Code), aboutRequest) {
			return false
		}
	}
	return true
}
