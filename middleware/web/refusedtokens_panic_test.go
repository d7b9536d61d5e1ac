package web_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// A panickingAuthority panics at every introspection.
type panickingAuthority struct {
	web.Authenticator
	asked int
}

func (a *panickingAuthority) Authenticate(context.Context, rs.Token) (auth.Principal, error) {
	a.asked++
	panic("a bug")
}

// A token whose introspection panics is charged to its address like any other unknown token, so that a bug does not bypass the
// limit. Its slot is released, so that the address is served again after the wait.
func TestAPanicIsChargedToItsAddress(t *testing.T) {
	clock, authority := newClock(), &panickingAuthority{}
	handler := guarded(authority, web.Limits{AddressRate: 0.5, AddressBurst: 5}, clock.now)
	for i := range 20 {
		want := 500
		if i >= 5 {
			want = 429
		}
		if w := limited(handler, from("203.0.113.7", fmt.Sprint("token-", i))); w.Code != want {
			t.Fatalf("token %d is answered %d, want %d", i, w.Code, want)
		}
	}
	clock.pass(2 * time.Second)
	if w := limited(handler, from("203.0.113.7", "later")); w.Code != 500 || authority.asked != 6 {
		t.Errorf("after the wait: %d, asked %d times, want 500 and 6", w.Code, authority.asked)
	}
}
