package clients

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

var byteOrderMark = []byte("\xef\xbb\xbf")

// A RefusedError says in one sentence why a file was not edited: it is not what the host writes, so that an edit could break
// it.
type RefusedError struct{ Message string }

func (e *RefusedError) Error() string { return e.Message }

func refused(format string, arguments ...any) error {
	return &RefusedError{fmt.Sprintf(format, arguments...)}
}

// A document is a file that was read. Each of its edits returns the new text of the file, and is the only one. Its errors are
// RefusedErrors.
type document interface {
	// tree returns the values of the file, nil for an empty file.
	tree() map[string]any
	// set puts members into the entry under a key and a name and takes others out of it. It makes the entry if it is missing.
	set(key, name string, members object, gone []string) (string, error)
	// remove takes an entry that is there out, and nothing else.
	remove(key, name string) (string, error)
}

// Add returns a file with a server in it. A file that holds it already comes back as it was; so does everything else in
// it. Its errors are RefusedErrors.
func (c Client) Add(file []byte, s Server) ([]byte, error) {
	return c.edit(file, s.Name, func(d document, fields map[string]any) (string, error) {
		entry := c.entry(c, s)
		var set object
		for _, m := range entry {
			if current, is := fields[m.key]; !is || encode(current) != encode(m.value) {
				set = append(set, m)
			}
		}
		gone := slices.DeleteFunc(leftOver(entry), func(key string) bool { _, is := fields[key]; return !is })
		if len(set)+len(gone) == 0 {
			return "", errNothing
		}
		return d.set(c.key, s.Name, set, gone)
	})
}

// Remove returns a file without the server of a name, which must be ours. A file that does not hold it comes back as it
// was. Its errors are RefusedErrors.
func (c Client) Remove(file []byte, name string) ([]byte, error) {
	return c.edit(file, name, func(d document, fields map[string]any) (string, error) {
		if fields == nil {
			return "", errNothing
		}
		return d.remove(c.key, name)
	})
}

// errNothing means that a file is as it should be.
var errNothing = refused("nothing is to change")

// edit runs a change of the entry of one name, which must be ours if it is there, and makes sure that it changed nothing else. The change
// is given the fields of the entry, nil if it is missing.
func (c Client) edit(file []byte, name string, change func(d document, fields map[string]any) (string, error)) ([]byte, error) {
	mark, lineEnd, d, err := c.read(file)
	if err != nil {
		return nil, err
	}
	held, is := d.tree()[c.key]
	servers, ok := held.(map[string]any)
	if is && !ok {
		return nil, refused("%q is not an object: mend it first", c.key)
	}
	old, is := servers[name]
	fields, ok := old.(map[string]any)
	if is && !ok {
		return nil, refused("the entry %q is not an object", name)
	}
	if command, local := commandOf(fields); local && !ours(command) {
		return nil, refused("the name %q is taken by another server, which runs %s: choose another with --name",
			name, cmp.Or(command, "something else"))
	}
	before := remainder(d, c.key, name)
	changed, err := change(d, fields)
	if errors.Is(err, errNothing) {
		return file, nil
	}
	if err != nil {
		return nil, err
	}
	if after, err := c.parse(changed); err != nil || before != remainder(after, c.key, name) {
		return nil, refused("the file is written in a way that cannot be edited without touching other parts of it: add the entry by hand")
	}
	return append(bytes.Clone(mark), strings.ReplaceAll(changed, "\n", lineEnd)...), nil
}

// read reads a file, with the byte order mark that stands before it and the end of its lines, which become \n.
func (c Client) read(file []byte) (mark []byte, lineEnd string, d document, err error) {
	rest := bytes.TrimPrefix(file, byteOrderMark)
	if !utf8.Valid(rest) {
		return nil, "", nil, refused("the file is not UTF-8 text")
	}
	text, lineEnd := string(rest), "\n"
	if ends := strings.Count(text, "\r\n"); ends > 0 && ends == strings.Count(text, "\n") {
		lineEnd, text = "\r\n", strings.ReplaceAll(text, "\r\n", "\n")
	}
	d, err = c.parse(text)
	return file[:len(file)-len(rest)], lineEnd, d, err
}

// remainder spells everything in a file but one entry; fmt sorts the keys of maps. The place for entries may come to
// exist.
func remainder(d document, key, name string) string {
	rest := maps.Clone(d.tree())
	if servers, ok := rest[key].(map[string]any); ok {
		others := maps.Clone(servers)
		delete(others, name)
		rest[key] = others
		if len(others) == 0 {
			delete(rest, key)
		}
	}
	return fmt.Sprintf("%#v", rest)
}

// commandOf is the program that an entry starts: empty where it is not a text. The entry is not local without one.
func commandOf(fields map[string]any) (command string, local bool) {
	value, local := fields["command"]
	command, _ = value.(string)
	return command, local
}

// addressKeys are under which keys the clients hold the address of a hosted server.
var addressKeys = []string{"url", "httpUrl"}

// leftOver returns the keys that say how a server is reached and that the entry does not have: an old entry must not keep
// them. Everything else that a user added stays; so do headers of a hosted server.
func leftOver(entry object) []string {
	has := func(key string) bool { return slices.ContainsFunc(entry, func(m member) bool { return m.key == key }) }
	keys := append([]string{"type", "command", "args", "bearer_token_env_var"}, addressKeys...)
	if has("command") {
		keys = append(keys, "headers")
	}
	return slices.DeleteFunc(keys, has)
}

// ours reports whether a command is this program, wherever it is installed, also as pdpp-mcp-server of the npm package or with a version.
func ours(command string) bool {
	base := command[strings.LastIndexAny(command, `/\`)+1:]
	return strings.HasPrefix(strings.ToLower(base), "pdpp-mcp")
}

// Ours lists the servers in a file that run this program, or that stand under the given name: the name of each with its command or its
// URL. Its errors are RefusedErrors.
func (c Client) Ours(file []byte, name string) ([]Server, error) {
	_, _, d, err := c.read(file)
	if err != nil {
		return nil, err
	}
	servers, _ := d.tree()[c.key].(map[string]any)
	var found []Server
	for held, value := range servers {
		fields, isServer := value.(map[string]any)
		command, _ := commandOf(fields)
		if !isServer || !ours(command) && held != name {
			continue
		}
		entry := Server{Name: held, Command: command}
		for _, field := range addressKeys {
			if address, ok := fields[field].(string); ok {
				entry.URL = address
			}
		}
		found = append(found, entry)
	}
	return found, nil
}
