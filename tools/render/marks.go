package render

import "strings"

const (
	markOpen  = "<mark>"
	markClose = "</mark>"
	ellipsis  = "…"
)

// A passage is one line of a record's text without its marks, and where they stood.
type passage struct {
	plain string
	marks []textRange // in order, apart, none empty
}

// A textRange is a part of a text, in bytes.
type textRange struct{ from, to int }

// A passageReader reads passages, one after the other into the same buffers.
type passageReader struct {
	texts texts // of all that had marks
	marks []textRange
}

// read takes the marks out of a line; those that do not open and close in order are dropped.
func (r *passageReader) read(line string) passage {
	line = balance(line)
	before, tag, after := nextMark(line)
	if tag == "" {
		return passage{plain: line}
	}
	start, first := r.texts.b.Len(), len(r.marks)
	for open := 0; ; before, tag, after = nextMark(after) {
		r.texts.b.WriteString(before)
		switch at := r.texts.b.Len() - start; {
		case tag == "":
			return passage{plain: r.texts.since(start), marks: r.marks[first:len(r.marks):len(r.marks)]}
		case tag == markOpen:
			open = at
		case at > open:
			r.marks = append(r.marks, textRange{open, at})
		}
	}
}

// balance removes every mark that does not open and close in order, without nesting. It reads s once: record text may
// hold any number of tags.
func balance(s string) string {
	if balanced(s) {
		return s
	}
	out := make([]byte, 0, len(s))
	open := -1 // where the open mark stands in out
	for {
		before, tag, rest := nextMark(s)
		out = append(out, before...)
		switch {
		case tag == markOpen && open < 0:
			open = len(out)
			out = append(out, tag...)
		case tag == markClose && open >= 0:
			open = -1
			out = append(out, tag...)
		}
		if tag == "" {
			break
		}
		s = rest
	}
	if open >= 0 { // never closed
		out = append(out[:open], out[open+len(markOpen):]...)
	}
	if !balanced(string(out)) {
		return plain(string(out)) // removing a tag put the pieces of another together
	}
	return string(out)
}

// balanced reports whether marks alternate, opening first.
func balanced(s string) bool {
	open := false
	for {
		_, tag, rest := nextMark(s)
		if tag == "" {
			return !open
		}
		if open == (tag == markOpen) {
			return false
		}
		open, s = !open, rest
	}
}

// nextMark splits s at its first tag; tag is "" when there is none.
func nextMark(s string) (before, tag, rest string) {
	for at := 0; ; at++ {
		next := strings.IndexByte(s[at:], '<')
		if next < 0 {
			return s, "", ""
		}
		at += next
		switch {
		case strings.HasPrefix(s[at:], markOpen):
			return s[:at], markOpen, s[at+len(markOpen):]
		case strings.HasPrefix(s[at:], markClose):
			return s[:at], markClose, s[at+len(markClose):]
		}
	}
}

// plain removes all marks, also those that appear when others are removed.
func plain(s string) string {
	if !strings.Contains(s, "mark>") {
		return s
	}
	for range 3 {
		s = strings.ReplaceAll(strings.ReplaceAll(s, markOpen, ""), markClose, "")
	}
	if _, tag, _ := nextMark(s); tag != "" {
		s = strings.ReplaceAll(s, "<", "")
	}
	return s
}
