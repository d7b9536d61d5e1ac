package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// webAuthority knows a few tokens, and counts its introspections.
type webAuthority struct {
	asked   atomic.Int64
	recheck func(rs.Token) (auth.Principal, error)
}

func (a *webAuthority) Authenticate(_ context.Context, token rs.Token) (auth.Principal, error) {
	a.asked.Add(1)
	switch token.Reveal() {
	case "good":
		return auth.Principal{Token: token, Kind: auth.KindClient, GrantID: "grt_1"}, nil
	case "owner":
		return auth.Principal{Token: token, Kind: auth.KindOwner}, nil
	case "strange":
		return auth.Principal{Token: token, Kind: "control_plane"}, nil
	case "kindless":
		return auth.Principal{Token: token}, nil
	case "revoked":
		return auth.Principal{}, &rs.Error{Code: "grant_revoked", Message: `The grant "x" was revoked.`}
	case "package":
		return auth.Principal{}, &rs.Error{Code: "package_revoked", Message: "The package was revoked."}
	case "unreachable":
		return auth.Principal{}, &rs.Error{Code: rs.AuthorityUnreachable, Message: "The authority did not answer."}
	case "busy":
		return auth.Principal{}, &rs.Error{Code: "authority_busy", Message: "Too many questions."}
	case "foreign":
		return auth.Principal{}, context.DeadlineExceeded
	default:
		return auth.Principal{}, &rs.Error{Code: rs.TokenInactive, Message: "The access token is not active."}
	}
}

func (a *webAuthority) Revalidate(_ context.Context, token rs.Token, _ rs.Code) (auth.Principal, error) {
	return a.recheck(token)
}

// webFixture is an HTTP chain before a pipeline that counts the requests it gets.
type webFixture struct {
	*httptest.Server
	authority *webAuthority
	entered   *atomic.Int64
	log       *bytes.Buffer
}

func newWebFixture(t *testing.T, pipeline http.HandlerFunc) webFixture {
	t.Helper()
	f := webFixture{authority: &webAuthority{}, entered: &atomic.Int64{}, log: &bytes.Buffer{}}
	chain := web.ChainOptions{
		Authenticator: f.authority,
		Public:        web.Public{Origin: "https://mcp.example"},
		Logger:        zerolog.New(zerolog.SyncWriter(f.log)).Level(zerolog.DebugLevel),
	}.AuthenticatedChain()
	f.Server = httptest.NewServer(chain.ThenFunc(func(w http.ResponseWriter, r *http.Request) {
		f.entered.Add(1)
		pipeline(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

func refusalCode(t *testing.T, body []byte) string {
	t.Helper()
	var answer struct {
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Error.Message == "" {
		t.Fatalf("the body is no error document: %q (%v)", body, err)
	}
	return answer.Error.Code
}

func TestPublicAndAuthenticatedChainsAgree(t *testing.T) {
	pipeline := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	options := web.ChainOptions{Authenticator: &webAuthority{}, Logger: zerolog.Nop(), Public: web.Public{Origin: "https://mcp.example"}}
	for name, test := range map[string]struct {
		handler http.Handler
		host    string
		token   string
		want    int
	}{
		"the public chain asks for no bearer":                    {options.PublicChain().Then(pipeline), "mcp.example", "", 204},
		"the public chain still refuses a foreign host":          {options.PublicChain().Then(pipeline), "evil.example", "", 421},
		"the base chain asks for no name":                        {options.BaseChain().Then(pipeline), "192.0.2.9:8080", "", 204},
		"the HTTP chain asks for a bearer":                       {options.AuthenticatedChain().Then(pipeline), "mcp.example", "", 401},
		"the HTTP chain lets a client in":                        {options.AuthenticatedChain().Then(pipeline), "mcp.example", "good", 204},
		"the HTTP chain judges the host before the bearer":       {options.AuthenticatedChain().Then(pipeline), "evil.example", "good", 421},
		"S0-3a the HTTP chain refuses an owner at the last step": {options.AuthenticatedChain().Then(pipeline), "mcp.example", "owner", 403},
	} {
		t.Run(name, func(t *testing.T) {
			request := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader("{}"))
			request.Host = test.host
			if test.token != "" {
				request.Header.Set("Authorization", "Bearer "+test.token)
			}
			recorder := httptest.NewRecorder()
			test.handler.ServeHTTP(recorder, request)
			if recorder.Code != test.want || recorder.Header().Get("Request-Id") == "" {
				t.Errorf("status %d, want %d: %s", recorder.Code, test.want, recorder.Body)
			}
		})
	}
}
