package services

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"io"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/htmltext"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/objects"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// metaBytes matches UTF-8 bytes that are escaped as if each were a character: "\u00c3\u00b6" is "ö".
var metaBytes = item.Expression(`(?:\\u00[89a-f][0-9a-f])+`)

// mainArrays are the fields with the main array of a file, although another may be longer: a chat may have more participants than messages,
// a timeline more raw signals, and a Trello board more actions than cards.
var mainArrays = []string{"messages", "semanticSegments", "cards"}

// Parts returns the parts of a JSON file that become separate streams, or nil if the file is one stream.
func Parts(file io.ReadSeeker) []objects.Part { return objects.Parts(file, mainArrays...) }

// Array reads JSON objects in an array or, if part is not nil, in that part. It decodes the escaped UTF-8 of Facebook and Instagram.
func Array(file io.ReadSeeker, part *objects.Part) item.Records {
	parser, from := item.NewParser(), objects.NewArray(file, mainArrays...)
	if part != nil {
		from = objects.NewPart(file, *part)
	}
	return item.Shaped(from, func(one item.Item) (item.Item, error) {
		if bytes.Contains(one.Text, []byte(`\u00`)) {
			text := metaBytes().ReplaceAllFunc(one.Data(), func(escaped []byte) []byte {
				letters, _ := hex.DecodeString(strings.ReplaceAll(string(escaped), `\u00`, "")) // the expression requires hex digits
				if !utf8.Valid(letters) {
					return escaped
				}
				return letters
			})
			fields, err := parse(parser, text, one.Line)
			if err != nil {
				return one, err
			}
			one.Text, one.Fields = text, fields
		}
		return place(post(one), parser)
	})
}

// post merges the objects in "data" of a Facebook post into one: each has one field, the text of the post or the time of its change.
func post(one item.Item) item.Item {
	data, ok := one.Value("data")
	if _, isPost := one.Value("timestamp"); !ok || !isPost || data[0] != '[' {
		return one
	}
	var members []string
	names, isOther := map[string]bool{}, false // "data" is a list of something else
	for _, part := range gjson.ParseBytes(data).Array() {
		count := len(names)
		part.ForEach(func(key, value gjson.Result) bool {
			names[key.Raw] = true
			members = append(members, key.Raw+":"+value.Raw)
			isOther = isOther || key.String() != "post" && !strings.HasSuffix(key.String(), "_timestamp")
			return true
		})
		if isOther || !part.IsObject() || len(names) != len(members) || len(names) > count+1 {
			return one
		}
	}
	object := "null"
	if len(members) > 0 {
		object = "{" + strings.Join(members, ",") + "}"
	}
	one.Replace("data", []byte(object))
	return one
}

// Meta reads the messages of a Facebook or Instagram conversation or, with about, the data on the conversation itself.
func Meta(file io.ReadSeeker, conversation string, about bool) item.Records {
	part, rest := objects.Around("messages")
	if about {
		part = rest
	}
	return item.Shaped(Array(file, &part), func(one item.Item) (item.Item, error) {
		made := item.Item{Line: one.Line, Number: one.Number, Note: one.Note, ID: conversation}
		if !about {
			made.ID += "-" + strconv.Itoa(one.Number)
		}
		made.Put("conversation", conversation)
		put(&made, one.Fields, "conversation")
		return made, nil
	})
}

// Facebook and Instagram write a conversation as HTML pages with one box per message: its sender, its content and its time, in this order.
// Only the order is stable: the classes of the boxes change over the years, and the words of dates with the language.

// stampForm matches the time of a message in any language: a year of four digits and a time of day.
var stampForm = item.Expression(`\b\d{4}(?:\b|年|년).*\d{1,2}[:.]\d{2}|\d{1,2}[:.]\d{2}.*\b\d{4}\b`)

// longestStamp is the maximum length of such a text, in bytes.
const longestStamp = 80

// MetaPage reads the messages of a page of a conversation. It returns nil if nothing on the page looks like messages.
func MetaPage(file io.Reader, conversation, name string) (item.Records, error) {
	text, err := item.ReadAll(file)
	if err != nil {
		return nil, err
	}
	page, err := html.Parse(strings.NewReader(utf8text.Mend(string(text))))
	if err != nil {
		return nil, nil //nolint:nilerr // invalid HTML has no messages
	}
	main := page
	for one := range page.Descendants() {
		if one.DataAtom == atom.Main || attribute(one, "role") == "main" {
			main = one
			break
		}
	}
	boxes := messageBoxes(main)
	if boxes == nil {
		return nil, nil
	}
	title := cmp.Or(textOfFirst(page, atom.Title), textOfFirst(page, atom.H1))
	begin := conversation + "-" + strings.TrimPrefix(strings.TrimSuffix(name, path.Ext(name)), "message_") + "-"
	return func(yield func(item.Item, error) bool) {
		for index, box := range boxes {
			one := item.Item{Line: 1, ID: begin + strconv.Itoa(index+1)}
			one.Put("id", one.ID)
			one.Put("conversation", conversation)
			one.Put("title", title)
			putMessage(&one, box)
			if !yield(one, nil) {
				return
			}
		}
	}, nil
}

