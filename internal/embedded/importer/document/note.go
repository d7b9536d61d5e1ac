package document

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// maxFrontMatter is the largest front matter of a note, in bytes.
const maxFrontMatter = 64 << 10

var (
	frontMatter = item.Expression(`(?s)\A---[ \t]*\r?\n(.*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|\z)`)
	heading     = item.Expression(`(?m)^# +(.+?)[ #]*$`)
	codeBlock   = item.Expression("(?s)```.*?(?:```|\\z)|`[^`\n]*`")
	// noteLink matches a Markdown link to a file, as programs other than Obsidian write it.
	noteLink  = item.Expression(`(!?)\[[^\[\]\n]*\]\(<?([^()<>\n]+\.md)(?:#([^()<>\n]*))?>?\)`)
	inlineTag = item.Expression(`(?m)(?:^|[\s(])#([\p{L}\p{N}_/-]*[\p{L}_/-][\p{L}\p{N}_/-]*)`)
	wikiLink  = item.Expression(`(!?)\[\[([^\[\]|#\n]*)(?:#([^\[\]|\n]*))?(?:\|[^\[\]\n]*)?\]\]`)
)

// Notes are the ids of the notes of a stream, by path and by base name in lower case: a link names a note as shortly as it can.
type Notes map[string]string

// NewNotes returns the notes with these file names.
func NewNotes(names []string) Notes {
	notes := Notes{}
	for _, name := range names {
		id := noteID(name)
		notes[strings.ToLower(id)] = id
		if short := strings.ToLower(path.Base(id)); notes[short] == "" {
			notes[short] = id
		}
	}
	return notes
}

func noteID(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }

// find returns the id of the note that a link leads to, by its name or by the end of its path; "" if there is none.
func (n Notes) find(target string) string {
	target = strings.ToLower(strings.TrimSuffix(target, ".md"))
	if id, ok := n[target]; ok {
		return id
	}
	if id := n[path.Base(target)]; strings.HasSuffix(strings.ToLower(id), "/"+target) {
		return id
	}
	return ""
}

// Note reads a note in Markdown: the fields of its front matter, its text, and the targets of its links.
func Note(file io.Reader, name string, notes Notes) item.Records {
	return whole(file, func(text string) item.Item {
		id := noteID(name)
		one := item.Item{Line: 1, ID: id, Day: DayOf(name)}
		one.Put("id", id)
		var fields []item.Field
		if found := frontMatter().FindStringSubmatchIndex(text); found != nil && found[3]-found[2] <= maxFrontMatter {
			if known, ok := fieldsOf(text[found[2]:found[3]]); ok {
				fields, text = known, text[found[1]:]
			}
		}
		title, prose := path.Base(id), codeBlock().ReplaceAllString(text, "")
		if found := heading().FindStringSubmatch(prose); found != nil {
			title = found[1]
		}
		if given := (item.Item{Fields: fields}).String("title"); given != "" {
			title = given
		}
		one.Put("title", title)
		if folder := path.Dir(id); folder != "." {
			one.Put("folder", folder)
		}
		tags := inlineTag().FindAllStringSubmatch(prose, maxMarks+1)
		links := linksOf(id, prose)
		var cut []string
		if len(links) > maxMarks {
			cut = append(cut, "links")
		}
		if len(tags) > maxMarks {
			cut = append(cut, "tags")
		}
		if cut != nil {
			one.Note = fmt.Sprintf("only the first %d of its %s are read", maxMarks, strings.Join(cut, " and of its "))
		}
		for _, field := range withTags(fields, tags[:min(len(tags), maxMarks)]) {
			if _, taken := one.Value(field.Name); !taken && field.Name != "text" {
				one.Fields = append(one.Fields, field)
			}
		}
		one.Put("text", strings.TrimSpace(text))
		for _, link := range links[:min(len(links), maxMarks)] {
			one.Attached = append(one.Attached, linkItem(id, link, notes))
		}
		return one
	})
}

