package clients

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

var byteOrderMark = []byte("\xef\xbb\xbf")

// Add returns a file with a server in it. A file that holds it already comes back as it was; so does everything else in
// it. Its errors are RefusedErrors.
func (c Client) Add(file []byte, s Server) ([]byte, error) {
	return c.edit(file, s.Name, func(text string) (string, error) { return c.format.put(text, c.key, s.Name, c.entry(c, s)) })
}

// Remove returns a file without the server of a name, which must be ours. A file that does not hold it comes back as it
// was. Its errors are RefusedErrors.
func (c Client) Remove(file []byte, name string) ([]byte, error) {
	return c.edit(file, name, func(text string) (string, error) { return c.format.remove(text, c.key, name) })
}

// An Entry is one of our servers as a host's file holds it.
type Entry struct {
	Name    string
	Command string // empty for a hosted server
	URL     string // empty for a local one
}

// Ours lists the servers in a file that run this program, or that stand under the given name. Its errors are RefusedErrors.
func (c Client) Ours(file []byte, name string) ([]Entry, error) {
	text, _, err := c.readable(file)
	if err != nil {
		return nil, err
	}
	tree, err := c.format.decode(text)
	if err != nil {
		return nil, err
	}
	var found []Entry
	for _, entry := range entries(tree, c.key) {
		if ours(entry.Command) || entry.Name == name {
			found = append(found, entry)
		}
	}
	return found, nil
}

// edit runs a change on the text of a file, and makes sure that it changed nothing but the entry of one name.
func (c Client) edit(file []byte, name string, change func(string) (string, error)) ([]byte, error) {
	text, mark, err := c.readable(file)
	if err != nil {
		return nil, err
	}
	lineEnd := "\n"
	if ends := strings.Count(text, "\r\n"); ends > 0 && ends == strings.Count(text, "\n") {
		lineEnd, text = "\r\n", strings.ReplaceAll(text, "\r\n", "\n")
	}
	before, err := c.format.decode(text)
	if err != nil {
		return nil, err
	}
	changed, err := change(text)
	if err != nil {
		return nil, err
	}
	if changed == text {
		return file, nil
	}
	after, err := c.format.decode(changed)
	if err != nil || remainder(before, c.key, name) != remainder(after, c.key, name) {
		return nil, refused("the file is written in a way that cannot be edited without touching other parts of it: add the entry by hand")
	}
	return append(bytes.Clone(mark), strings.ReplaceAll(changed, "\n", lineEnd)...), nil
}

// readable returns a file's text, and the byte order mark that stands before it.
func (c Client) readable(file []byte) (text string, mark []byte, err error) {
	if bytes.HasPrefix(file, byteOrderMark) {
		mark, file = byteOrderMark, file[len(byteOrderMark):]
	}
	if !utf8.Valid(file) {
		return "", nil, refused("the file is not UTF-8 text")
	}
	return string(file), mark, nil
}

// entries are the servers of a file that look like servers.
func entries(tree map[string]any, key string) []Entry {
	servers, _ := tree[key].(map[string]any)
	var found []Entry
	for name, value := range servers {
		fields, ok := value.(map[string]any)
		if !ok {
			continue
		}
		entry := Entry{Name: name}
		entry.Command, _ = fields["command"].(string)
		for _, field := range []string{"url", "httpUrl"} {
			if address, ok := fields[field].(string); ok {
				entry.URL = address
			}
		}
		found = append(found, entry)
	}
	return found
}

// remainder spells everything in a file but one entry; fmt sorts the keys of maps. The place for entries may come to
// exist.
func remainder(tree map[string]any, key, name string) string {
	rest := map[string]any{}
	for k, v := range tree {
		rest[k] = v
	}
	if servers, ok := rest[key].(map[string]any); ok {
		others := map[string]any{}
		for k, v := range servers {
			if k != name {
				others[k] = v
			}
		}
		rest[key] = others
		if len(others) == 0 {
			delete(rest, key)
		}
	}
	return fmt.Sprintf("%#v", rest)
}
