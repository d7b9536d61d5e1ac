package fields_test

import (
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
)

// A name never means a field with the opposite word, however similar the two are.
func TestOppositesAreNotNear(t *testing.T) {
	for name, field := range map[string]string{
		"to_name": "from_name", "from_name": "to_name", "To.email": "from_email", "bcc": "cc", "cc": "to", "reader": "author", "buyer_name": "seller_name",
		"start_time": "end_time", "ends_at": "starts_at", "created_at": "deleted_at", "deletedAt": "created_at", "first_name": "last_name",
		"min_price": "max_price", "debit_amount": "credit_amount", "opened_at": "closed_at", "departure_time": "arrival_time", "uploaded_at": "downloaded_at",
		"recipient_name": "sender_name", "home_latitude": "home_longitude",
	} {
		stream := fields.Stream{Name: "records", Fields: []rs.SchemaField{{Name: field, Type: "string", Granted: true, Exact: true}}}
		if near := stream.Near(name, nil); len(near) > 0 {
			t.Errorf("%s is taken for %s", name, field)
		}
	}
	actor := fields.Stream{Name: "chat", Fields: []rs.SchemaField{{Name: "user_name", Type: "string", Granted: true, Exact: true, Role: "actor"}}}
	if near := actor.Near("to_name", nil); len(near) > 0 {
		t.Error("a recipient is taken for the one who wrote")
	}
	if near := actor.Near("from_user", nil); len(near) == 0 {
		t.Error("a sender is not taken for the one who wrote")
	}
}
