package clients

import (
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// parseJSON reads JSON with comments. A text without any value, or of comments alone, is an empty object that is still
// to be written.
func parseJSON(text string) (root hujson.Value, blank bool, err error) {
	root, err = hujson.Parse([]byte(text))
	if err != nil {
		if _, blankErr := hujson.Parse([]byte(text + "\n{}")); blankErr == nil {
			return hujson.Value{}, true, nil
		}
		return root, false, refused("the file is not valid JSON (%s): mend it first", where(err))
	}
	return root, false, nil
}

// where says at which place a text cannot be read. What stands there is not shown: it may be a credential.
func where(err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "it ends in the middle"
	}
	if place := regexp.MustCompile(`line \d+, column \d+`).FindString(err.Error()); place != "" {
		return place
	}
	return "no place is known"
}

func decodeJSON(text string, comments bool) (map[string]any, error) {
	root, blank, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	if blank {
		if !comments && strings.TrimSpace(text) != "" {
			return nil, errComments
		}
		return map[string]any{}, nil
	}
	if !comments && !root.IsStandard() {
		return nil, errComments
	}
	standard := root.Clone()
	standard.Standardize()
	decoder := json.NewDecoder(strings.NewReader(standard.String()))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil, refused("the file is not valid JSON (%s): mend it first", where(err))
	}
	object, ok := tree.(map[string]any)
	if !ok {
		return nil, refused("the file does not hold a JSON object")
	}
	return object, nil
}

var errComments = refused("the file holds comments or trailing commas, which the client itself cannot read: mend it first")

// addJSON puts an entry under key and name, or changes the one that is there.
func addJSON(text, key, name string, entry object) (string, error) {
	root, blank, err := parseJSON(text)
	if err != nil {
		return "", err
	}
	if blank {
		head := strings.TrimRight(text, " \t\r\n")
		if head != "" {
			head += "\n"
		}
		return head + indented(object{{key, object{{name, entry}}}}, "", "  ") + "\n", nil
	}
	servers, err := find(root, "the file", key)
	if err != nil {
		return "", err
	}
	if servers == nil {
		return insert(text, root, key, object{{name, entry}}), nil
	}
	old, err := find(*servers, strconv.Quote(key), name)
	if err != nil {
		return "", err
	}
	if old == nil {
		return insert(text, *servers, name, entry), nil
	}
	return update(text, *old, key, name, entry)
}

// update makes an entry that is there say what it should, and leaves in it what it does not speak of.
func update(text string, old hujson.Value, key, name string, entry object) (string, error) {
	var fields any
	standard := old.Clone()
	standard.Standardize()
	if err := json.Unmarshal([]byte(standard.String()), &fields); err != nil {
		return "", refused("the entry %q cannot be read", name)
	}
	if err := mayReplace(name, fields); err != nil {
		return "", err
	}
	held, _ := fields.(map[string]any)
	for _, m := range entry {
		current, is := held[m.key]
		if is && encode(current) == encode(m.value) {
			continue
		}
		target, err := entryOf(text, key, name)
		if err != nil {
			return "", err
		}
		if !is {
			text = insert(text, target, m.key, m.value)
			continue
		}
		value, err := find(target, strconv.Quote(name), m.key)
		if err != nil {
			return "", err
		}
		prefix, unit := indentation(text, target)
		text = text[:value.StartOffset] + indented(m.value, prefix+unit, unit) + text[value.EndOffset:]
	}
	for _, gone := range leftOver(entry) {
		if _, is := held[gone]; !is || slices.ContainsFunc(entry, func(m member) bool { return m.key == gone }) {
			continue
		}
		target, err := entryOf(text, key, name)
		if err != nil {
			return "", err
		}
		text = cutMember(text, target, gone)
	}
	return text, nil
}

// entryOf finds an entry again after the text around it has moved.
func entryOf(text, key, name string) (hujson.Value, error) {
	root, _, err := parseJSON(text)
	if err != nil {
		return root, err
	}
	servers, err := find(root, "the file", key)
	if err != nil || servers == nil {
		return root, errors.Join(err, refused("%q is gone", key))
	}
	entry, err := find(*servers, strconv.Quote(key), name)
	if err != nil || entry == nil {
		return root, errors.Join(err, refused("%q is gone", name))
	}
	return *entry, nil
}

// removeJSON takes the entry under key and name out, and with it nothing else.
func removeJSON(text, key, name string) (string, error) {
	root, blank, err := parseJSON(text)
	if err != nil || blank {
		return text, err
	}
	servers, err := find(root, "the file", key)
	if err != nil || servers == nil {
		return text, err
	}
	entry, err := find(*servers, strconv.Quote(key), name)
	if err != nil || entry == nil {
		return text, err
	}
	var fields any
	standard := entry.Clone()
	standard.Standardize()
	if err := json.Unmarshal([]byte(standard.String()), &fields); err != nil {
		return "", refused("the entry %q cannot be read", name)
	}
	if err := mayReplace(name, fields); err != nil {
		return "", err
	}
	return cutMember(text, *servers, name), nil
}

// find returns a member's value; nil when there is none. A key that stands twice is refused, and so is a holder that
// is no object; what names that.
func find(holder hujson.Value, what, key string) (*hujson.Value, error) {
	o, ok := holder.Value.(*hujson.Object)
	if !ok {
		return nil, refused("%s is not an object: mend it first", what)
	}
	var found *hujson.Value
	for i := range o.Members {
		if memberName(o.Members[i]) != key {
			continue
		}
		if found != nil {
			return nil, refused("the file holds %q twice: mend it first", key)
		}
		found = &o.Members[i].Value
	}
	return found, nil
}

