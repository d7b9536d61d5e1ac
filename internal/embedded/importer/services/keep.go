package services

import (
	"bytes"
	"io"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// Keep reads a note of Google Keep or what Google says of a photo, which has a file of its own.
func Keep(file io.Reader, name string) item.Reader {
	return item.One(func() (item.Item, error) {
		text, err := io.ReadAll(io.LimitReader(file, item.MaxLine+1))
		if err != nil {
			return item.Item{}, err
		}
		if len(text) > item.MaxLine {
			return item.Item{}, item.UnusableError{Reason: item.ErrTooLong.Error()}
		}
		fields, err := parse(item.NewParser(), bytes.TrimSpace(text), 0)
		if err != nil {
			return item.Item{}, err
		}
		var note struct {
			UserEditedTimestampUsec, CreatedTimestampUsec int64
			PhotoTakenTime                                struct{ Timestamp string }
			ListContent                                   []struct {
				Text      string
				IsChecked bool
			}
			Labels []struct{ Name string }
		}
		decode(text, &note)
		one := item.Item{Line: 1}
		one.Put("id", name)
		one.Put("created_at", microTime(note.CreatedTimestampUsec))
		one.Put("edited_at", microTime(note.UserEditedTimestampUsec))
		taken, _ := secondTime(note.PhotoTakenTime.Timestamp)
		one.Put("taken_at", taken)
		var lines, labels []string
		for _, line := range note.ListContent {
			mark := "[ ] "
			if line.IsChecked {
				mark = "[x] "
			}
			lines = append(lines, mark+line.Text)
		}
		for _, label := range note.Labels {
			labels = append(labels, label.Name)
		}
		one.Put("labels", labels)
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
