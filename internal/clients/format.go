package clients

import (
	"fmt"
	"slices"
	"strings"
)

// A format reads and edits the text of a client's file. Its errors are RefusedErrors.
type format interface {
	// decode returns the values of a file; an empty file has none.
	decode(text string) (map[string]any, error)
	// put adds an entry under key and name, or changes the one that is there.
	put(text, key, name string, entry object) (string, error)
	// remove takes out the entry under key and name, and nothing else.
	remove(text, key, name string) (string, error)
	// spell returns a file that holds one entry alone.
	spell(key, name string, entry object) string
}

// A RefusedError says in one sentence why a file was not edited: it is not what the host writes, so that an edit could break
// it.
type RefusedError struct{ Message string }

// Error returns the sentence.
func (e *RefusedError) Error() string { return e.Message }

func refused(format string, arguments ...any) error {
	return &RefusedError{fmt.Sprintf(format, arguments...)}
}

// mayReplace reports why an entry that stands under our name is not ours to change; nil when it is.
func mayReplace(name string, value any) error {
	fields, ok := value.(map[string]any)
	if !ok {
		return refused("the entry %q is not an object", name)
	}
	command, local := fields["command"].(string)
	if local && !ours(command) {
		return refused("the name %q is taken by another server, which runs %s: choose another with --name", name, command)
	}
	return nil
}

// leftOver returns the keys that say how a server is reached and that the entry does not have: an old entry must not keep
// them. Everything else that a user added stays; so do headers of a hosted server.
func leftOver(entry object) []string {
	has := func(key string) bool { return slices.ContainsFunc(entry, func(m member) bool { return m.key == key }) }
	keys := []string{"type", "url", "httpUrl", "command", "args", "bearer_token_env_var"}
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
