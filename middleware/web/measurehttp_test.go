package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// requestsSeen is a RequestObserver that remembers.
type requestsSeen struct {
	underWay int
	ended    []requestSeen
}

type requestSeen struct {
	Path   string
	Status int
	Code   rs.Code
}

func (s *requestsSeen) RequestBegan() { s.underWay++ }

func (s *requestsSeen) RequestEnded(path string, status int, code rs.Code, _ time.Duration) {
	s.underWay--
	s.ended = append(s.ended, requestSeen{path, status, code})
}

func TestMeasureHTTP(t *testing.T) {
	for name, row := range map[string]struct {
		path, token string
		pipeline    http.HandlerFunc
		want        requestSeen
	}{
		"a good answer has no code":                {"/mcp", "good", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }, requestSeen{"/mcp", 204, ""}},
		"a refusal at the HTTP chain has its code": {"/mcp", "owner", nil, requestSeen{"/mcp", 403, rs.OwnerTokenRefused}},
		"so has one behind the bearer": {"/mcp", "good", func(w http.ResponseWriter, r *http.Request) {
			web.Refuse(w, r, 429, &rs.Error{Code: "rate_limited"}, "")
		}, requestSeen{"/mcp", 429, "rate_limited"}},
		"so has a panic":                   {"/mcp", "good", func(http.ResponseWriter, *http.Request) { panic(middlewaretest.CanaryRecord) }, requestSeen{"/mcp", 500, rs.Internal}},
		"a path that is not ours is other": {"/" + middlewaretest.CanaryToken, "good", func(http.ResponseWriter, *http.Request) {}, requestSeen{"other", 0, ""}},
		"D7 a token that died meanwhile": {"/mcp", "good", func(w http.ResponseWriter, r *http.Request) {
			middleware.RequestFrom(r.Context()).NoteUnauthorized("context.active_false")
			w.WriteHeader(200)
		}, requestSeen{"/mcp", 401, rs.TokenInactive}},
	} {
		t.Run(name, func(t *testing.T) {
			var seen requestsSeen
			authority := &webAuthority{
				recheck: func(rs.Token) (auth.Principal, error) { return auth.Principal{}, &rs.Error{Code: rs.TokenInactive} },
			}
			chain := web.ChainOptions{
				Authenticator: authority, Public: web.Public{Origin: "https://mcp.example"}, Logger: zerolog.Nop(), Observer: &seen,
			}.AuthenticatedChain()
			request := httptest.NewRequest(http.MethodPost, row.path, strings.NewReader("{}"))
			request.Host = "mcp.example"
			request.Header.Set("Authorization", "Bearer "+row.token)
			chain.Then(row.pipeline).ServeHTTP(httptest.NewRecorder(), request)
			if diff := cmp.Diff([]requestSeen{row.want}, seen.ended); diff != "" || seen.underWay != 0 {
				t.Errorf("%d under way\n%s", seen.underWay, diff)
			}
		})
	}
}
