package rs_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

func TestRechecking(t *testing.T) {
	for _, test := range []struct {
		name   string
		err    error
		doubts int
	}{
		{"D7 a 401 raises a doubt", &rs.Error{Code: "context.stream_not_allowed", Status: 401}, 1},
		{"a wrapped 401 raises it, too", fmt.Errorf("child: %w", &rs.Error{Status: 401}), 1},
		{"D7 a 403 stays what it was", &rs.Error{Code: "field_not_granted", Status: 403}, 0},
		{"D25 a 403 that says the grant is revoked raises one", &rs.Error{Code: "grant_revoked", Status: 403}, 1},
		{"D25 or expired", &rs.Error{Code: "grant_expired", Status: 403}, 1},
		{"D25 or invalid", &rs.Error{Code: "grant_invalid", Status: 403}, 1},
		{"such a code with another status raises none", &rs.Error{Code: "grant_revoked", Status: 404}, 0},
		{"an error of our own raises none", &rs.Error{Code: rs.NotAuthenticated}, 0},
		{"an answer raises none", nil, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			doer := rs.Revalidating{Doer: doerFunc(func(context.Context, rs.Request) (*rs.Response, error) {
				if test.err != nil {
					return nil, test.err
				}
				return &rs.Response{Status: 200}, nil
			})}
			doubts := 0
			for _, ctx := range []context.Context{
				context.Background(), // as over stdio: nobody to tell
				rs.WithOnUnauthorized(context.Background(), func(context.Context) { doubts++ }),
			} {
				response, err := doer.Do(ctx, rs.Request{})
				if !errors.Is(err, test.err) || (response == nil) != (test.err != nil) {
					t.Errorf("changed to %v, %v", response, err)
				}
			}
			if doubts != test.doubts {
				t.Errorf("%d doubts, want %d", doubts, test.doubts)
			}
		})
	}
}

type doerFunc func(context.Context, rs.Request) (*rs.Response, error)

func (f doerFunc) Do(ctx context.Context, r rs.Request) (*rs.Response, error) { return f(ctx, r) }
