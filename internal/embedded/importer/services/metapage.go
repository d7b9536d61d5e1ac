package services

import (
	"cmp"
	"io"
	"path"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/htmltext"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// Facebook and Instagram write a conversation as pages of boxes, one to a message: who wrote it, what it says, and when it was sent. The
// classes of the boxes change with the years, and the words of dates with the language: what stays is that order.

// stampForm is in what a page shows as the time of a message, in any language.
var stampForm = item.Expression(`\b\d{4}(?:\b|年|년).*\d{1,2}[:.]\d{2}|\d{1,2}[:.]\d{2}.*\b\d{4}\b`)

// longestStamp is how long such a text may be, in bytes.
const longestStamp = 80

// MetaPage reads the messages of a page of a conversation. It returns nil if nothing on the page looks like messages.
func MetaPage(file io.Reader, conversation, name string) (item.Records, error) {
	text, err := item.ReadAll(file)
	if err != nil {
		return nil, err
	}
	page, err := html.Parse(strings.NewReader(utf8text.Mend(string(text))))
	if err != nil {
		return nil, nil //nolint:nilerr // nothing on it can be told from the rest
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
	title := cmp.Or(shown(page, atom.Title), shown(page, atom.H1))
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

// messageBoxes are the elements that are a message each: where most lie beside one another.
func messageBoxes(in *html.Node) (boxes []*html.Node) {
	counts, most := map[*html.Node]int{}, in
	for box := range in.Descendants() {
		if !isMessage(box) {
			continue
		}
		if counts[box.Parent]++; counts[box.Parent] >= counts[most] { // what is further in follows
			most = box.Parent
		}
	}
	for box := range most.ChildNodes() { // above the first may stand who takes part
		if isMessage(box) || len(boxes) > 0 && lastText(box) != nil {
			boxes = append(boxes, box)
		}
	}
	return boxes
}

// isMessage reports an element that ends with a time, below something else.
func isMessage(box *html.Node) bool {
	last := lastText(box)
	return len(partsOf(box)) > 1 && last != nil && len(last.Data) <= longestStamp && stampForm().MatchString(last.Data)
}

// lastText is the last text in an element: nil if it has none.
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

// partsOf are the elements in a box, which may be in others that hold nothing else.
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

// putMessage puts what a box says. One that does not end with a time is text alone.
func putMessage(one *item.Item, box *html.Node) {
	said := []*html.Node{box}
	if isMessage(box) {
		parts, stamp := partsOf(box), lastText(box)
		one.Put("sender_name", textOf(parts[0]))
		one.Put("sent_at", table.Moment(strings.TrimSpace(stamp.Data)))
		stamp.Data = ""
		said = parts[1:]
	}
	var lines, reactions, files, links []string
	known := map[string]bool{"": true}
	for _, part := range said {
		var lists []*html.Node
		for node := range part.Descendants() {
			if node.DataAtom == atom.Ul {
				lists = append(lists, node)
			}
			target := cmp.Or(attribute(node, "src"), attribute(node, "href"))
			isLink := strings.Contains(target, "://")
			switch {
			case known[target] || isLink && (!strings.HasPrefix(target, "http") || textOf(node) == ""):
				continue
			case isLink:
				links = append(links, target)
			case !strings.ContainsAny(target[:1], "#?"):
				files = append(files, target)
			}
			known[target] = true
		}
		for _, list := range lists { // who answered with a sign
			for reaction := range list.ChildNodes() {
				if text := textOf(reaction); text != "" {
					reactions = append(reactions, text)
				}
			}
			list.Parent.RemoveChild(list)
		}
		var shown strings.Builder
		_ = html.Render(&shown, part) // to memory
		lines = append(lines, htmltext.Text(shown.String()))
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

// shown is the text of the first element of a kind.
func shown(in *html.Node, kind atom.Atom) string {
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
