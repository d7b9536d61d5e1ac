package connect

import (
	"context"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// S0-R3: a server that renews a client's token as an owner's, by mistake, has it neither used nor stored.
func TestARenewedTokenOfAnOwnerIsNotUsed(t *testing.T) {
	for code, want := range map[int]string{0: "at_2", exit.Owner: "at_1"} {
		k := newKept(t, says(200, renewed))
		k.identified = k.current.Token
		k.identifyNew = func(_ context.Context, token rs.Token) error {
			if token.Reveal() != "at_2" {
				t.Error("another token was checked")
			}
			if code == 0 {
				return nil
			}
			return &exit.Error{Code: code, Message: "of another kind"}
		}
		k.now = k.now.Add(9 * time.Minute)
		if got := k.token(t); got != want || string(k.stored(t).Credential.AccessToken) != want {
			t.Errorf("%d: %s is used, %s stored", code, got, string(k.stored(t).Credential.AccessToken))
		}
		k.now = k.now.Add(time.Hour)
		if _, err := k.Token(t.Context()); code == exit.Owner && (rs.AsError(err).Code != "grant_expired" || k.sent.Load() != 1) {
			t.Errorf("later: %v after %d requests", err, k.sent.Load())
		}
	}
}

// S0-R3: while the resource server does not say whose a new token is, the token is kept and nothing is read with it, whichever process has
// renewed it.
func TestANewTokenIsNotUsedUntilItIsIdentified(t *testing.T) {
	for name, arrive := range map[string]func(*kept){
		"renewed here": func(k *kept) { k.now = k.now.Add(9 * time.Minute) },
		"renewed by another process": func(k *kept) {
			d := k.stored(t)
			d.Credential.AccessToken = "at_2"
			d.Credential.SetExpiry(k.now.Add(time.Hour))
			k.store(t, d)
			k.now = k.now.Add(9 * time.Minute)
		},
	} {
		for last, want := range map[int]rs.Code{0: "", exit.Owner: "grant_unusable", exit.NotReady: "grant_unusable"} {
			t.Run(name, func(t *testing.T) {
				k := newKept(t, says(200, renewed))
				k.identified = k.current.Token
				answer, asked := exit.Unavailable, 0
				k.identifyNew = func(ctx context.Context, _ rs.Token) error {
					if asked++; answer == 0 || ctx.Err() != nil {
						return ctx.Err()
					}
					return &exit.Error{Code: answer, Message: "unknown"}
				}
				arrive(k)
				for range 2 { // the second one within the pause between attempts
					if token, err := k.Token(t.Context()); err == nil || rs.AsError(err).Code != rs.AuthorityUnreachable || asked != 1 {
						t.Errorf("%q is used, %v; asked %d times", token.Reveal(), err, asked)
					}
				}
				if token, err := k.Renew(t.Context(), rs.NewToken("at_1"), "grant_revoked"); err == nil {
					t.Errorf("%q is used in place of another", token.Reveal())
				}
				if stored := k.stored(t).Credential.AccessToken; stored != "at_2" {
					t.Error("the renewal is lost")
				}
				k.now = k.now.Add(renewPause)
				hungUp, hangUp := context.WithCancel(t.Context())
				hangUp()
				if token, err := k.Token(hungUp); err == nil || rs.AsError(err).Code != "canceled" {
					t.Errorf("of a caller who hung up: %q, %v", token.Reveal(), err)
				}
				answer = last
				token, err := k.Token(t.Context())
				if (err == nil) != (want == "") || err != nil && rs.AsError(err).Code != want || err == nil && token.Reveal() != "at_2" {
					t.Errorf("%d: %q, %v", last, token.Reveal(), err)
				}
			})
		}
	}
}
