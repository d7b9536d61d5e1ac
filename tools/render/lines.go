package render

import (
	"bytes"
	"unicode/utf8"
)

// lines are the lines of a text in one buffer.
type lines struct {
	b     []byte
	start int // of the last line
}

func (l *lines) count() int { return bytes.Count(l.b, []byte("\n")) + 1 }

// open begins a line, and add goes on with it.
func (l *lines) open(parts ...string) {
	if len(l.b) > 0 {
		l.b = append(l.b, '\n')
	}
	l.start = len(l.b)
	l.add(parts...)
}

func (l *lines) add(parts ...string) {
	for _, part := range parts {
		l.b = append(l.b, part...)
	}
}

// longerThan reports whether the last line has more than max runes.
func (l *lines) longerThan(max int) bool {
	line := l.b[l.start:]
	return len(line) > max && utf8.RuneCount(line) > max
}

// list ends a line with items, and goes on behind indent on further lines where one is too short.
func (l *lines) list(indent string, items []string) {
	for i, item := range items {
		between := ", "
		if i == len(items)-1 {
			between = ""
		}
		end := len(l.b)
		l.add(item, between)
		if l.longerThan(LineChars-10) && string(l.b[l.start:end]) != indent {
			l.b = bytes.TrimRight(l.b[:end], " ")
			l.open(indent, item, between)
		}
	}
	if l.longerThan(LineChars) {
		l.b = append(l.b[:l.start], clip(string(l.b[l.start:]), LineChars)...)
	}
}
