package embedded

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// What fields are called that hold a half of a person's name, without spaces and signs.
var (
	givenNames = []string{"firstname", "givenname", "forename", "vorname", "prénom", "prenom", "nombre", "nome", "voornaam", "förnamn",
		"fornavn"}
	familyNames = []string{"lastname", "familyname", "surname", "nachname", "nom", "nomdefamille", "apellido", "apellidos", "cognome",
		"sobrenome", "achternaam", "efternamn", "etternavn"}
)

// brief is what a record says first, where none of its stream's fields is called as titles are: the name of a person in two fields, or else
// its first short granted texts, but for keys and what a hit shows anyway. It is empty where the stream has a title, or only one text, in
// which the match is.
func (s access) brief(fields map[string]json.RawMessage) string {
	const most, chars = 3, 40
	var texts []string
	var given, family string
	candidates := 0
	for _, field := range s.Fields {
		if field.Role == "primary-title" {
			return ""
		}
		if !field.Lexical || field.Role != "" || field.Type != "string" && field.Type != "text" {
			continue
		}
		candidates++
		var text string
		_ = json.Unmarshal(fields[field.Name], &text) // null, and a number in a field of texts, leave it empty
		switch plain := model.PlainName(field.Name); {
		case given == "" && slices.Contains(givenNames, plain):
			given = text
		case family == "" && slices.Contains(familyNames, plain):
			family = text
		}
		if length := utf8.RuneCountInString(text); length > 0 && length <= chars && len(texts) < most {
			texts = append(texts, text)
		}
	}
	switch {
	case candidates < 2:
		return ""
	case given != "" && family != "" && utf8.RuneCountInString(given+family) <= maxTitle:
		return given + " " + family
	}
	return strings.Join(texts, ", ")
}
