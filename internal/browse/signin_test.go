package browse

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// The form with the owner's secret is accepted with exactly one Origin header, the server's own.
func TestASignInHasOneOrigin(t *testing.T) {
	pages := New(Options{IsOwner: func(string) bool { return true }, Now: time.Now})
	const own, foreign = "http://127.0.0.1:7710", "http://evil.example"
	for name, row := range map[string]struct {
		origins []string
		want    int
	}{
		"its own":            {[]string{own}, http.StatusSeeOther},
		"none":               {nil, http.StatusForbidden},
		"a foreign one":      {[]string{foreign}, http.StatusForbidden},
		"a foreign one last": {[]string{own, foreign}, http.StatusForbidden},
	} {
		r := httptest.NewRequest(http.MethodPost, own+"/", strings.NewReader("owner_secret=x"))
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7710})))
		r.Header["Content-Type"], r.Header["Origin"] = []string{"application/x-www-form-urlencoded"}, row.origins
		w := httptest.NewRecorder()
		if pages.Serve(w, r, "", ""); w.Code != row.want {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
}
