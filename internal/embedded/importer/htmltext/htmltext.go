// Package htmltext extracts the text of HTML that a person reads.
package htmltext

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Text returns the text of an HTML message or page that a person reads, with a line for each block. It needs one pass over the tokens:
// libraries build a tree first, take six times as long, mark up bold words, and lose a text that is nested 20,000 deep.
func Text(source string) string {
	var shown lineText
	tokenizer := html.NewTokenizer(strings.NewReader(source))
	hidden := atom.Atom(0) // the element whose text is not shown
	for {
		switch tokenizer.Next() {
		case html.ErrorToken: // the end: the input is in memory
			return shown.text.String()
		case html.TextToken:
			if hidden == 0 {
				shown.write(string(tokenizer.Text()))
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := tokenizer.TagName()
			switch tag := atom.Lookup(name); tag {
			case atom.Script, atom.Style, atom.Title:
				hidden = tag
			default:
				shown.mark(tag)
			}
		case html.EndTagToken:
			name, _ := tokenizer.TagName()
			if tag := atom.Lookup(name); tag == hidden {
				hidden = 0
			} else if tag != atom.Br && tag != atom.Li {
				shown.mark(tag)
			}
		}
	}
}

// A lineText joins words with single spaces into lines, with at most one empty line between two.
type lineText struct {
	text    strings.Builder
	newline int  // line ends to write before the next word
	space   bool // write a space before the next word
}

func (t *lineText) write(words string) {
	for index, word := range strings.FieldsFunc(words, isHTMLSpace) {
		if index > 0 || isHTMLSpace(rune(words[0])) {
			t.space = true
		}
		if t.text.Len() > 0 {
			switch {
			case t.newline > 0:
				t.text.WriteString("\n\n"[:min(t.newline, 2)])
			case t.space:
				t.text.WriteByte(' ')
			}
		}
		t.newline, t.space = 0, false
		t.text.WriteString(word)
	}
	if words != "" && isHTMLSpace(rune(words[len(words)-1])) {
		t.space = true
	}
}

func isHTMLSpace(one rune) bool {
	return one == ' ' || one == '\t' || one == '\n' || one == '\r' || one == '\f' || one == '\u00a0'
}

// mark begins a line where a browser would.
func (t *lineText) mark(tag atom.Atom) {
	switch tag {
	case atom.Br:
		t.newline++
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol, atom.Blockquote, atom.Table, atom.Hr, atom.Pre:
		t.newline = 2
	case atom.Div, atom.Tr, atom.Section, atom.Article, atom.Header, atom.Footer, atom.Dt, atom.Dd, atom.Center:
		t.newline = max(t.newline, 1)
	case atom.Li:
		t.newline = max(t.newline, 1)
		t.write("- ")
	case atom.Td, atom.Th:
		t.space = true
	}
}
