package rs

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"unique"
)

// A Token is a bearer credential. It prints as a placeholder everywhere; Reveal returns it to the code that sends it. The credential is
// behind a pointer, because fmt prints unexported fields of other values without calling their methods. Equal credentials are equal Tokens.
type Token struct {
	credential unique.Handle[string]
	key        TokenKey
}

// A TokenKey is the SHA-256 of a credential, a key for memory that must not contain credentials.
type TokenKey [sha256.Size]byte

// NewToken wraps a bearer credential. The empty one is the zero Token.
func NewToken(value string) Token {
	if value == "" {
		return Token{}
	}
	return Token{unique.Make(value), sha256.Sum256([]byte(value))}
}

// Reveal returns the credential, for an Authorization header and nothing else.
func (t Token) Reveal() string {
	if t == (Token{}) {
		return ""
	}
	return t.credential.Value()
}

// Key returns the key of the credential; the zero key of the zero Token.
func (t Token) Key() TokenKey { return t.key }

// IsHeaderText reports whether a credential can be sent in an Authorization header.
func IsHeaderText(credential string) bool {
	return credential != "" && !strings.ContainsFunc(credential, func(r rune) bool { return r <= ' ' || r > '~' })
}

func (t Token) String() string { return "[token]" }

// Format writes a placeholder for every verb.
func (t Token) Format(s fmt.State, _ rune) { _, _ = s.Write([]byte("[token]")) }

// MarshalText returns a placeholder.
func (t Token) MarshalText() ([]byte, error) { return []byte("[token]"), nil }
