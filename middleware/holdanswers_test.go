package middleware_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// largeAnswers is a resource server whose answers are so large that a grant has memory for one.
type largeAnswers struct{}

func (largeAnswers) RoundTrip(*http.Request) (*http.Response, error) {
	body := io.NopCloser(strings.NewReader(`"` + strings.Repeat("x", 2<<20) + `"`))
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: body}, nil
}

// What a call read counts until it is rendered, however it ends; a blob until a transport that holds it has sent it.
func TestHoldAnswers(t *testing.T) {
	blob, text := &tools.Tool{Name: "fetch_blob", Binary: true}, &tools.Tool{Name: "fetch"}
	resource := tools.Reply{Resource: &mcp.ReadResourceResult{}}
	for name, row := range map[string]struct {
		sent  bool // a transport holds what is read
		tool  *tools.Tool
		reply tools.Reply
		err   error
		held  bool // after the call
	}{
		"a tool":                              {false, text, tools.Reply{}, nil, false},
		"a blob that nobody sends":            {false, blob, resource, nil, false},
		"a tool over a transport":             {true, text, tools.Reply{}, nil, false},
		"a record as a resource":              {true, text, resource, nil, false},
		"a description of a blob":             {true, blob, tools.Reply{Result: &mcp.CallToolResult{}}, nil, false},
		"a blob that is refused after all":    {true, blob, tools.Reply{}, errors.New("no"), false},
		"a blob that a transport has to send": {true, blob, resource, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, err := rsclient.New(rsclient.Options{Base: "http://rs.example", Transport: largeAnswers{}})
				if err != nil {
					t.Fatal(err)
				}
				read := func(ctx context.Context) error {
					_, err := client.For(rsclient.Caller{Token: rs.NewToken("t"), Kind: "client", GrantID: "g"}).Do(ctx, rs.Request{Path: "/v1/x"})
					return err
				}
				ctx, release := t.Context(), func() {}
				if row.sent {
					ctx, release, _ = rsclient.HoldAnswers(ctx)
				}
				_, _ = middleware.HoldAnswers(func(ctx context.Context, _ tools.Call) (tools.Reply, error) {
					if err := read(ctx); err != nil {
						t.Error(err)
					}
					return row.reply, row.err
				})(ctx, tools.Call{Tool: row.tool})
				if err := read(t.Context()); (err != nil) != row.held {
					t.Errorf("after the call: %v", err)
				}
				release()
				if err := read(t.Context()); err != nil {
					t.Errorf("after it was sent: %v", err)
				}
			})
		})
	}
}
