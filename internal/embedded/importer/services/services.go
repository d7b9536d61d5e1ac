// Package services reads what online services export: mostly JSON, in shapes of their own.
package services

import (
	"bytes"
	"encoding/json"
	"errors"
	"html"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/htmltext"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/objects"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
)

// A shaped reader makes other records of those that it reads.
type shaped struct {
	from  item.Reader
	shape func(item.Item) (item.Item, error)
}

func (s shaped) Next() (item.Item, error) {
	one, err := s.from.Next()
	if err != nil {
		return one, err
	}
	return s.shape(one)
}

// decode reads a record into a struct. What has another type than expected is left empty.
func decode(one item.Item, into any) {
	_ = json.Unmarshal(one.Data(), into) // it is an object, and the rest of it is read
}

// put takes over fields of a record that have not been put in other words.
func put(one *item.Item, fields []item.Field, but ...string) {
	for _, field := range fields {
		if !slices.Contains(but, field.Name) {
			one.Fields = append(one.Fields, field)
		}
	}
}

// X reads a file of an archive of X, which was called Twitter: a script that gives a list to a variable. Each item is in an object of its
// own.
func X(file io.ReadSeeker) item.Reader {
	parser := item.NewParser()
	return &parted{parts: directMessages, from: shaped{objects.NewArray(&afterAssignment{file}), func(one item.Item) (item.Item, error) {
		if len(one.Fields) == 1 && one.Fields[0].Value[0] == '{' {
			fields, err := parser.Parse(one.Fields[0].Value)
			if err != nil {
				return one, item.UnusableError{Line: one.Line, Reason: err.Error()}
			}
			one.Fields, one.Text = fields, nil
		}
		for index, field := range one.Fields {
			switch text := one.String(field.Name); {
			case strings.HasSuffix(field.Name, "_at"):
				one.Fields[index].Value, one.Text = item.JSON(table.Moment(text)), nil
			case strings.HasSuffix(field.Name, "_count") && table.IsNumber(text):
				one.Fields[index].Value, one.Text = []byte(text), nil
			case field.Name == "full_text" || field.Name == "fullText":
				one.Fields[index].Value, one.Text = item.JSON(html.UnescapeString(text)), nil
			}
		}
		return one, nil
	}}}
}

// A parted reader yields what records consist of, such as the messages of conversations.
type parted struct {
	from    item.Reader
	parts   func(item.Item) []item.Item
	pending []item.Item
}

func (p *parted) Next() (item.Item, error) {
	for len(p.pending) == 0 {
		one, err := p.from.Next()
		if err != nil {
			return one, err
		}
		p.pending = p.parts(one)
	}
	one := p.pending[0]
	p.pending = p.pending[1:]
	return one, nil
}

// directMessages are the messages of a conversation of X, or another record as it is.
func directMessages(one item.Item) (messages []item.Item) {
	var conversation struct {
		ConversationID string
		Messages       []map[string]json.RawMessage
	}
	if _, ok := one.Value("conversationId"); ok {
		decode(one, &conversation)
	}
	if len(conversation.Messages) == 0 {
		return []item.Item{one}
	}
	for _, message := range conversation.Messages {
		for kind, value := range message { // one, as in {"messageCreate": {…}}
			fields, err := item.NewParser().Parse(value)
			if err != nil {
				continue
			}
			made := item.Item{Line: one.Line}
			made.Put("conversation_id", conversation.ConversationID)
			made.Put("kind", kind)
			made.Fields = append(made.Fields, fields...)
			messages = append(messages, made)
		}
	}
	return messages
}

// An afterAssignment is a script from behind its first "=" on.
type afterAssignment struct{ file io.ReadSeeker }

func (a *afterAssignment) Read(into []byte) (int, error) { return a.file.Read(into) }

// maxAssignment is how far in a script the assignment is looked for, in bytes.
const maxAssignment = 4096

func (a *afterAssignment) Seek(int64, int) (int64, error) {
	if _, err := a.file.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	var one [1]byte
	for range maxAssignment {
		if _, err := io.ReadFull(a.file, one[:]); err != nil || one[0] == '=' {
			return 0, nil //nolint:nilerr // what comes then is no array, which its reader reports
		}
	}
	return 0, errors.New("not a script of an archive of X")
}

