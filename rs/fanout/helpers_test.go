package fanout_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
)

const packageToken = "package-token"

var packageNow = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// A memberAnswer answers the requests with one token in place of the resource server.
type memberAnswer func(context.Context, rs.Request) (*rs.Response, error)

// A packageRS is a scripted resource server that records requests as "token path?query".
type packageRS struct {
	answers map[string]memberAnswer

	mu     sync.Mutex
	asked  []string
	active int
	widest int // the most concurrent reads
}

func (f *packageRS) doer(token rs.Token) rs.Doer {
	return memberDoer(func(ctx context.Context, r rs.Request) (*rs.Response, error) {
		f.mu.Lock()
		f.asked = append(f.asked, token.Reveal()+" "+r.Path+"?"+r.Query.Encode())
		f.active++
		f.widest = max(f.widest, f.active)
		f.mu.Unlock()
		defer func() {
			f.mu.Lock()
			f.active--
			f.mu.Unlock()
		}()
		answer, known := f.answers[token.Reveal()]
		if !known {
			return nil, &rs.Error{Code: "context.active_false", Message: "No such token.", Status: 401}
		}
		return answer(ctx, r)
	})
}

// heard returns the requests since the last call, sorted, and checks that none used the package's token.
func (f *packageRS) heard(t testing.TB) []string {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	asked := f.asked
	f.asked = nil
	slices.Sort(asked)
	for _, a := range asked {
		if token, _, _ := strings.Cut(a, " "); token == packageToken || f.answers[token] == nil {
			t.Errorf("a read carries %q, which is no member's token", token)
		}
	}
	return asked
}

func (f *packageRS) wantSilence(t testing.TB) {
	t.Helper()
	if asked := f.heard(t); len(asked) > 0 {
		t.Errorf("the resource server was asked: %q", asked)
	}
}

func says(body string) memberAnswer {
	return func(context.Context, rs.Request) (*rs.Response, error) {
		return &rs.Response{Status: 200, Body: body, ContentType: "application/json", RequestID: "req_1"}, nil
	}
}

func fails(status int, code rs.Code) memberAnswer {
	return func(context.Context, rs.Request) (*rs.Response, error) {
		return nil, &rs.Error{Code: code, Message: "It said " + string(code) + ".", Status: status}
	}
}

func hangs(ctx context.Context, _ rs.Request) (*rs.Response, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// hitsOf is a member with n hits, in pages of the requested limit; its cursor is the index of the next hit.
func hitsOf(prefix string, n int) memberAnswer {
	return func(_ context.Context, r rs.Request) (*rs.Response, error) {
		from, limit := 0, 25
		if c := r.Query.Get("cursor"); c != "" {
			var err error
			if from, err = strconv.Atoi(strings.TrimPrefix(c, prefix+"@")); err != nil {
				return nil, &rs.Error{Code: "invalid_cursor", Message: "Cursor is malformed", Status: 400}
			}
		}
		if l := r.Query.Get("limit"); l != "" {
			limit, _ = strconv.Atoi(l)
		}
		to := min(from+limit, n)
		var hits []string
		for i := from; i < to; i++ {
			hits = append(hits, fmt.Sprintf(`{"object":"search_result","stream":"messages","record_key":"%s%d"}`, prefix, i))
		}
		next := ""
		if to < n {
			next = fmt.Sprintf(`,"next_cursor":"%s@%d"`, prefix, to)
		}
		return says(fmt.Sprintf(`{"object":"list","data":[%s],"has_more":%t%s,"meta":{"count":%d,"count_accuracy":"exact","recall":{"complete":true,"ranking_scope":"all_matches","ranked_candidate_count":%d},"warnings":[]}}`,
			strings.Join(hits, ","), to < n, next, n, n))(nil, r)
	}
}

// aMember is a usable member named by one letter.
func aMember(letter string, streams ...string) fanout.Member {
	if len(streams) == 0 {
		streams = []string{"messages"}
	}
	return fanout.Member{
		Connection: rs.Connection{GrantID: "grt_" + letter, ConnectorKey: "mail", ID: "cin_" + letter, DisplayName: strings.ToUpper(letter) + " Mail"},
		Streams:    streams, Token: rs.NewToken("tok_" + letter),
	}
}

func refusedMember(letter string, code rs.Code) fanout.Member {
	c := aMember(letter)
	c.Token, c.Refused = rs.Token{}, &rs.Error{Code: code, Message: "It was revoked."}
	return c
}

func packageOf(f *packageRS, o fanout.PackageOptions, members ...fanout.Member) auth.Package {
	if o.Now == nil {
		o.Now = func() time.Time { return packageNow }
	}
	return fanout.NewPackage(fanout.Membership{PackageID: "pkg_1", Members: members}, f.doer, o)
}

// A merged has the parts of a merged search answer that tests check.
type merged struct {
	Data []struct {
		RecordKey    string `json:"record_key"`
		ConnectionID string `json:"connection_id"`
		ConnectorKey string `json:"connector_key"`
		DisplayName  string `json:"display_name"`
		GrantID      string `json:"grant_id"`
	} `json:"data"`
	HasMore     bool   `json:"has_more"`
	NextCursor  string `json:"next_cursor"`
	Unavailable []struct {
		ID   string  `json:"connection_id"`
		Code rs.Code `json:"code"`
	} `json:"unavailable_connections"`
	Meta struct {
		Count    json.RawMessage `json:"count"`
		Accuracy string          `json:"count_accuracy"`
		Recall   json.RawMessage `json:"recall"`
		Warnings []struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"warnings"`
	} `json:"meta"`
}

func (m merged) keys() string {
	keys := make([]string, len(m.Data))
	for i, hit := range m.Data {
		keys[i] = hit.RecordKey
	}
	return strings.Join(keys, " ")
}

func (m merged) missing() string {
	missing := make([]string, len(m.Unavailable))
	for i, u := range m.Unavailable {
		missing[i] = u.ID + "=" + string(u.Code)
	}
	return strings.Join(missing, " ")
}

func searchRequest(pairs ...string) rs.Request {
	r := rs.Request{Path: rs.Path("search"), Query: url.Values{"q": {"invoice"}}}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			r.Query.Add(pairs[i], pairs[i+1])
		}
	}
	return r
}

// withParts declares some streams of a search to be parts of the records of the others.
func withParts(r rs.Request, parts ...string) rs.Request {
	r.Parts = parts
	return r
}

func readMerged(t testing.TB, response *rs.Response, err error) merged {
	t.Helper()
	if err != nil {
		t.Fatalf("search: %v", err)
	}
	var m merged
	if err := json.Unmarshal([]byte(response.Body), &m); err != nil {
		t.Fatalf("the merged answer is not JSON: %v\n%s", err, response.Body)
	}
	return m
}

func wantCode(t testing.TB, err error, code rs.Code) *rs.Error {
	t.Helper()
	var e *rs.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("error is %v, want code %s", err, code)
	}
	return e
}

// A memberDoer is the resource server for one member.
type memberDoer func(context.Context, rs.Request) (*rs.Response, error)

func (f memberDoer) Do(ctx context.Context, r rs.Request) (*rs.Response, error) { return f(ctx, r) }

// A memberIntrospector is an authority given as a function.
type memberIntrospector func(context.Context, rs.Token) (auth.TokenInfo, error)

func (f memberIntrospector) Introspect(ctx context.Context, t rs.Token) (auth.TokenInfo, error) {
	return f(ctx, t)
}
