package clients

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// A tomlFile is the text of a file and its values. go-toml does not write comments back, so an edit replaces whole lines, at the positions
// that go-toml's parser reports.
type tomlFile struct {
	text   string
	values map[string]any
}

func parseTOML(text string) (document, error) {
	if strings.Count(text, ".") > maxNested { // each part of a key is a table; go-toml itself limits the depth of values
		return nil, refused("the file has more than %d dots: fix it first", maxNested)
	}
	f := &tomlFile{text: text}
	if err := toml.Unmarshal([]byte(text), &f.values); err != nil {
		place := "position unknown"
		if at, ok := errors.AsType[*toml.DecodeError](err); ok {
			row, column := at.Position()
			place = fmt.Sprintf("line %d, column %d", row, column) // without the text there, which may be a credential
		}
		return nil, refused("the file is not valid TOML (%s): fix it first", place)
	}
	return f, nil
}

func (f *tomlFile) tree() map[string]any { return f.values }

func (f *tomlFile) set(key, name string, members object, gone []string) (string, error) {
	text := f.text
	table, ok := findTable(text, func(path []string) bool { return slices.Equal(path, []string{key, name}) })
	servers, _ := f.values[key].(map[string]any)
	fields, is := servers[name].(map[string]any)
	switch {
	case !is:
		head := strings.TrimRight(text, " \t\r\n")
		if head != "" {
			head += "\n\n"
		}
		return head + "[" + key + "." + tomlKey(name) + "]\n" + tomlLines(members), nil
	case !ok:
		return "", errInline(name)
	}
	for _, m := range members {
		gone = append(gone, m.key) // its lines move below the header
	}
	for _, key := range gone {
		if _, is := fields[key]; is && !slices.ContainsFunc(table.members, func(e expression) bool { return e.path[0] == key }) {
			return "", errInline(name)
		}
	}
	for _, line := range slices.Backward(table.members) {
		if slices.Contains(gone, line.path[0]) {
			text = text[:line.from] + text[line.to:]
		}
	}
	return strings.TrimRight(text[:table.header.to], "\r\n") + "\n" + tomlLines(members) + text[table.header.to:], nil
}

// remove removes the table [key.name] and its subtables.
func (f *tomlFile) remove(key, name string) (string, error) {
	text := f.text
	isOurs := func(path []string) bool { return len(path) > 1 && path[0] == key && path[1] == name }
	table, found := findTable(text, isOurs)
	if !found {
		return "", errInline(name)
	}
	for ; found; table, found = findTable(text, isOurs) {
		text = text[:table.header.from] + text[table.end():]
	}
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	return strings.TrimRight(text, "\n") + "\n", nil
}

func errInline(name string) error {
	return refused("the entry %q is not a separate table: change it by hand", name)
}

// An expression is the header of a table, or a key with its value: its path, and the byte range of its lines.
type expression struct {
	path     []string
	from, to int
}

// A table is a header and the expressions up to the next header.
type table struct {
	header  expression
	members []expression
}

// end returns the offset after the last line of a table. Comments below its last key are not part of it.
func (t table) end() int {
	if len(t.members) > 0 {
		return t.members[len(t.members)-1].to
	}
	return t.header.to
}

// findTable returns the first table of a valid document whose path satisfies wanted.
func findTable(text string, wanted func(path []string) bool) (found table, ok bool) {
	parser := unstable.Parser{}
	parser.Reset([]byte(text))
	for parser.NextExpression() {
		node := parser.Expression()
		var e expression
		for key := node.Key(); key.Next(); {
			e.path = append(e.path, string(key.Node().Data))
			e.from = int(key.Node().Raw.Offset)
		}
		e.to = e.from
		if node.Kind == unstable.KeyValue {
			e.from = int(node.Raw.Offset)
			e.to = e.from + int(node.Raw.Length)
		}
		e.from = strings.LastIndexByte(text[:e.from], '\n') + 1
		if line := strings.IndexByte(text[e.to:], '\n'); line >= 0 {
			e.to += line + 1
		} else {
			e.to = len(text)
		}
		switch {
		case node.Kind == unstable.KeyValue && ok:
			found.members = append(found.members, e)
		case node.Kind == unstable.KeyValue:
		case ok:
			return found, true
		case wanted(e.path):
			found.header, ok = e, true
		}
	}
	return found, ok
}

func tomlLines(o object) string {
	var out strings.Builder
	for _, m := range o {
		out.WriteString(tomlKey(m.key) + " = " + tomlValue(m.value) + "\n")
	}
	return out.String()
}

// tomlValue formats a string or a list of strings. JSON's escapes are valid in TOML, which also requires one for the delete character.
func tomlValue(value any) string {
	return strings.ReplaceAll(spaced(value), "\x7f", `\u007f`)
}

func tomlKey(key string) string {
	if key != "" && strings.Trim(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") == "" {
		return key
	}
	return tomlValue(key)
}