// IsX reports that a script begins as those of an archive of X do.
func IsX(start []byte) bool {
	begin, _, ok := bytes.Cut(start, []byte("="))
	return ok && bytes.HasPrefix(bytes.TrimSpace(begin), []byte("window.YTD.")) && len(begin) < maxAssignment
}

// Mastodon reads what a person posted and boosted: an outbox of ActivityPub.
func Mastodon(file io.ReadSeeker) item.Reader {
	return shaped{objects.NewArray(file, "orderedItems"), func(one item.Item) (item.Item, error) {
		var activity struct {
			ID, Type, Published string
			Object              json.RawMessage
		}
		decode(one, &activity)
		var post struct {
			ID, URL, Content, Summary, InReplyTo, Published string
			To, CC                                          []string
			Tag                                             []struct{ Type, Name string }
			Attachment                                      []struct{ URL, Name string }
		}
		made := item.Item{Line: one.Line, Number: one.Number}
		made.Put("type", strings.ToLower(activity.Type))
		made.Put("published_at", activity.Published)
		var boosted string
		if json.Unmarshal(activity.Object, &boosted) == nil {
			made.Fields = append([]item.Field{{Name: "id", Value: item.JSON(activity.ID)}}, made.Fields...)
			made.Put("url", boosted)
			return made, nil
		}
		_ = json.Unmarshal(activity.Object, &post) // what is not as expected is left empty
		made.Fields = append([]item.Field{{Name: "id", Value: item.JSON(post.ID)}}, made.Fields...)
		made.Put("text", htmltext.Text(post.Content))
		made.Put("warning", post.Summary)
		made.Put("url", post.URL)
		made.Put("in_reply_to", post.InReplyTo)
		var tags, files []string
		for _, tag := range post.Tag {
			tags = append(tags, tag.Name)
		}
		for _, file := range post.Attachment {
			files = append(files, strings.TrimSpace(file.URL+" "+file.Name))
		}
		made.Put("tags", tags)
		made.Put("attachments", files)
		return made, nil
	}}
}

// IsOutbox reports that a JSON file begins as an outbox of ActivityPub does.
func IsOutbox(start []byte) bool {
	return bytes.Contains(start, []byte(`"orderedItems"`)) || bytes.Contains(start, []byte(`"OrderedCollection"`))
}

// maxKeep is how large a note may be, in bytes.
const maxKeep = item.MaxLine

// Keep reads a note of Google Keep or what Google says of a photo, which has a file of its own.
func Keep(file io.Reader, name string) item.Reader {
	return item.One(func() (item.Item, error) {
		text, err := io.ReadAll(io.LimitReader(file, maxKeep+1))
		if err != nil {
			return item.Item{}, err
		}
		if len(text) > maxKeep {
			return item.Item{}, item.UnusableError{Reason: item.ErrTooLong.Error()}
		}
		fields, err := item.NewParser().Parse(bytes.TrimSpace(text))
		if err != nil {
			return item.Item{}, item.UnusableError{Reason: err.Error()}
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
		_ = json.Unmarshal(text, &note) // it is an object, and the rest of it is read
		one := item.Item{Line: 1}
		one.Put("id", name)
		one.Put("created_at", microTime(note.CreatedTimestampUsec))
		one.Put("edited_at", microTime(note.UserEditedTimestampUsec))
		if taken, ok := slackTime(note.PhotoTakenTime.Timestamp); ok {
			one.Put("taken_at", taken)
		}
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
		put(&one, fields, "id", "created_at", "edited_at", "createdTimestampUsec", "userEditedTimestampUsec", "listContent", "labels", "list", "textContentHtml")
		return one, nil
	})
}

func microTime(micros int64) string {
	if micros <= 0 || micros > 1<<52 {
		return ""
	}
	return time.UnixMicro(micros).UTC().Format(time.RFC3339)
}

// IsKeep reports that a file may be a note of Google Keep, or what Google says of a photo.
func IsKeep(start []byte) bool {
	return bytes.Contains(start, []byte(`"userEditedTimestampUsec"`)) || bytes.Contains(start, []byte(`"photoTakenTime"`))
}
