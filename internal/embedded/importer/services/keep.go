package services

import (
	"bytes"
	"io"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// Keep reads a note of Google Keep or what Google says of a photo, which has a file of its own.
func Keep(file io.Reader, name string) item.Records {
	return item.One(func() (item.Item, error) {
		content, err := item.ReadAll(file)
		if err != nil {
			return item.Item{}, err
		}
		fields, err := parse(item.NewParser(), bytes.TrimSpace(content), 0)
		if err != nil {
			return item.Item{}, err
		}
		note := gjson.ParseBytes(content)
		one := item.Item{Line: 1}
		one.Put("id", name)
		one.Put("created_at", microTime(note.Get("createdTimestampUsec").Int()))
		one.Put("edited_at", microTime(note.Get("userEditedTimestampUsec").Int()))
		taken, _ := secondTime(text(note, "photoTakenTime.timestamp"))
		one.Put("taken_at", taken)
		one.Put("labels", texts(note, "labels.#.name"))
		var lines []string
		for _, line := range list(note, "listContent") {
			mark := "[ ] "
			if line.Get("isChecked").Bool() {
				mark = "[x] "
			}
			lines = append(lines, mark+text(line, "text"))
		}
		one.Put("list", strings.Join(lines, "\n"))
		put(&one, fields, "id", "created_at", "edited_at", "createdTimestampUsec", "userEditedTimestampUsec", "listContent", "labels", "list",
			"textContentHtml")
		return one, nil
	})
}

// IsKeep reports that a file may be a note of Google Keep, or what Google says of a photo.
func IsKeep(_ string, start []byte) bool {
	return bytes.Contains(start, []byte(`"userEditedTimestampUsec"`)) || bytes.Contains(start, []byte(`"photoTakenTime"`))
}
