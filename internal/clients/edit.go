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

// A RefusedError says in one sentence why a file was not edited: it has an unexpected form, which an edit could break.
type RefusedError struct{ Message string }

func (e *RefusedError) Error() string { return e.Message }

func refused(format string, arguments ...any) error {
	return &RefusedError{fmt.Sprintf(format, arguments...)}
}

// A document is a parsed file. It can be edited once: set and remove return the new text of the file. Their errors are RefusedErrors.
type document interface {
	// tree returns the values of the file, nil for an empty file.
	tree() map[string]any
	// set adds or replaces members of the entry name in the object key, and removes those in gone. It creates a missing entry.
	set(key, name string, members object, gone []string) (string, error)
	// remove removes an entry, which must exist, and nothing else.
	remove(key, name string) (string, error)
}

// Add returns the file with a server added or updated, and everything else unchanged. Its errors are RefusedErrors.
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

// Remove returns the file without the server of a name, which must be ours. A file without that server is returned unchanged. Its
// errors are RefusedErrors.
func (c Client) Remove(file []byte, name string) ([]byte, error) {
	return c.edit(file, name, func(d document, fields map[string]any) (string, error) {
		if fields == nil {
			return "", errNothing
		}
		return d.remove(c.key, name)
	})
}

var errNothing = refused("nothing is to change")

// edit runs a change of the entry of one name and verifies that nothing else changed. An existing entry must be ours. The change gets the
// fields of the entry, or nil if it is missing.
func (c Client) edit(file []byte, name string, change func(d document, fields map[string]any) (string, error)) ([]byte, error) {
	mark, lineEnd, d, err := c.read(file)
	if err != nil {
		return nil, err
	}
	held, is := d.tree()[c.key]
	servers, ok := held.(map[string]any)
	if is && !ok {
		return nil, refused("%q is not an object: fix it first", c.key)
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

// read parses a file, whose line ends become \n. It returns the file's byte order mark and line end.
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

// remainder formats everything in a file except one entry; fmt sorts the keys of maps. An object key without other entries is left out,
// because an edit may create it.
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

// commandOf returns the program that an entry starts, "" if it is not a string. An entry without one is not local.
func commandOf(fields map[string]any) (command string, local bool) {
	value, local := fields["command"]
	command, _ = value.(string)
	return command, local
}

// leftOver returns the keys about the transport that the entry lacks: an old entry must lose them. Other members that a user added stay,
// and so do the headers of a hosted server.
func leftOver(entry object) []string {
	has := func(key string) bool { return slices.ContainsFunc(entry, func(m member) bool { return m.key == key }) }
	keys := append([]string{"type", "command", "args", "bearer_token_env_var"}, addressKeys...)
	if has("command") {
		keys = append(keys, "headers")
	}
	return slices.DeleteFunc(keys, has)
}

// ours reports whether a command is this program in any folder, also as pdpp-mcp-server of the npm package or with a version.
func ours(command string) bool {
	base := command[strings.LastIndexAny(command, `/\`)+1:]
	return strings.HasPrefix(strings.ToLower(base), "pdpp-mcp")
}

// Ours returns the servers of a file that run this program or have the given name, by name, each with its command or its URL. Its errors
// are RefusedErrors.
func (c Client) Ours(file []byte, name string) ([]Server, error) {
	_, _, d, err := c.read(file)
	if err != nil {
		return nil, err
	}
	servers, _ := d.tree()[c.key].(map[string]any)
	var found []Server
	for _, held := range slices.Sorted(maps.Keys(servers)) {
		fields, isServer := servers[held].(map[string]any)
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
