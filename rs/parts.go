package rs

import "strings"

// A Walker goes through JSON that is valid, once, from its start to its end. Objects and arrays are read part by part, and
// what stands inside a part in the same pass, where it is asked for; what is not asked for is passed over.
type Walker struct {
	raw string
	at  int // where what is read next begins, without the space before it
}

// Walk returns a Walker at the start of a text.
func Walk(raw string) Walker { return Walker{raw, pastSpace(raw, 0)} }

// AtEnd reports whether all was read.
func (w *Walker) AtEnd() bool { return w.at == len(w.raw) }

// Object reads the object at hand and returns its members in the room of o, which is needed no more. Where there is no
// object it returns nil and reads nothing. Where inside is given, it is called before each value, and may read that.
func (w *Walker) Object(o Object, inside func(name string)) Object {
	start := w.at
	more, ok := w.open('{', '}')
	if !ok {
		return nil
	}
	if o = o[:0]; cap(o) == 0 {
		o = make(Object, 0, 16)
	}
	for more {
		var m Member
		if m.Name, ok = w.name(); ok {
			from := w.at
			if inside != nil {
				inside(m.Name)
			}
			m.Value, more, ok = w.part(from, '}')
		}
		if !ok {
			w.at = start
			return nil
		}
		o = append(o, m)
	}
	return o
}

// Array reads the array at hand and returns its elements in the room of list, which is needed no more. Where there is no
// array it returns nil and reads nothing. Where inside is given, it is called before each element, and may read that.
func (w *Walker) Array(list []string, inside func()) []string {
	start := w.at
	more, ok := w.open('[', ']')
	if !ok {
		return nil
	}
	if list = list[:0]; cap(list) == 0 {
		list = make([]string, 0, 8)
	}
	for more {
		from := w.at
		if inside != nil {
			inside()
		}
		var element string
		if element, more, ok = w.part(from, ']'); !ok {
			w.at = start
			return nil
		}
		list = append(list, element)
	}
	return list
}

// open passes over the bracket that opens an object or array, and reports whether there is more in it than the bracket that
// shuts it, which is passed over then.
func (w *Walker) open(open, shut byte) (more, ok bool) {
	if w.at == len(w.raw) || w.raw[w.at] != open {
		return false, false
	}
	w.at = pastSpace(w.raw, w.at+1)
	if w.at == len(w.raw) || w.raw[w.at] != shut {
		return true, true
	}
	w.at = pastSpace(w.raw, w.at+1)
	return false, true
}

// name reads a member's name and passes over its colon.
func (w *Walker) name() (name string, ok bool) {
	raw := w.raw
	name, end, ok := textAt(raw, w.at)
	colon := pastSpace(raw, end)
	if !ok || colon == len(raw) || raw[colon] != ':' {
		return "", false
	}
	w.at = pastSpace(raw, colon+1)
	return name, true
}

// part reads the part of an object or array that begins at from, as far as it was not read yet, and passes over the comma
// or bracket behind it; more tells which.
func (w *Walker) part(from int, shut byte) (part string, more, ok bool) {
	raw, end := w.raw, w.at
	if end == from {
		end = partEnd(raw, from)
	}
	if end == len(raw) || raw[end] != ',' && raw[end] != shut {
		return "", false, false
	}
	w.at = pastSpace(raw, end+1)
	part = trimRight(raw[from:end])
	return part, raw[end] == ',', part != ""
}

// partEnd is where the first comma, or bracket that shuts what was not opened since, stands outside strings and brackets, or
// the length.
func partEnd(raw string, at int) int {
	depth := 0
	for ; at < len(raw); at++ {
		switch raw[at] {
		case '"':
			if at = nearQuote(raw, at+1); at == len(raw) || raw[at] != '"' || raw[at-1] == '\\' {
				at = stringEnd(raw, at)
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return at
			}
			depth--
		case ',':
			if depth == 0 {
				return at
			}
		}
	}
	return len(raw)
}

// stringEnd is where the quote stands, at a place or behind it, that ends the string, or the length.
func stringEnd(raw string, at int) int {
	for ; ; at++ {
		next := strings.IndexByte(raw[at:], '"')
		if next < 0 {
			return len(raw)
		}
		if at += next; raw[at-1] != '\\' || !isEscaped(raw, at) {
			return at
		}
	}
}

// isEscaped reports whether an odd number of backslashes stands before a place inside a string.
func isEscaped(raw string, at int) bool {
	before := strings.TrimRight(raw[:at], "\\")
	return (at-len(before))%2 == 1
}

// pastSpace is where white space ends that may stand at a place.
func pastSpace(raw string, at int) int {
	for at < len(raw) && isSpace(raw[at]) {
		at++
	}
	return at
}