// maxMarks is the most links, and the most tags in its text, that are read of a note.
const maxMarks = 5000

// linksOf finds the links in the text of a note. Each has its whole text, the mark of an embedded one, its target and its heading.
func linksOf(id, prose string) [][]string {
	links := wikiLink().FindAllStringSubmatch(prose, maxMarks+1)
	for _, link := range noteLink().FindAllStringSubmatch(prose, maxMarks+1) {
		if target, err := url.PathUnescape(link[2]); err == nil && !strings.Contains(target, "://") {
			link[2] = path.Join(path.Dir(id), target)
			links = append(links, link)
		}
	}
	return links
}

// Linked returns the ids of the notes to which a note links whose text begins with start: one of own, or else one of others.
func Linked(name, start string, own, others Notes) (ids []string) {
	for _, link := range linksOf(noteID(name), codeBlock().ReplaceAllString(start, "")) {
		target := strings.TrimSpace(link[2])
		if id := cmp.Or(own.find(target), others.find(target)); id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// withTags adds the tags in the text of a note to those in its front matter, which are a list or words.
func withTags(fields []item.Field, inText [][]string) []item.Field {
	at := slices.IndexFunc(fields, func(field item.Field) bool { return field.Name == "tags" })
	var tags []string
	if at >= 0 {
		var words string
		if json.Unmarshal(fields[at].Value, &words) == nil {
			tags = strings.FieldsFunc(words, func(one rune) bool { return one == ',' || one == ' ' })
		} else if json.Unmarshal(fields[at].Value, &tags) != nil {
			return fields
		}
	}
	known := map[string]bool{}
	for _, one := range tags {
		known[one] = true
	}
	for _, found := range inText {
		if !known[found[1]] {
			known[found[1]] = true
			tags = append(tags, found[1])
		}
	}
	switch {
	case len(tags) == 0:
	case at >= 0:
		fields[at].Value = item.JSON(tags)
	default:
		fields = append(fields, item.Field{Name: "tags", Value: item.JSON(tags)})
	}
	return fields
}

// linkItem returns the record of a link. Its id is added when that is known.
func linkItem(from string, link []string, notes Notes) item.Item {
	target := cmp.Or(strings.TrimSpace(link[2]), path.Base(from)) // else a heading of the same note
	kind, to := "note", notes.find(target)
	if ending := path.Ext(target); to == "" && ending != "" && len(ending) <= 6 && !strings.Contains(ending, " ") {
		kind = "attachment"
	}
	var one item.Item
	one.Put("target", target)
	one.Put("target_id", to)
	one.Put("heading", strings.TrimSpace(link[3]))
	one.Put("kind", kind)
	one.Put("embedded", link[1] != "")
	return one
}

// fieldsOf parses front matter. If it is not a YAML mapping, it is part of the text.
func fieldsOf(text string) ([]item.Field, bool) {
	var top yaml.Node
	if err := yaml.Unmarshal([]byte(text), &top); err != nil || len(top.Content) != 1 || top.Content[0].Kind != yaml.MappingNode {
		return nil, false
	}
	var fields []item.Field
	pairs := top.Content[0].Content
	for at := 0; at+1 < len(pairs); at += 2 {
		var value any
		// 0123 is not an octal number
		if node := pairs[at+1]; node.Tag == "!!timestamp" || node.Tag == "!!int" && len(node.Value) > 1 && node.Value[0] == '0' {
			value = node.Value
		} else if pairs[at+1].Decode(&value) != nil {
			continue
		}
		text, err := json.Marshal(value)
		if err != nil { // a map whose keys are not strings, or NaN
			continue
		}
		name := strings.TrimSpace(pairs[at].Value)
		if _, taken := (item.Item{Fields: fields}).Value(name); name != "" && name != "id" && !taken {
			fields = append(fields, item.Field{Name: name, Value: text})
		}
	}
	return fields, true
}
