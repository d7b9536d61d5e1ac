package browse

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// A session ends after twelve hours, or as the oldest of sixteen when another one begins.
func TestSessionsEnd(t *testing.T) {
	now := time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)
	s := newSessions(func() time.Time { return now })
	request := func(name string) *http.Request {
		r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:7710/", nil)
		r.AddCookie(&http.Cookie{Name: "pdpp_browse_7710", Value: name})
		return r
	}
	first := s.begin()
	if !s.open(request(first)) || s.open(request("")) || s.open(request("other")) {
		t.Error("another opens than the one that began")
	}
	now = now.Add(sessionLife - time.Second)
	second := s.begin()
	if !s.open(request(first)) {
		t.Error("it ends early")
	}
	if now = now.Add(time.Second); s.open(request(first)) || !s.open(request(second)) {
		t.Error("the oldest session has not ended, or another one has")
	}
	for range mostSessions {
		now = now.Add(time.Second)
		s.begin()
	}
	if s.open(request(second)) || s.ends.Len() != mostSessions {
		t.Errorf("%d sessions", s.ends.Len())
	}
	s.end(request(first))
	s.end(httptest.NewRequest(http.MethodGet, "http://127.0.0.1:7710/", nil))
}
