package foreign

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A Flag is a flag of messages: the names of fields for it, and the value that is meant.
type Flag struct {
	Fields []string
	Value  string
}

var (
	attached = []string{"has_attachments", "has_attachment"}
	seen     = []string{"is_seen", "is_read", "seen", "read"}
	flagged  = []string{"is_flagged", "is_starred", "flagged", "starred"}
)

// Flags maps the words for flags of messages, as operators of a query name them.
var Flags = map[string]Flag{
	"has:attachment": {attached, "true"}, "has:attachments": {attached, "true"},
	"is:seen": {seen, "true"}, "is:read": {seen, "true"}, "is:unseen": {seen, "false"}, "is:unread": {seen, "false"},
	"is:flagged": {flagged, "true"}, "is:starred": {flagged, "true"}, "is:unflagged": {flagged, "false"}, "is:unstarred": {flagged, "false"},
}

// flagWords maps words for flags in other languages to the English word.
var flagWords = written.ByWord(map[string]string{
	"attachments": "anhang anhänge anhängen anlage anlagen jointe jointes adjunto adjuntos allegato allegati anexo anexos bijlage bijlagen",
	"unread":      "ungelesen ungelesene ungelesenen ungelesener ongelezen",
	"read": "gelesen gelesene gelesenen lu lus lue lues leído leídos leída leídas letto letti letta lette " +
		"lido lidos lida lidas gelezen",
	"flagged": "markiert markierte markierten gekennzeichnete marcados contrassegnati gemarkeerd",
})

// FlagOf returns the field for a flag of messages that is sent under another name, such as is_seen for unread, and the value that is
// meant; "" for none. has reports whether a stream has a field.
func FlagOf(name, value string, has func(field string) bool) (field, meant string) {
	plain, denied := strings.CutPrefix(strings.TrimPrefix(written.Snake(name), "is_"), "not_")
	text, _ := written.Text(value)
	known, truth := Flags["is:"+plain], written.Truth(value)
	if flag, ok := Flags[plain+":"+strings.ToLower(text)]; ok { // {"is":"unread"}
		known, truth = flag, "true"
	}
	at := slices.IndexFunc(known.Fields, has)
	if at < 0 || has(name) || truth == "" {
		return "", ""
	}
	return known.Fields[at], strconv.FormatBool((truth == known.Value) != denied)
}

// FlagNamed returns the field of type boolean that a word names, such as is_flagged for "flagged", and the value that it means: false for
// "unflagged". A field can filter exactly; the name is "" if no word names one.
func FlagNamed(all []rs.SchemaField, words []string) (name, value, word string) {
	for _, f := range all {
		if !f.Granted || !f.Exact || !strings.HasPrefix(f.Type, "boolean") {
			continue
		}
		stated := strings.TrimPrefix(strings.TrimPrefix(written.Snake(f.Name), "is_"), "has_")
		for _, word := range words {
			lower := strings.ToLower(word)
			lower = cmp.Or(flagWords[lower], lower)
			field, meant := FlagOf(lower, "true", func(name string) bool { return name == written.Snake(f.Name) })
			switch {
			case field != "":
				return f.Name, meant, word
			case written.IsForm(lower, "", stated):
				return f.Name, "true", word
			case lower == "un"+stated:
				return f.Name, "false", word
			}
		}
	}
	return "", "", ""
}

// Beyond returns a query without the words that say what the conditions of a stream say, such as unread for is_seen, and without those that
// name the stream beside them. It is unchanged if other words remain and none says so.
func Beyond(q, stream string, conditions rs.Object) string {
	stated := false
	left := slices.DeleteFunc(strings.Fields(q), func(word string) bool {
		says := slices.ContainsFunc(conditions, func(c rs.Member) bool {
			value, _ := rs.AsText(c.Value)
			flag := rs.SchemaField{Name: c.Name, Granted: true, Exact: true, Type: "boolean"}
			name, _, _ := FlagNamed([]rs.SchemaField{flag}, []string{word})
			return name != "" && (value == "true" || value == "false") || strings.EqualFold(value, word)
		})
		stated = stated || says
		return says || fields.Calls(word, stream)
	})
	if stated || len(left) == 0 {
		return strings.Join(left, " ")
	}
	return q
}
