package services

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

var (
	clippingEnd   = []byte("==========")
	clippingTitle = item.Expression(`^(.*?)(?: \(([^()]*)\))?$`)
	clippingPart  = item.Expression(` *\| *`)
	// clippingDate matches the date after "Added on", in the language of the Kindle.
	clippingDate = item.Expression(`^(?:Added on|Hinzugefügt am|Ajoutée? le|Añadido el|Aggiunto (?:in data|il)|Toegevoegd op|` +
		`Adicionado(?:: | em )|Добавлено:|添加于|作成日[:：]|追加日[:：]) ?(.*)$`)
)

// clippingKinds are the kinds of clippings, each with the words in the second line of a clipping that mean it in any language of a Kindle.
var clippingKinds = []struct {
	kind string
	word func() *regexp.Regexp
}{
	{"clip", item.Expression(`(?i)\bclip\b`)}, // of an article
	{"bookmark", item.Expression(`(?i)bookmark|lesezeichen|signet|marcador|segnalibro|bladwijzer|закладк|ブックマーク|书签|書籤|북마크`)},
	{"highlight", item.Expression(`(?i)highlight|markierung|surlign|subrayad|evidenzia|destaque|markering|выделен|ハイライト|标注|標註|하이라이트`)},
	{"note", item.Expression(`(?i)\bnot(?:e|a|iz|itie)\b|заметк|メモ|笔记|筆記|메모`)},
}

// Clippings reads the highlights, notes and bookmarks of a Kindle.
func Clippings(file io.ReadSeeker) item.Records {
	lines := item.NewLines(item.Buffer(file))
	return item.Each(func() (item.Item, error) { return clipping(lines) })
}

func clipping(from *item.Lines) (item.Item, error) {
	var lines []string
	one := item.Item{Line: from.Number + 1}
	for size := 0; ; {
		line, err := from.Next()
		if size += len(line); errors.Is(err, item.ErrTooLong) || size > item.MaxLine {
			return one, item.UnusableError{Line: from.Number, Reason: item.ErrTooLong.Error()}
		}
		ends := errors.Is(err, io.EOF)
		if err != nil && (!ends || len(lines) == 0) {
			return one, err
		}
		if ends || bytes.HasPrefix(line, clippingEnd) {
			break
		}
		lines = append(lines, strings.TrimRight(utf8text.Mend(string(line)), "\r\n"))
	}
	if len(lines) < 2 {
		return one, item.Unusable(one.Line, "not a clipping: it has no line of what it is")
	}
	title := clippingTitle().FindStringSubmatch(strings.TrimSpace(strings.TrimPrefix(lines[0], item.ByteOrderMark)))
	one.Put("title", title[1])
	one.Put("author", title[2])
	parts := clippingPart().Split(strings.TrimLeft(lines[1], "-– "), -1)
	place := strings.Join(parts[:len(parts)-1], ", ")
	for _, candidate := range clippingKinds {
		if candidate.word().MatchString(place) {
			one.Put("kind", candidate.kind)
			break
		}
	}
	one.Put("place", strings.Trim(place, ", "))
	if added := clippingDate().FindStringSubmatch(parts[len(parts)-1]); added != nil {
		one.Put("created_at", table.Moment(added[1]))
	}
	one.Put("text", strings.TrimSpace(strings.Join(lines[2:], "\n")))
	return one, nil
}
