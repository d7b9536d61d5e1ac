package rs

// Objects and arrays are read from their first bracket to their last, part by part, so that whatever stands inside is passed
// over no more often than it is asked for.

// cutObject returns the members of the object that raw starts with, in the room of o, and what follows it. Where inside is
// given, it may read a value: it returns what follows that, unless it left it unread.
func cutObject(o Object, raw string, inside func(name, value string) (behind string, read bool)) (members Object, rest string, ok bool) {
	rest, more, ok := opened(raw, '{', '}')
	if !ok {
		return nil, "", false
	}
	if members = o[:0]; cap(o) == 0 {
		members = make(Object, 0, 16)
	}
	for more {
		var m Member
		if m.Name, rest, ok = cutName(rest); !ok {
			return nil, "", false
		}
		behind, read := "", false
		if inside != nil {
			behind, read = inside(m.Name, rest)
		}
		if read {
			m.Value = rest[:len(rest)-len(behind)]
			rest, more, ok = passed(behind, '}')
		} else {
			m.Value, rest, more, ok = cutPart(rest, '}')
		}
		if !ok {
			return nil, "", false
		}
		members = append(members, m)
	}
	return members, rest, true
}

// cutArray appends the elements of the array that raw starts with, and returns what follows it.
func cutArray(list []string, raw string) (elements []string, rest string, ok bool) {
	rest, more, ok := opened(raw, '[', ']')
	for more && ok {
		var element string
		element, rest, more, ok = cutPart(rest, ']')
		list = append(list, element)
	}
	return list, rest, ok
}

// opened is what stands behind the bracket that opens an object or array, and whether there is more in it than the bracket
// that shuts it, which is passed over then.
func opened(raw string, open, shut byte) (rest string, more, ok bool) {
	raw = trimLeft(raw)
	if raw == "" || raw[0] != open {
		return "", false, false
	}
	rest = trimLeft(raw[1:])
	if rest != "" && rest[0] == shut {
		return rest[1:], false, true
	}
	return rest, true, true
}

// cutName splits off a member's name, its colon and the space behind that.
func cutName(raw string) (name, rest string, ok bool) {
	raw = trimLeft(raw)
	name, size, ok := cutText(raw)
	rest = trimLeft(raw[size:])
	if !ok || rest == "" || rest[0] != ':' {
		return "", "", false
	}
	return name, trimLeft(rest[1:]), true
}

// cutPart splits off a part of an object or array, without the space around it, and what [passed] passes over.
func cutPart(raw string, shut byte) (part, rest string, more, ok bool) {
	end := partEnd(raw)
	part = trimLeft(trimRight(raw[:end]))
	rest, more, ok = passed(raw[end:], shut)
	return part, rest, more, ok && part != ""
}

// passed is what stands behind the comma that parts what is between brackets, or behind the bracket that shuts it; more
// tells which.
func passed(raw string, shut byte) (rest string, more, ok bool) {
	raw = trimLeft(raw)
	if raw == "" || raw[0] != ',' && raw[0] != shut {
		return "", false, false
	}
	return raw[1:], raw[0] == ',', true
}

// partEnd is where the first comma, or bracket that shuts what was not opened in raw, stands outside strings and brackets,
// or the length.
func partEnd(raw string) int {
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			length := stringEnd(raw[i:])
			if length < 0 {
				return len(raw)
			}
			i += length - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return len(raw)
}
