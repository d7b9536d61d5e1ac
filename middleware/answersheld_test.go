package middleware_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// largeAnswers is a resource server whose answers are so large that the memory of a grant suffices for one.
type largeAnswers struct{}

func (largeAnswers) RoundTrip(*http.Request) (*http.Response, error) {
	body := io.NopCloser(strings.NewReader(`"` + strings.Repeat("x", 2<<20) + `"`))
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: body}, nil
}

// The answers that a call read count against the memory of its grant until the result is rendered or the call fails.
// A blob counts until the transport has sent it.
func TestAnswersCountUntilTheyAreRendered(t *testing.T) {
	none := func(tools.Call, tools.Answer) (render.Result, error) { return render.Result{}, nil }
	blob, text := &tools.Tool{Name: "fetch_blob", Binary: true, Render: none}, &tools.Tool{Name: "fetch", Render: none}
	for name, row := range map[string]struct {
		sent bool // a transport releases the answers
		tool *tools.Tool
		uri  string
		err  error
		held bool // after the call
	}{
		"a tool":                              {false, text, "", nil, false},
		"a blob that nobody sends":            {false, blob, "pdpp://blob", nil, false},
		"a tool over a transport":             {true, text, "", nil, false},
		"a record as a resource":              {true, text, "pdpp://record", nil, false},
		"a description of a blob":             {true, blob, "", nil, false},
		"a blob that is refused after all":    {true, blob, "pdpp://blob", errors.New("no"), false},
		"a blob that a transport has to send": {true, blob, "pdpp://blob", nil, true},
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
					var reads *rsclient.CallReads
					ctx, reads, _ = rsclient.WithCallReads(ctx)
					release = reads.End
				}
				_, _ = middleware.Chain(func(ctx context.Context, _ tools.Call) (tools.Reply, error) {
					if err := read(ctx); err != nil {
						t.Error(err)
					}
					return tools.Reply{Answer: tools.Answer{Response: &rs.Response{}}}, row.err
				}, middleware.Observe(middleware.Options{Now: time.Now}), middleware.Render)(ctx, tools.Call{Tool: row.tool, URI: row.uri})
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
