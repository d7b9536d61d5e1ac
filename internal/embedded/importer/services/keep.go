package services

import (
	"bytes"
	"io"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
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
		one.Put("created_at", table.Since1970(note.Get("createdTimestampUsec").String(), time.Microsecond))
		one.Put("edited_at", table.Since1970(note.Get("userEditedTimestampUsec").String(), time.Microsecond))
		one.Put("taken_at", table.Since1970(text(note, "photoTakenTime.timestamp"), time.Second))
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