func memberName(m hujson.ObjectMember) string {
	literal, ok := m.Name.Value.(hujson.Literal)
	if !ok {
		return ""
	}
	return literal.String()
}

// insert adds a member at the end of an object, in the style of what stands there.
func insert(text string, holder hujson.Value, key string, value any) string {
	o, _ := holder.Value.(*hujson.Object) // find has seen that it is one
	prefix, unit := indentation(text, holder)
	inner := prefix + unit
	if len(o.Members) == 0 {
		at := holder.EndOffset - 1 // the closing brace
		kept := strings.TrimRight(text[:at], " \t\r\n")
		return kept + "\n" + inner + encode(key) + ": " + indented(value, inner, unit) + "\n" + prefix + text[at:]
	}
	last := o.Members[len(o.Members)-1].Value
	end := last.EndOffset
	trailing := last.AfterExtra != nil
	if trailing {
		end += len(last.AfterExtra) + 1
	} else {
		text = text[:end] + "," + text[end:]
		end++
	}
	if !strings.Contains(text[holder.StartOffset:end], "\n") { // all on one line
		return text[:end] + " " + encode(key) + ": " + spaced(value) + commaIf(trailing) + text[end:]
	}
	end = endOfLine(text, end)
	rest := text[end:]
	if strings.HasPrefix(strings.TrimLeft(rest, " \t"), "}") { // the brace stands on the line of the last member
		rest = "\n" + prefix + strings.TrimLeft(rest, " \t")
	}
	return text[:end] + "\n" + inner + encode(key) + ": " + indented(value, inner, unit) + commaIf(trailing) + rest
}

func commaIf(trailing bool) string {
	if trailing {
		return ","
	}
	return ""
}

// endOfLine moves over the blanks and comments that stand behind a member on its line.
func endOfLine(text string, from int) int {
	at := from
	for at < len(text) {
		rest := text[at:]
		switch {
		case rest[0] == ' ' || rest[0] == '\t':
			at++
		case strings.HasPrefix(rest, "//"):
			return at + strings.IndexByte(rest+"\n", '\n')
		case strings.HasPrefix(rest, "/*"):
			length := strings.Index(rest, "*/") + len("*/")
			if strings.Contains(rest[:length], "\n") {
				return from
			}
			at += length
		case rest[0] == '\n', rest[0] == '\r':
			return at
		default:
			return from
		}
	}
	return from
}

// cutMember takes a member out of an object: with its comma and the comment behind it, without what stands before it.
func cutMember(text string, holder hujson.Value, key string) string {
	o, _ := holder.Value.(*hujson.Object)
	index := slices.IndexFunc(o.Members, func(m hujson.ObjectMember) bool { return memberName(m) == key })
	gone := o.Members[index]
	start, end := gone.Name.StartOffset, gone.Value.EndOffset
	isLast := index == len(o.Members)-1
	if !isLast || gone.Value.AfterExtra != nil {
		end += len(gone.Value.AfterExtra) + 1 // the comma
	}
	wholeLine := strings.TrimRight(text[:start], " \t")
	if stop := endOfLine(text, end); strings.HasSuffix(wholeLine, "\n") && (stop > end || stop < len(text) && strings.ContainsAny(text[stop:stop+1], "\r\n")) {
		start, end = len(wholeLine), stop
		if strings.HasPrefix(text[end:], "\r") {
			end++
		}
		if strings.HasPrefix(text[end:], "\n") {
			end++
		}
	} else {
		for end < len(text) && (text[end] == ' ' || text[end] == '\t') && !isLast {
			end++
		}
	}
	text = text[:start] + text[end:]
	if isLast && index > 0 && gone.Value.AfterExtra == nil { // the comma before it separates nothing any more
		before := o.Members[index-1].Value
		comma := before.EndOffset + len(before.AfterExtra)
		after := comma + 1
		if start == gone.Name.StartOffset { // on one line: and the blank behind it
			for after < start && (text[after] == ' ' || text[after] == '\t') {
				after++
			}
		}
		text = text[:comma] + text[after:]
	}
	return text
}

// indentation is how the line on which an object begins is indented, and by how much its members are indented further.
func indentation(text string, holder hujson.Value) (prefix, unit string) {
	prefix = lineIndent(text, holder.StartOffset)
	if o, ok := holder.Value.(*hujson.Object); ok && len(o.Members) > 0 {
		first := o.Members[0].Name.StartOffset
		if strings.Contains(text[holder.StartOffset:first], "\n") {
			if inner := lineIndent(text, first); strings.HasPrefix(inner, prefix) && len(inner) > len(prefix) {
				return prefix, inner[len(prefix):]
			}
		}
	}
	return prefix, documentUnit(text)
}

// documentUnit is by how much the first indented line of a text is indented.
func documentUnit(text string) string {
	for line := range strings.Lines(text) {
		if trimmed := strings.TrimLeft(line, " \t"); trimmed != line && strings.HasPrefix(trimmed, `"`) {
			return line[:len(line)-len(trimmed)]
		}
	}
	return "  "
}

func lineIndent(text string, at int) string {
	line := text[strings.LastIndexByte(text[:at], '\n')+1:]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}
