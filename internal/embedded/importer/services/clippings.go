package services

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

var (
	clippingEnd   = []byte("==========")
	clippingTitle = item.Expression(`^(.*?)(?: \(([^()]*)\))?$`)
	clippingPart  = item.Expression(` *\| *`)
	// clippingDate is the date behind "Added on", in the language of the Kindle.
	clippingDate = item.Expression(`^(?:Added on|Hinzugefügt am|Ajoutée? le|Añadido el|Aggiunto (?:in data|il)|Toegevoegd op|` +
		`Adicionado(?:: | em )|Добавлено:|添加于|作成日[:：]|追加日[:：]) ?(.*)$`)
	// easternDate is one in Chinese or Japanese, which may name the half of the day: "2024年3月5日星期二 下午9:12:45".
	easternDate = item.Expression(`^(\d{4})年(\d{1,2})月(\d{1,2})日\S* (上午|下午|午前|午後)? ?(\d{1,2}:\d{2}(?::\d{2})?)$`)
	russianDate = item.Expression(`^\pL+, (\d{1,2}) (\pL+) (\d{4}) г\. в (\d{1,2}:\d{2}:\d{2})$`)
	// russianMonths are the beginnings of their names.
	russianMonths = []string{"янв", "фев", "мар", "апр", "мая", "июн", "июл", "авг", "сен", "окт", "ноя", "дек"}
)

// clippingKinds are what a person leaves in a book, as the line above it says in the language of the Kindle.
var clippingKinds = []struct {
	kind string
	word func() *regexp.Regexp
}{
	{"clip", item.Expression(`(?i)\bclip\b`)}, // of an article
	{"bookmark", item.Expression(`(?i)bookmark|lesezeichen|signet|marcador|segnalibro|bladwijzer|закладк|ブックマーク|书签|書籤|북마크`)},
	{"highlight", item.Expression(`(?i)highlight|markierung|surlign|subrayad|evidenzia|destaque|markering|выделен|ハイライト|标注|標註|하이라이트`)},
	{"note", item.Expression(`(?i)\bnot(?:e|a|iz|itie)\b|заметк|メモ|笔记|筆記|메모`)},
}

// Clippings reads what a person marked and noted on a Kindle.
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
	for _, left := range clippingKinds {
		if left.word().MatchString(place) {
			one.Put("kind", left.kind)
			break
		}
	}
	one.Put("place", strings.Trim(place, ", "))
	if added := clippingDate().FindStringSubmatch(parts[len(parts)-1]); added != nil {
		one.Put("created_at", clippedAt(added[1]))
	}
	one.Put("text", strings.TrimSpace(strings.Join(lines[2:], "\n")))
	return one, nil
}

// clippedAt reads the date of a clipping. One that cannot be read stays as it is written.
func clippedAt(text string) string {
	plain := text
	if part := easternDate().FindStringSubmatch(text); part != nil {
		half := map[string]string{"上午": " AM", "午前": " AM", "下午": " PM", "午後": " PM"}[part[4]]
		plain = part[1] + "/" + part[2] + "/" + part[3] + " " + part[5] + half
	} else if part := russianDate().FindStringSubmatch(text); part != nil {
		month := slices.IndexFunc(russianMonths, func(begin string) bool { return strings.HasPrefix(part[2], begin) })
		plain = part[3] + "/" + strconv.Itoa(month+1) + "/" + part[1] + " " + part[4]
	}
	if at := table.Moment(plain); item.IsTimestamp(at) {
		return at
	}
	return text
}
