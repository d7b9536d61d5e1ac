package clients

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// No TOML library keeps comments, so that the text is cut along its lines here, and the library says what each piece means:
// a key and its value reach as far as the fewest lines that parse.

func decodeTOML(text string) (map[string]any, error) {
	tree := map[string]any{}
	if err := toml.Unmarshal([]byte(text), &tree); err != nil {
		place := "no place is known"
		var at *toml.DecodeError
		if errors.As(err, &at) {
			row, column := at.Position()
			place = fmt.Sprintf("line %d, column %d", row, column) // what stands there may be a credential
		}
		return nil, refused("the file is not valid TOML (%s): mend it first", place)
	}
	return tree, nil
}

// addTOML appends a table [key.name], or changes the one that is there.
func addTOML(text, key, name string, entry object) (string, error) {
	tree, err := decodeTOML(text)
	if err != nil {
		return "", err
	}
	old, is, err := heldTOML(tree, key, name)
	if err != nil {
		return "", err
	}
	if !is {
		head := strings.TrimRight(text, " \t\r\n")
		if head != "" {
			head += "\n\n"
		}
		return head + "[" + key + "." + tomlKey(name) + "]\n" + tomlLines(entry), nil
	}
	if err := mayReplace(name, old); err != nil {
		return "", err
	}
	lines := strings.SplitAfter(text, "\n")
	table, ok := findTable(lines, key, name, true)
	if !ok {
		return "", errInline(name)
	}
	fields, _ := old.(map[string]any)
	var missing object
	for _, m := range entry {
		if current, is := fields[m.key]; !is {
			missing = append(missing, m)
		} else if encode(current) != encode(m.value) {
			span, ok := table.keys[m.key]
			if !ok {
				return "", errInline(name)
			}
			lines[span.from] = tomlLines(object{m})
			clear(lines[span.from+1 : span.to])
		}
	}
	for _, gone := range leftOver(entry) {
		if _, is := fields[gone]; is && !slices.ContainsFunc(entry, func(m member) bool { return m.key == gone }) {
			span, ok := table.keys[gone]
			if !ok {
				return "", errInline(name)
			}
			clear(lines[span.from:span.to])
		}
	}
	if len(missing) > 0 {
		lines[table.header] = strings.TrimRight(lines[table.header], "\r\n") + "\n" + tomlLines(missing)
	}
	return strings.Join(lines, ""), nil
}

// removeTOML takes the table [key.name] out, with the tables below it.
func removeTOML(text, key, name string) (string, error) {
	tree, err := decodeTOML(text)
	if err != nil {
		return "", err
	}
	old, is, err := heldTOML(tree, key, name)
	if err != nil || !is {
		return text, err
	}
	if err := mayReplace(name, old); err != nil {
		return "", err
	}
	lines := strings.SplitAfter(text, "\n")
	removed := false
	for {
		table, ok := findTable(lines, key, name, false)
		if !ok {
			break
		}
		removed = true
		if table.header == 0 || strings.TrimSpace(lines[table.header-1]) == "" { // one blank line is enough
			for table.end < len(lines) && strings.TrimSpace(lines[table.end]) == "" {
				table.end++
			}
		}
		lines = slices.Delete(lines, table.header, table.end)
	}
	if !removed {
		return "", errInline(name)
	}
	text = strings.Join(lines, "")
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	return strings.TrimRight(text, "\n") + "\n", nil
}

func errInline(name string) error {
	return refused("the entry %q is not written as a table of its own: change it by hand", name)
}

// heldTOML is the entry of a name, if there is one.
func heldTOML(tree map[string]any, key, name string) (entry any, is bool, err error) {
	held, is := tree[key]
	if !is {
		return nil, false, nil
	}
	servers, ok := held.(map[string]any)
	if !ok {
		return nil, false, refused("%q is not a table", key)
	}
	entry, is = servers[name]
	return entry, is, nil
}

// A span is a run of lines, its end not included.
type span struct{ from, to int }

// A table is where one stands in a text: its header, its keys, and the line behind its last.
type table struct {
	header, end int
	keys        map[string]span
}

// findTable finds the first table [key.name]; unless it must be exactly that one, a table below it will do.
func findTable(lines []string, key, name string, exactly bool) (table, bool) {
	found := table{header: -1, keys: map[string]span{}}
	for at := 0; at < len(lines); {
		line := strings.TrimSpace(lines[at])
		if line == "" || strings.HasPrefix(line, "#") {
			at++
			continue
		}
		if strings.HasPrefix(line, "[") {
			if found.header >= 0 {
				return found, true
			}
			if isOurTable(line, key, name, exactly) {
				found.header, found.end = at, at+1
			}
			at++
			continue
		}
		end, keys := readKey(lines, at)
		if found.header >= 0 {
			found.end = end
			for k := range keys {
				found.keys[k] = span{at, end}
			}
		}
		at = end
	}
	return found, found.header >= 0
}

// isOurTable reports whether a header opens [key.name], or, unless it must be exactly that, a table below it.
func isOurTable(header, key, name string, exactly bool) bool {
	var tree map[string]any
	if toml.Unmarshal([]byte(header), &tree) != nil {
		return false
	}
	servers, ok := tree[key].(map[string]any)
	if !ok {
		return false
	}
	below, ok := servers[name].(map[string]any)
	return ok && (!exactly || len(below) == 0)
}

// readKey reads the key that begins on a line: the line behind its value, and what it says.
func readKey(lines []string, from int) (end int, keys map[string]any) {
	for end = from + 1; end <= len(lines); end++ {
		keys = nil
		if toml.Unmarshal([]byte(strings.Join(lines[from:end], "")), &keys) == nil {
			return end, keys
		}
	}
	return len(lines), nil
}

// tomlLines spells members as lines of a table.
func tomlLines(o object) string {
	var out strings.Builder
	for _, m := range o {
		out.WriteString(tomlKey(m.key) + " = " + tomlValue(m.value) + "\n")
	}
	return out.String()
}

// tomlValue spells a string or a list of strings. What JSON escapes, TOML reads alike, but for the delete character.
func tomlValue(value any) string {
	return strings.ReplaceAll(spaced(value), "\x7f", `\u007f`)
}

func tomlKey(key string) string {
	if key != "" && strings.Trim(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") == "" {
		return key
	}
	return tomlValue(key)
}
