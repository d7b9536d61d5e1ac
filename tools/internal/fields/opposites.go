package fields

import (
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// opposites has groups of words that exclude each other in the names of fields: a field with a word of one set is never meant by a name
// with a word of another, however similar the names are.
var opposites = [][]map[string]bool{
	{written.Set("from sender senders author authors by writer organizer organiser creator source origin"),
		written.Set("to recipient recipients receiver receivers addressee addressees reader target destination"),
		written.Set("cc copied copies"), written.Set("bcc")},
	{written.Set("buyer customer purchaser bought"), written.Set("seller vendor merchant shop store sold")},
	{written.Set("payer debtor"), written.Set("payee creditor beneficiary")},
	{written.Set("start starts started begin begins began"), written.Set("end ends ended finish finishes finished stop stopped")},
	{written.Set("created added inserted"), written.Set("deleted removed archived trashed")},
	{written.Set("opened open opens"), written.Set("closed close closes")},
	{written.Set("departure departs departed"), written.Set("arrival arrives arrived")},
	{written.Set("debit debits expense expenses spent outgoing outbound"), written.Set("credit credits income earned incoming inbound")},
	{written.Set("first"), written.Set("last")}, {written.Set("old previous before"), written.Set("new next after")},
	{written.Set("min minimum lowest"), written.Set("max maximum highest")},
	{written.Set("latitude lat"), written.Set("longitude lon lng")},
	{written.Set("upload uploaded"), written.Set("download downloaded")}, {written.Set("follower followers"), written.Set("following")},
}

// UnreadRecipients returns those of some fields that have recipients and that neither a search nor a filter reads, such as lists.
func UnreadRecipients(all []rs.SchemaField) (names []string) {
	for _, f := range all {
		isTo := func(set map[string]bool) bool { return set[written.Snake(f.Name)] }
		if f.Granted && !f.Exact && !f.Lexical && slices.ContainsFunc(opposites[0][1:], isTo) {
			names = append(names, f.Name)
		}
	}
	return names
}

// party matches the name of a sender or recipient with what of it is meant.
var party = written.Expression(`^(?:sent_|written_)?(from|sender|author|by|to|cc|bcc|recipients?|receivers?|addressees?)` +
	`(?:_(?:names?|e_?mails?|mail|address|addresses|user|person))?$`)

// excludes reports whether a name cannot mean a field, because the two are opposites. The actor of a record is its sender.
func excludes(name string, f rs.SchemaField) bool {
	words, own := strings.Split(written.Snake(name), "_"), strings.Split(written.Snake(f.Name), "_")
	if f.Role == "actor" {
		own = append(own, "from")
	}
	only := func(these, others []string) func(set map[string]bool) bool {
		in := func(words []string, set map[string]bool) bool {
			return slices.ContainsFunc(words, func(word string) bool { return set[word] })
		}
		return func(set map[string]bool) bool { return in(these, set) && !in(others, set) }
	}
	return slices.ContainsFunc(opposites, func(sets []map[string]bool) bool {
		return slices.ContainsFunc(sets, only(words, own)) && slices.ContainsFunc(sets, only(own, words))
	})
}
