package foreign_test

import (
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
)

// Words of a query that say what a filter says are left out, and beside them those that name its stream.
func TestTheWordsOfAQueryBeyondAFilter(t *testing.T) {
	for _, row := range []struct{ q, stream, filter, want string }{
		{"unread mail", "messages", `{"is_seen":false}`, ""},
		{"unread mails Birgit", "messages", `{"is_seen":false}`, "Birgit"},
		{"starred", "messages", `{"is_flagged":true}`, ""},
		{"returned orders", "orders", `{"status":"returned"}`, ""},
		{"orders", "orders", `{"status":"returned"}`, ""},
		{"order confirmation", "orders", `{"status":"returned"}`, "order confirmation"},
		{"mail server", "messages", `{"from_name":"Ann"}`, "mail server"},
		{" ", "messages", `{"is_seen":false}`, ""},
	} {
		if got := foreign.Beyond(row.q, row.stream, rs.AsObject(row.filter)); got != row.want {
			t.Errorf("%q beyond %s: %q, want %q", row.q, row.filter, got, row.want)
		}
	}
}
