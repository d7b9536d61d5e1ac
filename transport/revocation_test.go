package transport_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// A revocation is felt at the HTTP chain within the time that the authority's word is believed, and at once when the resource
// server answers 401 (D7).
func TestARevocationIsFelt(t *testing.T) {
	const query = `{"stream":"messages","connection_id":"CONNECTION"}`
	for _, test := range []struct {
		name   string
		pkg    bool
		change func(*realm, *bearer)
		after  time.Duration // between the change and the call
		status int
		says   string // a part of the answer
		reads  int    // what the resource server hears of the call
	}{
		{name: "who is not revoked is served", change: func(*realm, *bearer) {}, after: time.Hour, status: 200, says: "stampg", reads: 1},
		{
			name: "a client that only the authority ended is served while its word is believed", after: 59 * time.Second,
			change: func(w *realm, b *bearer) { w.end(b, false) }, status: 200, says: "stampg", reads: 1,
		},
		{
			name: "a client that only the authority ended is out after a minute, and nothing is read", after: time.Minute,
			change: func(w *realm, b *bearer) { w.end(b, false) }, status: 401, says: `"grant_revoked"`,
		},
		{
			name:   "D7 a client that the resource server refuses as well is out at once",
			change: func(w *realm, b *bearer) { w.end(b, true) }, status: 401, says: `"grant_revoked"`, reads: 1,
		},
		{
			name:   "D7 a client that the resource server refuses, and the authority does not, gets its answer",
			change: func(w *realm, b *bearer) { w.change(func(time.Time) { b.refusedByRS = true }) }, status: 200, says: "context.stream_not_allowed", reads: 2,
		},
		{
			name:   "D7 a client that is refused while the authority is down gets the answer of the resource server",
			change: func(w *realm, b *bearer) { w.end(b, true); w.change(func(time.Time) { w.down = true }) }, status: 200, says: "context.active_false", reads: 1,
		},
		{
			name: "who is known is served while the authority is down", after: 59 * time.Second,
			change: func(w *realm, _ *bearer) { w.change(func(time.Time) { w.down = true }) }, status: 200, says: "stampg", reads: 1,
		},
		{
			name: "an authority that is down for longer opens no chain", after: time.Minute,
			change: func(w *realm, _ *bearer) { w.change(func(time.Time) { w.down = true }) }, status: 503, says: `"authority_unreachable"`,
		},
		{
			name: "a package that only the authority ended is out after a minute, and nothing is read", pkg: true, after: time.Minute,
			change: func(w *realm, b *bearer) { w.end(b, false) }, status: 401, says: `"grant_revoked"`,
		},
		{
			name: "D7 a package whose member the resource server refuses is out at once", pkg: true,
			change: func(w *realm, b *bearer) { w.end(b, true) }, status: 401, says: `"grant_revoked"`, reads: 1,
		},
		{
			name: "D14 a member that the resource server refuses costs the package nothing else", pkg: true,
			change: func(w *realm, b *bearer) { w.end(b.members[0].bearer, true) }, status: 200, says: "context.active_false", reads: 1,
		},
		{
			name: "a member that left the package is not read after a minute", pkg: true, after: time.Minute,
			change: func(w *realm, b *bearer) { w.change(func(now time.Time) { b.members[0].until = now }) }, status: 200, says: "unknown_connection",
		},
		{
			name: "a package that lost all its members is served an error, and nothing is read", pkg: true, after: time.Minute,
			change: func(w *realm, b *bearer) {
				w.change(func(now time.Time) {
					for i := range b.members {
						b.members[i].until = now
					}
				})
			}, status: 200, says: "connection_not_found",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := &machine{realm: newRealm(t)}
			m.url = m.mount(t, nil)
			b := m.issue()
			connection := b.connection()
			if test.pkg {
				b = m.issue(m.issue(), m.issue())
				connection = b.members[0].connection()
			}
			arguments := strings.Replace(query, "CONNECTION", connection, 1)
			if status, answer, err := m.post(t.Context(), b.token, "query_records", arguments, true); err != nil || status != http.StatusOK ||
				!strings.Contains(answer, "stampg") {
				t.Fatalf("before: %d %s %v", status, answer, err)
			}
			before := len(m.reads())
			test.change(m.realm, b)
			m.clock.advance(test.after)
			status, answer, err := m.post(t.Context(), b.token, "query_records", arguments, true)
			if err != nil || status != test.status || !strings.Contains(answer, test.says) {
				t.Errorf("%d %s %v; want %d and %q", status, answer, err, test.status, test.says)
			}
			if got := len(m.reads()) - before; got != test.reads {
				t.Errorf("the resource server was asked %d times, want %d", got, test.reads)
			}
			if challenged := strings.Contains(answer, "resource_metadata="); challenged != (test.status == 401) {
				t.Errorf("challenged: %v, in %s", challenged, answer)
			}
			if waits := strings.Contains(answer, "Retry-After:"); waits != (test.status == 503) {
				t.Errorf("Retry-After: %v, in %s", waits, answer)
			}
		})
	}
}

// A token that ends by itself is out when the clocks can no longer be to blame.
func TestAnExpiryIsFelt(t *testing.T) {
	m := &machine{realm: newRealm(t)}
	m.url = m.mount(t, nil)
	b := m.issueUntil(m.clock.now().Add(10 * time.Second))
	for _, step := range []struct {
		name    string
		advance time.Duration
		status  int
	}{
		{"before its expiry it is served", 0, 200},
		{"just after, the authority's clock may be ahead of ours", 15 * time.Second, 200},
		{"half a minute after, it is out", 30 * time.Second, 401},
	} {
		m.clock.advance(step.advance)
		if status, answer, err := m.post(t.Context(), b.token, "search", `{"q":"call0z"}`, false); err != nil || status != step.status {
			t.Errorf("%s: %d %s %v", step.name, status, answer, err)
		}
	}
}