// messageBoxes returns the elements of the messages: the children of the element that has the most of them, or nil.
func messageBoxes(in *html.Node) (boxes []*html.Node) {
	counts, most := map[*html.Node]int{}, in
	for box := range in.Descendants() {
		if !isMessage(box) {
			continue
		}
		if counts[box.Parent]++; counts[box.Parent] >= counts[most] { // on a tie the inner element wins, which comes later
			most = box.Parent
		}
	}
	for box := range most.ChildNodes() { // the participants may be listed above the first message
		if isMessage(box) || len(boxes) > 0 && lastText(box) != nil {
			boxes = append(boxes, box)
		}
	}
	return boxes
}

// isMessage reports whether an element ends with a time and has other parts above it.
func isMessage(box *html.Node) bool {
	last := lastText(box)
	return len(partsOf(box)) > 1 && last != nil && len(last.Data) <= longestStamp && stampForm().MatchString(last.Data)
}

// lastText returns the last text node in an element that is not blank, or nil.
func lastText(in *html.Node) *html.Node {
	if in.Type == html.TextNode && strings.TrimSpace(in.Data) != "" {
		return in
	}
	for one := in.LastChild; one != nil; one = one.PrevSibling {
		if text := lastText(one); text != nil {
			return text
		}
	}
	return nil
}

// partsOf returns the elements in a box, without the wrappers that contain only one element.
func partsOf(box *html.Node) []*html.Node {
	var parts []*html.Node
	for one := range box.ChildNodes() {
		if one.Type == html.ElementNode {
			parts = append(parts, one)
		}
	}
	if len(parts) == 1 {
		return partsOf(parts[0])
	}
	return parts
}

// putMessage adds the content of a box to a record. A box that does not end with a time has no sender either.
func putMessage(one *item.Item, box *html.Node) {
	contents := []*html.Node{box}
	if isMessage(box) {
		parts, stamp := partsOf(box), lastText(box)
		one.Put("sender_name", textOf(parts[0]))
		one.Put("sent_at", table.Moment(strings.TrimSpace(stamp.Data)))
		stamp.Data = ""
		contents = parts[1:]
	}
	var lines, reactions, files, links []string
	seen := map[string]bool{"": true}
	for _, part := range contents {
		var lists []*html.Node
		for node := range part.Descendants() {
			if node.DataAtom == atom.Ul {
				lists = append(lists, node)
			}
			target := cmp.Or(attribute(node, "src"), attribute(node, "href"))
			isLink := strings.Contains(target, "://")
			switch {
			case seen[target] || isLink && (!strings.HasPrefix(target, "http") || textOf(node) == ""):
				continue
			case isLink:
				links = append(links, target)
			case !strings.ContainsAny(target[:1], "#?"):
				files = append(files, target)
			}
			seen[target] = true
		}
		for _, list := range lists { // of reactions
			for reaction := range list.ChildNodes() {
				if text := textOf(reaction); text != "" {
					reactions = append(reactions, text)
				}
			}
			list.Parent.RemoveChild(list)
		}
		var markup strings.Builder
		_ = html.Render(&markup, part) // to memory
		lines = append(lines, htmltext.Text(markup.String()))
	}
	one.Put("content", joinLines(lines))
	one.Put("reactions", reactions)
	one.Put("files", files)
	one.Put("links", links)
}

func attribute(of *html.Node, key string) string {
	for _, one := range of.Attr {
		if one.Key == key {
			return one.Val
		}
	}
	return ""
}

func textOfFirst(in *html.Node, kind atom.Atom) string {
	for one := range in.Descendants() {
		if one.DataAtom == kind {
			return textOf(one)
		}
	}
	return ""
}

func textOf(of *html.Node) string {
	var words []string
	for one := range of.Descendants() {
		if one.Type == html.TextNode {
			words = append(words, strings.Fields(one.Data)...)
		}
	}
	return strings.Join(words, " ")
}
