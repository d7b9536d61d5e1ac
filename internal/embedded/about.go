package embedded

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// An about has the title, actor and time of a record, and the name of the field with that time. The values may come from the record that it
// is a part of. All are granted.
type about struct{ title, actor, at, by string }

// about describes a record. A record without a time takes the time, and the actor if it has none, of the granted record that it is a part
// of. The only part of a record (has_one), such as the body of a message, also takes its title.
func (c *call) about(s access, fields rs.Object) about {
	found := s.about(fields)
	if found.at != "" {
		return found
	}
	for _, parent := range c.sources {
		for _, relation := range parent.Stream.Relations {
			part, followed := c.target(parent, relation)
			if !followed || part.Table != s.Table || part.Connection.ID != s.Connection.ID || !fields.Has(relation.ForeignKey) {
				continue
			}
			stored, ok := c.find(parent, fields.JSONString(relation.ForeignKey))
			if !ok {
				continue
			}
			whole := parent.about(fieldsOf(stored))
			found.at, found.by, found.actor = whole.at, whole.by, cmp.Or(found.actor, whole.actor)
			if relation.Cardinality == "has_one" {
				found.title = cmp.Or(whole.title, found.title)
			}
			return found
		}
	}
	return found
}

func (s access) about(fields rs.Object) about {
	found := about{title: s.textOf(fields, "primary-title"), actor: s.textOf(fields, "actor")}
	if found.title == "" && found.actor == "" {
		found.title = s.brief(fields)
	}
	status := strings.ToLower(fields.JSONString("status"))
	if _, ok := s.Granted("status"); ok && found.title != "" && (status == "cancelled" || status == "canceled") {
		found.title = "Cancelled: " + found.title // a hit without this would look like an event that takes place
	}
	for _, name := range s.TimeFields {
		if _, ok := s.Granted(name); ok && fields.JSONString(name) != "" {
			found.at, found.by = fields.JSONString(name), name
			return found
		}
	}
	return found
}

// maxTitle is the most code points of a title or an actor in a hit: in some streams the title is the whole text.
const maxTitle = 120

// textOf returns the first non-empty granted text of a role, truncated to maxTitle.
func (s access) textOf(fields rs.Object, role string) string {
	for _, field := range s.Fields {
		if text := fields.JSONString(field.Name); field.Role == role && text != "" {
			if runes := []rune(text); len(runes) > maxTitle {
				return string(runes[:maxTitle-1]) + "…"
			}
			return text
		}
	}
	return ""
}

// brief is a title for a record of a stream without a title field: its first three granted texts of up to 40 code points, except keys and
// fields that a hit shows anyway. It is "" if the stream has a title, or only one such field: then the excerpt shows the text.
func (s access) brief(fields rs.Object) string {
	const most, chars = 3, 40
	var texts []string
	candidates := 0
	for _, field := range s.Fields {
		if field.Role == "primary-title" {
			return ""
		}
		if !field.Lexical || field.Role != "" || field.Type != "string" && field.Type != "text" {
			continue
		}
		candidates++
		text := fields.JSONString(field.Name)
		if length := utf8.RuneCountInString(text); length > 0 && length <= chars && len(texts) < most {
			texts = append(texts, text)
		}
	}
	if candidates < 2 {
		return ""
	}
	return strings.Join(texts, ", ")
}
