package rsclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// These must never occur in an error, a message or a log.
const (
	secretToken = "tok-canary-5b1c"
	secretWords = "words-canary-77aa"
)

// withoutCause compares errors by what a caller sees.
var withoutCause = cmpopts.IgnoreFields(rs.Error{}, "Cause")

func TestClientSends(t *testing.T) {
	type sent struct{ Method, URI, Authorization, Accept, UserAgent, Body string }
	var got sent
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = sent{r.Method, r.RequestURI, r.Header.Get("Authorization"), r.Header.Get("Accept"), r.UserAgent(), string(body)}
		_, _ = io.WriteString(w, `{}`)
	}))
	defer server.Close()

	for name, row := range map[string]struct {
		base    string
		request rs.Request
		want    sent
	}{
		"S3-6c a read is a GET with the caller's own token": {
			"", rs.Request{Path: rs.Path("streams")},
			sent{"GET", "/v1/streams", "Bearer " + secretToken, "application/json", "pdpp-mcp/test", ""},
		},
		"one parameter is sent": {
			"", rs.Request{Path: rs.Path("schema"), Query: url.Values{"view": {"compact"}}},
			sent{"GET", "/v1/schema?view=compact", "Bearer " + secretToken, "application/json", "pdpp-mcp/test", ""},
		},
		"parameters are sent escaped, arrays as repeated plain keys": {
			"", rs.Request{Path: rs.Path("streams", "messages", "records"), Query: url.Values{"fields": {"a", "b"}, "filter[a b][gte]": {"1&2"}}},
			sent{"GET", "/v1/streams/messages/records?fields=a&fields=b&filter%5Ba+b%5D%5Bgte%5D=1%262", "Bearer " + secretToken, "application/json", "pdpp-mcp/test", ""},
		},
		"D12 a record id with a slash stays one path segment": {
			"", rs.Request{Path: rs.Path("streams", "files", "records", "a/../b c")},
			sent{"GET", "/v1/streams/files/records/a%2F..%2Fb%20c", "Bearer " + secretToken, "application/json", "pdpp-mcp/test", ""},
		},
		"S3-2c bytes are asked for as any type": {
			"", rs.Request{Path: rs.Path("blobs", "b1"), Binary: true},
			sent{"GET", "/v1/blobs/b1", "Bearer " + secretToken, "*/*", "pdpp-mcp/test", ""},
		},
		"a base with a path and a slash keeps the path": {
			"/pdpp/", rs.Request{Path: rs.Path("streams")},
			sent{"GET", "/pdpp/v1/streams", "Bearer " + secretToken, "application/json", "pdpp-mcp/test", ""},
		},
		"a base that ends with a bare question mark has no query": {
			"?", rs.Request{Path: rs.Path("streams")},
			sent{"GET", "/v1/streams", "Bearer " + secretToken, "application/json", "pdpp-mcp/test", ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got = sent{}
			client, err := rsclient.New(rsclient.Options{Base: server.URL + row.base, UserAgent: "pdpp-mcp/test"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := client.For(caller(secretToken)).Do(t.Context(), row.request); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestClientKeepsCallersApart(t *testing.T) {
	client := clientOver(t, func(r *http.Request) (*http.Response, error) {
		return answer(200, fmt.Sprintf("%q", r.Header.Get("Authorization"))), nil
	})
	alice, bob := client.For(caller("alice")), client.For(caller("bob"))
	for _, row := range []struct {
		doer rs.Doer
		want string
	}{{alice, `"Bearer alice"`}, {bob, `"Bearer bob"`}, {alice, `"Bearer alice"`}} {
		response, err := row.doer.Do(t.Context(), rs.Request{Path: "/v1/schema"})
		if err != nil || response.Body != row.want {
			t.Errorf("%s, %v; want %s", response.Body, err, row.want)
		}
	}
}

func TestClientReads(t *testing.T) {
	for name, row := range map[string]struct {
		request  rs.Request
		response *http.Response
		want     *rs.Response
		err      *rs.Error
	}{
		"a JSON answer arrives as it was written, without the space between its tokens": {
			response: answer(200, "{ \"b\" : 1.0,\n\"a\":2}", "Request-Id", "req_1", "Content-Type", "application/json; charset=utf-8"),
			want:     &rs.Response{Status: 200, Body: `{"b":1.0,"a":2}`, ContentType: "application/json; charset=utf-8", RequestID: "req_1"},
		},
		"a success that nobody knows is one": {
			response: answer(299, `{}`), want: &rs.Response{Status: 299, Body: `{}`},
		},
		"the request id may come under its older name": {
			response: answer(200, `{}`, "X-Request-Id", "req_2"),
			want:     &rs.Response{Status: 200, Body: `{}`, RequestID: "req_2"},
		},
		"a request id is one bounded line": {
			response: answer(200, `{}`, "Request-Id", strings.Repeat("x", 5000)),
			want:     &rs.Response{Status: 200, Body: `{}`, RequestID: strings.Repeat("x", 600) + "…"},
		},
		"JSON under another content type is JSON": {
			response: answer(200, `[]`, "Content-Type", "text/plain"),
			want:     &rs.Response{Status: 200, Body: `[]`, ContentType: "text/plain"},
		},
		"text inside JSON that is not UTF-8 is mended, because hosts refuse it": {
			response: answer(200, "{\"a\":\"\xff\"}"),
			want:     &rs.Response{Status: 200, Body: "{\"a\":\"\uFFFD\"}"},
		},
		"bytes of a blob are not touched": {
			request:  rs.Request{Binary: true},
			response: answer(200, "\xff\xfe\x00", "Content-Type", "image/png"),
			want:     &rs.Response{Status: 200, Body: "\xff\xfe\x00", ContentType: "image/png"},
		},
		"a blob in a compression that nobody asked for is not its bytes": {
			request:  rs.Request{Binary: true},
			response: answer(200, "\x8b\x01\x80", "Content-Type", "image/png", "Content-Encoding", "br", "Request-Id", "req_5"),
			err: &rs.Error{
				Code: "response_undecodable", RequestID: "req_5", Message: "The resource server's answer could not be decompressed.",
				Hint: "Retry once; if it persists, tell the operator. Nothing of the answer was used.",
			},
		},
		"a part of a blob is not a blob": {
			request: rs.Request{Binary: true}, response: answer(206, "GIF8"),
			err: &rs.Error{
				Code: "response_truncated", Message: "The resource server's answer broke off before its end.",
				Hint: "Retry; nothing of the partial answer was used.",
			},
		},
		"an empty blob is a blob": {
			request: rs.Request{Binary: true}, response: answer(200, ""), want: &rs.Response{Status: 200, Body: string([]byte{})},
		},
		"a page of HTML is not an answer": {
			response: answer(200, "<html>"+secretWords, "Content-Type", "text/html", "Request-Id", "req_3"),
			err: &rs.Error{
				Code: "invalid_response", Status: 200, RequestID: "req_3",
				Message: `The resource server answered 23 bytes of type "text/html" where JSON is expected.`,
				Hint:    "Retry once; if it persists, tell the operator: the resource server's URL may point at something else.",
			},
		},
		"nothing is not an answer": {
			response: answer(204, ""),
			err: &rs.Error{
				Code: "invalid_response", Status: 204,
				Message: `The resource server answered an empty body of type "" where JSON is expected.`,
				Hint:    "Retry once; if it persists, tell the operator: the resource server's URL may point at something else.",
			},
		},
		"two JSON values are not an answer": {
			response: answer(200, `{}{}`, "Content-Type", "application/json"),
			err: &rs.Error{
				Code: "invalid_response", Status: 200,
				Message: `The resource server answered 4 bytes of type "application/json" where JSON is expected.`,
				Hint:    "Retry once; if it persists, tell the operator: the resource server's URL may point at something else.",
			},
		},
		"an answer of exactly the limit is taken": {
			response: answer(200, `"`+strings.Repeat("x", 998)+`"`),
			want:     &rs.Response{Status: 200, Body: `"` + strings.Repeat("x", 998) + `"`},
		},
		"an answer of one byte more is not": {
			response: answer(200, `"`+strings.Repeat("x", 999)+`"`, "Request-Id", "req_4"),
			err: &rs.Error{
				Code: "response_too_large", RequestID: "req_4",
				Message: "The resource server's answer is larger than 1000 bytes.",
				Hint:    "Ask for less: a smaller limit, fewer fields, or one connection.",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			client, err := rsclient.New(rsclient.Options{
				Base: "https://rs.example", MaxResponseBytes: 1000,
				Transport: roundTrip(func(*http.Request) (*http.Response, error) { return row.response, nil }),
			})
			if err != nil {
				t.Fatal(err)
			}
			row.request.Path = "/v1/x"
			got, err := client.For(caller(secretToken)).Do(t.Context(), row.request)
			if diff := cmp.Diff(row.want, got, cmpopts.IgnoreUnexported(rs.Response{})); diff != "" {
				t.Error(diff)
			}
			if row.err == nil && err == nil {
				return
			}
			if diff := cmp.Diff(row.err, rs.AsError(err), withoutCause); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestClientFollowsNoRedirect(t *testing.T) {
	var requests atomic.Int32
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		_, _ = io.WriteString(w, `{}`)
	}))
	defer target.Close()
	for _, status := range []int{300, 301, 302, 303, 307, 308, 399} {
		server := httptest.NewServer(http.RedirectHandler(target.URL+"/v1/streams", status))
		client, err := rsclient.New(rsclient.Options{Base: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.For(caller(secretToken)).Do(t.Context(), rs.Request{Path: "/v1/streams"})
		if got := rs.AsError(err); got.Code != "redirect_refused" || got.Status != status {
			t.Errorf("%d: %v", status, err)
		}
		server.Close()
	}
	if requests.Load() != 0 {
		t.Errorf("the target received %d requests", requests.Load())
	}
}

func TestClientStopsWhenTheCallerHangsUp(t *testing.T) {
	arrived, left := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
		close(left)
	}))
	defer server.Close()
	client, err := rsclient.New(rsclient.Options{Base: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	ctx, hangUp := context.WithCancel(t.Context())
	go func() { <-arrived; hangUp() }()
	_, err = client.For(caller(secretToken)).Do(ctx, rs.Request{Path: "/v1/x"})
	if rs.AsError(err).Code != "canceled" || !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	<-left // the server notices it too
}

func TestErrorsShowNeitherTokenNorQuery(t *testing.T) {
	request := rs.Request{Path: "/v1/search", Query: url.Values{"q": {secretWords}}}
	for name, send := range map[string]roundTrip{
		"unreachable": func(r *http.Request) (*http.Response, error) { return nil, fmt.Errorf("dial %s: refused", r.URL.Host) },
		"redirect":    func(r *http.Request) (*http.Response, error) { return answer(302, "", "Location", r.URL.String()), nil },
		"HTML":        func(r *http.Request) (*http.Response, error) { return answer(200, "<a href="+r.URL.String()), nil },
		"plain text error": func(r *http.Request) (*http.Response, error) {
			return answer(500, r.URL.String()+r.Header.Get("Authorization")), nil
		},
		"body breaks off": func(r *http.Request) (*http.Response, error) {
			response := answer(200, "")
			response.Body = io.NopCloser(io.MultiReader(strings.NewReader(r.URL.String()), broken{}))
			return response, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			client := clientOver(t, send)
			principal := caller(secretToken)
			_, err := client.For(principal).Do(t.Context(), request)
			e := rs.AsError(err)
			principalJSON, _ := json.Marshal(principal)
			for _, text := range []string{
				e.Error(), e.Message, e.Hint, e.Param, e.RequestID, string(e.Envelope),
				fmt.Sprintf("%v %+v %#v %s %q %x", principal, principal, principal, principal.Token, principal.Token, principal.Token), string(principalJSON),
			} {
				for _, secret := range []string{secretToken, secretWords, fmt.Sprintf("%x", secretToken), "rs.example"} {
					if strings.Contains(text, secret) {
						t.Errorf("%q shows %s", text, secret)
					}
				}
			}
		})
	}
}

// A path that is invalid in a URL is an internal error, and is not sent.
func TestAPathThatNoURLHolds(t *testing.T) {
	h := &host{}
	if _, err := clientFor(t, h, rsclient.Options{}).For(caller("a")).Do(t.Context(), rs.Request{Path: "/v1/\x7f"}); code(err) != "internal_error" || h.requests.Load() != 0 {
		t.Error(err)
	}
}

func TestNewClientRefuses(t *testing.T) {
	for name, row := range map[string]struct{ base, says string }{
		"nothing":                      {"", "must start with http:// or https://"},
		"a host alone":                 {"rs.example", "must start with http:// or https://"},
		"a host with its port":         {"rs.example:8443", "must start with http:// or https://"},
		"another scheme":               {"ftp://rs.example", "must start with http:// or https://"},
		"a scheme alone":               {"https://", "name a host"},
		"what is no URL":               {"http://[", "(unparsable)"},
		"credentials":                  {"https://user:" + secretWords + "@rs.example", `host "rs.example" must not hold credentials`},
		"credentials without a scheme": {"user:" + secretWords + "@rs.example", "must start with http:// or https://"},
		"a query":                      {"https://rs.example?token=" + secretWords, "must have no query"},
		"a fragment":                   {"https://rs.example#" + secretWords, "no fragment"},
	} {
		t.Run(name, func(t *testing.T) {
			client, err := rsclient.New(rsclient.Options{Base: row.base})
			if err == nil {
				t.Fatalf("client of %s", client.Base())
			}
			if !strings.Contains(err.Error(), row.says) || strings.Contains(err.Error(), secretWords) {
				t.Errorf("error %q; want one that says %q", err, row.says)
			}
		})
	}
}

func TestClientBase(t *testing.T) {
	for _, row := range [][2]string{
		{"https://rs.example", "https://rs.example"},
		{"https://rs.example/", "https://rs.example"},
		{"HTTP://rs.example:8080/a/b//", "http://rs.example:8080/a/b"},
		{"https://rs.example/?", "https://rs.example"},
	} {
		client, err := rsclient.New(rsclient.Options{Base: row[0]})
		if err != nil || client.Base() != row[1] {
			t.Errorf("NewClient(%q).Base() = %q, %v; want %q", row[0], client.Base(), err, row[1])
		}
	}
}

func TestPath(t *testing.T) {
	for _, row := range []struct {
		segments []string
		want     string
	}{
		{nil, "/v1"},
		{[]string{"streams"}, "/v1/streams"},
		{[]string{"streams", "a b", "records", "x/y?z#%"}, "/v1/streams/a%20b/records/x%2Fy%3Fz%23%25"},
		{[]string{"streams", "日本"}, "/v1/streams/%E6%97%A5%E6%9C%AC"},
	} {
		if got := rs.Path(row.segments...); got != row.want {
			t.Errorf("Path(%q) = %q, want %q", row.segments, got, row.want)
		}
	}
}

func caller(token string) rsclient.Caller {
	return rsclient.Caller{Token: rs.NewToken(token), Kind: auth.KindClient}
}

// A roundTrip is a transport given as a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := f(r)
	if response != nil {
		response.Request = r
	}
	return response, err
}

func clientOver(t *testing.T, transport roundTrip) *rsclient.Client {
	t.Helper()
	client, err := rsclient.New(rsclient.Options{Base: "https://rs.example", Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// answer returns a response; headers are alternating names and values.
func answer(status int, body string, headers ...string) *http.Response {
	header := http.Header{}
	for i := 0; i < len(headers); i += 2 {
		header.Set(headers[i], headers[i+1])
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), ProtoMajor: 1, ProtoMinor: 1}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
