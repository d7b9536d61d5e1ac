package connect

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

// Waiting for a code ends at the announced time, or with the program.
func TestWaitingForACodeEnds(t *testing.T) {
	r, w := newReplay(t, good), newWorld()
	w.Ask = func(ctx context.Context) (string, error) {
		if _, ends := ctx.Deadline(); !ends {
			t.Error("the wait does not end")
		}
		return "", context.DeadlineExceeded
	}
	_, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Way: "code"}, w.Options)
	var failed *exit.Error
	if !errors.As(err, &failed) || failed.Code != exit.NotReady || !strings.Contains(failed.Message, "nobody approved in time") {
		t.Error(err)
	}
	stopped, stop := context.WithCancel(t.Context())
	w.Ask = func(ctx context.Context) (string, error) {
		stop()
		<-ctx.Done()
		return "", ctx.Err()
	}
	if _, err = Connect(stopped, Request{ProviderURL: r.URL, Source: "slack", Way: "code"}, w.Options); err == nil || !strings.Contains(err.Error(), "was stopped") {
		t.Error(err)
	}
}

// The QR code leaves space for all lines that are printed below it.
func TestTheQRCodeLeavesSpaceForLaterLines(t *testing.T) {
	for _, way := range []string{"agent", "code"} {
		r, w := newReplay(t, with(good, agentPoll, "connect-32-agent-connect-pending")), newWorld()
		_, _ = Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Way: way}, w.Options)
		below := w.following[:strings.LastIndexByte(w.following, '\n')]
		if !strings.HasSuffix(w.said.String(), below+"\n") {
			t.Errorf("%s: below the drawing is\n%s\nsaid was\n%s", way, below, w.said.String())
		}
	}
}
