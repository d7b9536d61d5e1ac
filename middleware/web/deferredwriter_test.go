package web_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

func TestA401DuringACallIsRevalidated(t *testing.T) {
	alive := func(token rs.Token) (auth.Principal, error) {
		return auth.Principal{Token: token, Kind: auth.KindClient}, nil
	}
	read := func(r *http.Request) error {
		err := &rs.Error{Code: "context.stream_not_allowed", Status: http.StatusUnauthorized, Message: "Not granted."}
		middleware.RequestFrom(r.Context()).NoteUnauthorized(err.Code)
		return err
	}
	for _, test := range []struct {
		name     string
		recheck  func(rs.Token) (auth.Principal, error)
		pipeline func(http.ResponseWriter, *http.Request)
		status   int
		body     string // a part of the body
		asked    int64
	}{
		{
			name: "D7 the token is alive: the pipeline's answer stands", recheck: alive,
			pipeline: func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, read(r).Error()) },
			status:   200, body: "context.stream_not_allowed", asked: 1,
		},
		{
			name: "D7 the token is dead: the answer is the challenge",
			recheck: func(rs.Token) (auth.Principal, error) {
				return auth.Principal{}, &rs.Error{Code: "grant_revoked", Message: "Revoked."}
			},
			pipeline: func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", "3")
				if _, err := io.Copy(w, strings.NewReader(read(r).Error())); err != nil {
					t.Errorf("what is dropped is an error: %v", err)
				}
				_ = http.NewResponseController(w).Flush()
				_, _ = io.WriteString(w, read(r).Error())
			},
			status: 401, body: `"code":"grant_revoked"`, asked: 1,
		},
		{
			name: "the token has become an owner's: refused as such",
			recheck: func(token rs.Token) (auth.Principal, error) {
				return auth.Principal{Token: token, Kind: auth.KindOwner}, nil
			},
			pipeline: func(w http.ResponseWriter, r *http.Request) { _ = read(r); w.WriteHeader(202) },
			status:   403, body: "owner_token_refused", asked: 1,
		},
		{
			name: "the authority can not tell: the pipeline's answer stands",
			recheck: func(rs.Token) (auth.Principal, error) {
				return auth.Principal{}, &rs.Error{Code: rs.AuthorityUnreachable, Message: "No answer."}
			},
			pipeline: func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, read(r).Error()) },
			status:   200, body: "context.stream_not_allowed", asked: 1,
		},
		{
			name: "the question meets a fault of ours: the pipeline's answer stands",
			recheck: func(rs.Token) (auth.Principal, error) {
				return auth.Principal{}, &rs.Error{Code: "internal_error", Message: "A fault."}
			},
			pipeline: func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, read(r).Error()) },
			status:   200, body: "context.stream_not_allowed", asked: 1,
		},
		{
			name: "the answer is already on its way: it is finished",
			recheck: func(rs.Token) (auth.Principal, error) {
				return auth.Principal{}, &rs.Error{Code: "grant_revoked", Message: "Revoked."}
			},
			pipeline: func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.WriteString(w, "begun, ")
				_ = read(r)
				_, _ = io.WriteString(w, "done")
			},
			status: 200, body: "begun, done", asked: 1,
		},
		{
			name: "only its status is on its way: it is finished",
			recheck: func(rs.Token) (auth.Principal, error) {
				return auth.Principal{}, &rs.Error{Code: "grant_revoked", Message: "Revoked."}
			},
			pipeline: func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(200)
				_ = read(r)
				_, _ = io.WriteString(w, "done")
			},
			status: 200, body: "done", asked: 1,
		},
		{
			name: "the answer was only flushed: it is finished",
			recheck: func(rs.Token) (auth.Principal, error) {
				return auth.Principal{}, &rs.Error{Code: "grant_revoked", Message: "Revoked."}
			},
			pipeline: func(w http.ResponseWriter, r *http.Request) {
				_ = http.NewResponseController(w).Flush()
				_ = read(r)
				_, _ = io.WriteString(w, "done")
			},
			status: 200, body: "done", asked: 1,
		},
		{
			name: "the pipeline answers nothing at all: the refusal is still written",
			recheck: func(rs.Token) (auth.Principal, error) {
				return auth.Principal{}, &rs.Error{Code: "grant_revoked", Message: "Revoked."}
			},
			pipeline: func(_ http.ResponseWriter, r *http.Request) { _ = read(r) },
			status:   401, body: "grant_revoked", asked: 1,
		},
		{
			name: "many reads of one request ask once", recheck: alive,
			pipeline: func(w http.ResponseWriter, r *http.Request) {
				var all sync.WaitGroup
				for range 8 {
					all.Go(func() { _ = read(r) })
				}
				all.Wait()
				_, _ = io.WriteString(w, "answered")
			},
			status: 200, body: "answered", asked: 1,
		},
		{
			name: "without a 401 nobody is asked", recheck: alive,
			pipeline: func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "fine") },
			status:   200, body: "fine",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newWebFixture(t, test.pipeline)
			var asked atomic.Int64
			f.authority.recheck = func(token rs.Token) (auth.Principal, error) {
				asked.Add(1)
				if token.Reveal() != "good" {
					t.Errorf("asked about another token")
				}
				return test.recheck(token)
			}
			response, body := sendRaw(t, f, "/mcp", "Authorization: Bearer good")
			if response.StatusCode != test.status || !strings.Contains(string(body), test.body) {
				t.Errorf("status %d, want %d; body %s", response.StatusCode, test.status, body)
			}
			if test.status >= 400 && strings.Contains(string(body), "context.stream_not_allowed") {
				t.Errorf("D7 the dropped answer follows the refusal: %s", body)
			}
			if got := asked.Load(); got != test.asked {
				t.Errorf("the authority was asked again %d times, want %d", got, test.asked)
			}
			if challenged := response.Header.Get("WWW-Authenticate") != ""; challenged != (test.status == 401 || test.status == 403) {
				t.Errorf("challenge: %v", response.Header)
			}
		})
	}
}

