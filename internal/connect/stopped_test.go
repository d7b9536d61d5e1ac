package connect

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// If the program is stopped while the owner decides, it polls once more. An approved grant is revoked; if the decision stays unknown, the
// error says what to revoke. Any other decision is reported as usual.
func TestStoppedWhileTheOwnerDecides(t *testing.T) {
	const pending = "was stopped before the owner decided. Nothing is granted yet. What is approved on the open page from now on lives on there, and nothing reads it: revoke it"
	for _, row := range []struct {
		name, way, path, answers, says string
		asked, revoked                 int
	}{
		{"approved", "agent", agentPoll, "connect-32-agent-connect-pending connect-33-agent-connect-token", "the grant that the owner approved was revoked, because it could not be used: the program was stopped.", 2, 1},
		{"approved", "device", "/oauth/token", "connect-21-device-pending connect-23-device-token", "the grant that the owner approved was revoked", 2, 1},
		{"approved, too early for a second poll", "device", "/oauth/token", "connect-21-device-pending connect-22-device-slow-down connect-23-device-token", "was revoked", 3, 1},
		{"undecided", "agent", agentPoll, "connect-32-agent-connect-pending", pending, 2, 0},
		{"undecided", "device", "/oauth/token", "connect-21-device-pending", pending, 2, 0},
		{"denied", "agent", agentPoll, "connect-32-agent-connect-pending connect-35-agent-connect-denied", "the owner denied the request; nothing was granted", 2, 0},
		{"a network that is lost", "agent", agentPoll, "connect-32-agent-connect-pending hangs-up", "did not say in time whether the owner approved", 2, 0},
		{"a page", "agent", agentPoll, "connect-32-agent-connect-pending connect-29a-approval-page", "did not say in time whether the owner approved", 2, 0},
		{"a package", "agent", agentPoll, "connect-32-agent-connect-pending connect-38-agent-connect-package", "package of several sources", 2, 0},
	} {
		t.Run(row.way+" "+row.name, func(t *testing.T) {
			r, w := newReplay(t, with(good, row.path, row.answers)), newWorld()
			ctx, stop := context.WithCancel(t.Context())
			wait := w.Wait
			w.Wait = func(waiting context.Context, d time.Duration) error {
				if r.count(row.path) == 1 && waiting.Err() == nil {
					stop()
				}
				return wait(waiting, d)
			}
			_, err := Connect(ctx, Request{ProviderURL: r.URL, Source: "slack", Way: row.way}, w.Options)
			if err == nil || !strings.Contains(err.Error(), row.says) || r.count(row.path) != row.asked || r.count(revoke) != row.revoked {
				t.Errorf("polled %d times, revoked %d: %v", r.count(row.path), r.count(revoke), err)
			}
			var stopped *transport.StoppedError
			var failed *exit.Error
			if !errors.As(err, &stopped) && !errors.As(err, &failed) || strings.Contains(err.Error(), "client_token") {
				t.Errorf("%T %v", err, err)
			}
		})
	}
}

// If there is nothing to poll, the error says what to revoke once the owner has seen the page; before that, no grant can exist.
func TestStoppedWhereTheServerCannotBeAsked(t *testing.T) {
	for way, stopAt := range map[string]string{"browser": "", "code": "", "agent": "/oauth/par"} {
		r, w := newReplay(t, good), newWorld()
		ctx, stop := context.WithCancel(t.Context())
		r.before = func(path string) {
			if path == stopAt {
				stop()
			}
		}
		w.Open = func(string) error { stop(); return nil }
		w.Wait = func(ctx context.Context, _ time.Duration) error { <-ctx.Done(); return ctx.Err() }
		w.Ask = func(ctx context.Context) (string, error) { stop(); return "", ctx.Err() }
		_, err := Connect(ctx, Request{ProviderURL: r.URL, Source: "slack", Way: way}, w.Options)
		said := err != nil && strings.Contains(err.Error(), "lives on there, and nothing reads it: revoke it")
		if said != (stopAt == "") || !said && !errors.Is(err, context.Canceled) || strings.Contains(w.said.String(), "/consent?") && stopAt != "" {
			t.Errorf("%s: %v", way, err)
		}
	}
}

// If the program is stopped while a poll is being answered, it waits for the answer.
func TestStoppedWhileAPollIsAnswered(t *testing.T) {
	r, w := newReplay(t, good), newWorld()
	ctx, stop := context.WithCancel(t.Context())
	r.before = func(path string) {
		if path == agentPoll && r.asked[path] == nil {
			stop()
		}
	}
	_, err := Connect(ctx, Request{ProviderURL: r.URL, Source: "slack", Way: "agent"}, w.Options)
	if err == nil || !strings.Contains(err.Error(), "was stopped before the owner decided") || r.count(agentPoll) != 2 {
		t.Errorf("%v after %d polls", err, r.count(agentPoll))
	}
}

// If the browser returns at the moment the program is stopped, the code is exchanged and the grant is revoked.
func TestStoppedAsTheBrowserComesBack(t *testing.T) {
	r, w := newReplay(t, with(good, "/oauth/token", "connect-44-code-token")), newWorld()
	ctx, stop := context.WithCancel(t.Context())
	w.Open = browser(t)
	w.Wait = func(waiting context.Context, _ time.Duration) error {
		<-waiting.Done() // the browser has returned
		stop()
		return context.Canceled
	}
	if _, err := Connect(ctx, Request{ProviderURL: r.URL, Source: "slack", Way: "browser"}, w.Options); err == nil || r.count(revoke) != 1 {
		t.Errorf("revoked %d times, %v", r.count(revoke), err)
	}
}
