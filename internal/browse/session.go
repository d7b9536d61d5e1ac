package browse

import (
	"crypto/rand"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	sessionLife  = 12 * time.Hour
	mostSessions = 16 // the oldest ends before one more begins
	maxForm      = 4 << 10
)

// sessions are the browsers in which the owner's secret was typed.
type sessions struct {
	now   func() time.Time
	mutex sync.Mutex
	ends  map[string]time.Time // by the cookie's value
}

// begin returns the name of a new session.
func (s *sessions) begin() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for len(s.ends) >= mostSessions {
		oldest := ""
		for name, end := range s.ends {
			if oldest == "" || end.Before(s.ends[oldest]) {
				oldest = name
			}
		}
		delete(s.ends, oldest)
	}
	name := rand.Text()
	s.ends[name] = s.now().Add(sessionLife)
	return name
}

// open reports whether a request is of a session, and was not made by the page of another origin.
func (s *sessions) open(r *http.Request) bool {
	cookie, err := r.Cookie(cookieName(r))
	if err != nil || !slices.Contains([]string{"", "none", "same-origin"}, r.Header.Get("Sec-Fetch-Site")) {
		return false
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.now().Before(s.ends[cookie.Value])
}

func (s *sessions) end(r *http.Request) {
	if cookie, err := r.Cookie(cookieName(r)); err == nil {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		delete(s.ends, cookie.Value)
	}
}

// cookieName differs by port, which a cookie does not: two demos keep two sessions.
func cookieName(r *http.Request) string {
	_, port, _ := net.SplitHostPort(r.Host)
	return "pdpp_browse_" + port
}
