package tools

import (
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// mayAskHybrid reports whether hybrid search may be there for a grant.
func (s *searcher) mayAskHybrid(grant string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.now().Before(s.noHybrid[grant])
}

// learnHybrid remembers for a while that a grant's hybrid search was refused.
func (s *searcher) learnHybrid(grant string, err error) {
	if !hybridRefused(err) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.noHybrid) >= maxNoHybrid {
		clear(s.noHybrid)
	}
	s.noHybrid[grant] = s.now().Add(noHybridTTL)
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
