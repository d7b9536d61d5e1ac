// Package wire reads what resource servers, token authorities and package directories answer beside data: errors, waits, times, and
// the JSON that decides who gets in.
package wire

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// ErrAmbiguousMember is the error of an object that another reader may understand differently.
var ErrAmbiguousMember = errors.New("a member of an object is there twice, or in another case than its name")

// Decode is json.Unmarshal of an object that decides who gets in. encoding/json takes the last of two members with one
// name, and reads a name in any case; here either is an error. names are the members that are read; others may be there, each once.
func Decode(raw []byte, into any, names ...string) error {
	if err := json.Unmarshal(raw, into); err != nil {
		return err
	}
	return CheckMembers(rs.AsObject(string(raw)), names...)
}

// CheckMembers reports whether no two members have the same name in any case, and those named have exactly that name.
func CheckMembers(o rs.Object, names ...string) error {
	seen := make(map[string]bool, len(o))
	for _, m := range o {
		folded := foldCase(m.Name)
		other := slices.ContainsFunc(names, func(name string) bool { return name != m.Name && foldCase(name) == folded })
		if seen[folded] || other {
			return ErrAmbiguousMember
		}
		seen[folded] = true
	}
	return nil
}

// foldCase is the same for names that encoding/json takes for the same.
func foldCase(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		return least
	}, name)
}
