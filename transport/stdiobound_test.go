package transport_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// A flood of calls over stdio: calls beyond the limit are refused at once, and a cancellation still gets through.
func TestStdioBoundsWhatIsUnderWay(t *testing.T) {
	begun, release := make(chan struct{}, transport.MaxCallsUnderWay+1), make(chan struct{})
	k := startTalk(t, func(ctx context.Context, call tools.Call) (tools.Reply, error) {
		begun <- struct{}{}
		select {
		case <-release:
		case <-ctx.Done():
		}
		return echo(ctx, call)
	})
	for i := range transport.MaxCallsUnderWay {
		k.say(callLine(strconv.Itoa(i+1), "echo"))
		<-begun
	}
	k.say(callLine(`"one too many"`, "echo"))
	if got := k.hear(); !strings.Contains(got, `"id":"one too many"`) || !strings.Contains(got, `"code":"too_many_calls"`) || !strings.Contains(got, "-32000") {
		t.Errorf("answer %s", got)
	}
	k.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if got := k.hear(); !strings.Contains(got, `"id":1,`) {
		t.Errorf("answer %s", got)
	}
	k.say(callLine(`"its place"`, "echo"))
	<-begun
	close(release)
	for range transport.MaxCallsUnderWay {
		if got := k.hear(); !strings.Contains(got, `"result"`) {
			t.Errorf("answer %s", got)
		}
	}
	if len(begun) != 0 {
		t.Errorf("%d calls began that were refused", len(begun))
	}
}
