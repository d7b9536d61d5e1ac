package tools

import (
	"sync"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// How long it is remembered that a resource server refused something to a grant, and of how many grants.
const (
	learnedTTL = 10 * time.Minute
	maxLearned = 10_000
)

// learned remembers for ten minutes which grants a resource server refused something that no capability tells, so that it is not asked
// for in vain each time. Nothing is refused because of it.
type learned struct {
	now func() time.Time

	mu    sync.Mutex
	until map[string]time.Time // by grant
}

func newLearned(now func() time.Time) *learned {
	return &learned{now: now, until: map[string]time.Time{}}
}

// has reports whether a grant was refused.
func (l *learned) has(grant string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now().Before(l.until[grant])
}

// learn remembers that a grant was refused.
func (l *learned) learn(grant string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.until) >= maxLearned {
		clear(l.until)
	}
	l.until[grant] = l.now().Add(learnedTTL)
}

// hybridAlone reports whether the failure of a hybrid search says nothing about other reads: the resource server answered, and
// neither refuses the token nor asks for fewer reads.
func hybridAlone(err error) bool {
	status := rs.AsError(err).Status
	return status != 0 && status != 401 && status != 429 && status != 503
}

// hybridRefused reports whether a resource server says that it has no hybrid search.
func hybridRefused(err error) bool {
	if err == nil {
		return false
	}
	status := rs.AsError(err).Status
	return status == 400 || status == 404
}
