package browse

import (
	"crypto/rand"
	"net"
	"net/http"
	"slices"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

const (
	sessionLife  = 12 * time.Hour
	mostSessions = 16 // one more ends the oldest
)

// sessions holds the browsers that signed in with the owner's secret.
type sessions struct {
	now  func() time.Time
	ends *lru.Cache[string, time.Time] // expiry by cookie value
}

func newSessions(now func() time.Time) sessions {
	ends, _ := lru.New[string, time.Time](mostSessions) // fails only for a size below 1
	return sessions{now, ends}
}

func (s sessions) begin() string {
	name := rand.Text()
	s.ends.Add(name, s.now().Add(sessionLife))
	return name
}

// open reports whether a request belongs to a session and was not sent by a page of another origin.
func (s sessions) open(r *http.Request) bool {
	cookie, err := r.Cookie(cookieName(r))
	if err != nil || !slices.Contains([]string{"", "none", "same-origin"}, r.Header.Get("Sec-Fetch-Site")) {
		return false
	}
	end, _ := s.ends.Peek(cookie.Value) // Peek does not refresh the entry: sessions end by age
	return s.now().Before(end)
}

func (s sessions) end(r *http.Request) {
	if cookie, err := r.Cookie(cookieName(r)); err == nil {
		s.ends.Remove(cookie.Value)
	}
}

// cookieName includes the port, which cookies ignore, so that two demos keep separate sessions.
func cookieName(r *http.Request) string {
	_, port, _ := net.SplitHostPort(r.Host)
	return "pdpp_browse_" + port
}
