package middleware_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// If a call is refused for a stream or connection that is not granted, the request records that name, so that a new sign-in can ask for it.
// No other refusal is recorded.
func TestOnlyWhatIsNotGrantedIsNoted(t *testing.T) {
	for name, row := range map[string]struct {
		tool, arguments string
		want            string // streams and connection; "" where nothing is noted
	}{
		"a stream":                   {"query_records", `{"stream":"dreams"}`, "[dreams] "},
		"a connection":               {"query_records", `{"stream":"messages","connection_id":"cin_9"}`, "[] cin_9"},
		"a stream of a search":       {"search", `{"q":"tax","streams":["dreams"]}`, "[dreams] "},
		"an unknown field is not":    {"query_records", `{"stream":"messages","filter":{"subjet":"Tax"}}`, ""},
		"nor is a bad argument":      {"query_records", `{"stream":"messages","limit":500}`, ""},
		"nor is a cursor of another": {"query_records", `{"stream":"messages","changes_since":"x"}`, ""},
		"nor is an answer":           {"query_records", `{"stream":"messages"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			server := correctable()
			whole := server.Answer
			server.Answer = func(r rs.Request) (*rs.Response, error) {
				if strings.HasPrefix(r.Path, "/v1/search") {
					return nil, &rs.Error{Code: "context.stream_not_allowed", Status: 401, Message: "no"}
				}
				return whole(r)
			}
			var request middleware.Request
			ctx := middleware.WithRequest(as(t.Context(), auth.KindClient), &request)
			reply, err := standard(server)(ctx, callOf(t, row.tool, row.arguments))
			if err != nil {
				t.Fatal(err)
			}
			noted := ""
			if missing, refused := request.Ungranted(); refused != nil {
				noted = fmt.Sprint(missing.Streams, " ", missing.Connection)
			}
			if noted != row.want {
				t.Errorf("noted %q, want %q: %s", noted, row.want, textOf(t, reply.Result))
			}
		})
	}
}

// S0-8a: the directory of a package lists what is granted, so no schema is read, even if it lists only one stream. What the package says of
// its connections stays.
func TestAPackageOfOneStreamIsKnownWithoutARead(t *testing.T) {
	server := &middlewaretest.RS{Answer: func(rs.Request) (*rs.Response, error) {
		ended := []rs.UnavailableConnection{{Connection: rs.Connection{ID: "cin_9"}, Code: "grant_expired"}}
		return nil, &rs.Error{Code: "grant_stream_not_allowed", Message: "None of the grants holds the stream.", Unavailable: ended}
	}}
	granted := []rs.GrantedStream{{Stream: "messages", Connection: rs.Connection{ID: "cin_1", DisplayName: "Work mail"}}}
	p := auth.Principal{
		Token: rs.NewToken(middlewaretest.CanaryToken), Kind: auth.KindPackage, Package: scriptedPackage{RS: server, granted: granted},
	}
	reply, err := standard(server)(auth.WithPrincipal(t.Context(), p), callOf(t, "query_records", `{"stream":"dreams"}`))
	if err != nil {
		t.Fatal(err)
	}
	text := textOf(t, reply.Result)
	for _, says := range []string{`no stream "dreams" in this grant. It has: messages.`, "unavailable: connection_id=cin_9 (grant_expired"} {
		if lines := server.Lines(); !strings.Contains(text, says) || len(lines) != 1 {
			t.Errorf("after %v: no %q in %s", lines, says, text)
		}
	}
}
