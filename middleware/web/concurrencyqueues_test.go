package web

import (
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// A queue is removed after the last call, however the call ended: otherwise a caller with ever new tokens would fill the memory.
func TestNoQueueIsLeftBehind(t *testing.T) {
	for name, limits := range map[string]Limits{
		"a grant's own queue is full": {CallsPerGrant: 1},
		"the queue of all is full":    {CallsPerGrant: 2, Calls: 1},
	} {
		t.Run(name, func(t *testing.T) {
			queues, made := newConcurrencyLimits(limits), 0
			newQueue := queues.callers.Make
			queues.callers.Make = func(key rsclient.CallerKey) queue { made++; return newQueue(key) }
			key := rsclient.CallerKey{GrantID: "1"}
			release, refusal := queues.acquire(t.Context(), key, 1, time.Minute)
			if refusal != nil {
				t.Fatal(refusal)
			}
			if _, refusal := queues.acquire(t.Context(), key, 1, 0); refusal == nil {
				t.Fatal("a second call is under way")
			}
			if made != 1 {
				t.Errorf("%d queues while a call is under way, want 1", made)
			}
			release()
			if release, _ = queues.acquire(t.Context(), key, 1, 0); made != 2 {
				t.Error("the queue was left behind")
			}
			release()
		})
	}
}
