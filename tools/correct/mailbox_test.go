package correct_test

import (
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
)

// A mail folder named by its path becomes a condition on the stream that has the mail of all folders.
func TestAMailFolderBecomesACondition(t *testing.T) {
	response := rs.Response{Body: `{"detail":"compact","connectors":[{"connector_key":"files","granted_connections":[{"connection_id":"cin_f"}],"streams":[` +
		`{"name":"Outlook","field_capabilities":{"subject":"t=text,eq,lex","from_email":"t=string,eq","mailbox":"t=array,eq"}},` +
		`{"name":"Takeout_All_mail","field_capabilities":{"subject":"t=text,eq,lex","from_email":"t=string,eq","sent_at":"t=timestamp,role=event-time,eq"}},` +
		`{"name":"bank","field_capabilities":{"day":"t=date,eq"}},{"name":"Outlook_attachments","field_capabilities":{"name":"t=text,eq"}}]}]}`}
	schema := response.Schema()
	grant := correct.Grant{Sources: correct.Sources(schema), Schema: schema}
	for sent, want := range map[string]string{
		`query_records {"stream":"Outlook/Inbox"}`:                                    `query_records {"stream":"Outlook","filter":{"mailbox":"Inbox"}}`,
		`query_records {"stream":"Outlook_Sent_Items"}`:                               `query_records {"stream":"Outlook","filter":{"mailbox":"Sent Items"}}`,
		`query_records {"stream":"outlook/Sent Items/"}`:                              `query_records {"stream":"Outlook","filter":{"mailbox":"Sent Items"}}`,
		`aggregate {"stream":"Outlook/In","metric":"count","filter":{"subject":"a"}}`: `aggregate {"stream":"Outlook","metric":"count","filter":{"subject":"a","mailbox":"In"}}`,
		`schema {"stream":"Outlook/Inbox"}`:                                           `schema {"stream":"Outlook"}`,
		`query_records {"stream":"Outlook/attachments"}`:                              "",
		`query_records {"stream":"bank/Inbox"}`:                                       "",
		`query_records {"stream":"Outlook_attachment"}`:                               "", `query_records {"stream":"Outlook/Inbox","connection_id":"cin_g"}`: "",
		`query_records {"stream":"Outlook"}`: "",
	} {
		tool, arguments, _ := strings.Cut(sent, " ")
		args, _ := argumentsOf(arguments)
		if call, ok := grant.InFolder(toolNamed(t, tool), args); ok != (want != "") || ok && call.String() != want {
			t.Errorf("%s leads to %s; want %s", sent, call, want)
		}
	}
	for sent, want := range map[string]string{
		"Outlook_Inbox": `query_records {"stream":"Outlook","filter":{"mailbox":"Inbox"}}`, "emails": `query_records {"stream":"Takeout_All_mail"}`,
	} {
		args, _ := argumentsOf(`{"stream":"` + sent + `"}`)
		if found := grant.Missing(toolNamed(t, "query_records"), args); found == nil || found.Send != want {
			t.Errorf("%s leads to %+v; want %s", sent, found, want)
		}
	}
}