// After a 401, an authority without a token cache is asked again as for a new token.
func TestA401IsRevalidatedWithoutAMemory(t *testing.T) {
	for then, want := range map[string]int{"good": 200, "owner": 403, "revoked": 401} {
		asked := 0
		options := web.ChainOptions{Logger: zerolog.Nop(), Public: web.Public{Origin: "https://mcp.example"}}
		options.Authenticator = web.AuthenticatorFunc(func(ctx context.Context, _ rs.Token) (auth.Principal, error) {
			asked++
			return new(webAuthority).Authenticate(ctx, rs.NewToken([]string{"good", then}[asked-1]))
		})
		chain := options.AuthenticatedChain().ThenFunc(func(_ http.ResponseWriter, r *http.Request) {
			middleware.RequestFrom(r.Context()).NoteUnauthorized("context.active_false")
		})
		w := limited(chain, func(r *http.Request) { r.Header.Set("Authorization", "Bearer t") })
		if w.Code != want || asked != 2 {
			t.Errorf("a token that is then %s is answered %d, asked %d times", then, w.Code, asked)
		}
	}
}

// If the grant lacks what a call needs, the answer is a challenge if a new sign-in can ask the owner for it, and otherwise the answer of
// the call.
func TestWhatIsMissingIsChallengedWhereItCanBeAskedFor(t *testing.T) {
	offered := func(m rs.Missing) bool { return len(m.Streams) == 1 && m.Streams[0] == "dreams" }
	for name, row := range map[string]struct {
		offers func(rs.Missing) bool
		stream string
		status int
	}{
		"what a sign-in offers":      {offered, "dreams", 403},
		"what it does not":           {offered, "notes", 200},
		"where there is no sign-in":  {nil, "dreams", 200},
		"a call that misses nothing": {func(rs.Missing) bool { return true }, "messages", 200},
	} {
		t.Run(name, func(t *testing.T) {
			server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
				switch {
				case r.Path == "/v1/schema":
					return middlewaretest.JSON(`{"detail":"compact","streams":[{"name":"messages"}]}`), nil
				case strings.HasPrefix(r.Path, "/v1/streams/messages/"):
					return middlewaretest.JSON(`{"object":"list","data":[],"has_more":false}`), nil
				}
				return nil, &rs.Error{Code: "context.stream_not_allowed", Status: 403, Message: "Not granted."}
			}}
			handle := middleware.Standard(middleware.Options{Log: zerolog.Nop(), Source: server.Source}, tools.Forward)
			chain := web.ChainOptions{
				Authenticator: &webAuthority{}, Public: web.Public{Origin: "https://mcp.example"}, Logger: zerolog.Nop(), Offers: row.offers,
			}.AuthenticatedChain().ThenFunc(func(w http.ResponseWriter, r *http.Request) {
				call := tools.Call{Tool: tools.All(tools.Options{})[0].Named("query_records"), Raw: json.RawMessage(`{"stream":"` + row.stream + `"}`)}
				reply, err := handle(r.Context(), call)
				if err != nil {
					t.Error(err)
				}
				_, _ = io.WriteString(w, reply.Rendered.Text)
				_ = http.NewResponseController(w).Flush()
			})
			w := limited(chain, func(r *http.Request) { r.Header.Set("Authorization", "Bearer good") })
			if w.Code != row.status || w.Flushed != (row.status == 200) || (w.Code == 403) != strings.Contains(w.Body.String(), "insufficient_scope") {
				t.Errorf("%d, flushed %v: %s", w.Code, w.Flushed, w.Body)
			}
		})
	}
}
