package embedded

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
)

// A cursor says where a page ended. It is signed, and bound to the query and grant of that page. It contains positions, not values, and is
// encrypted, because positions count records that the grant does not show.
type cursor struct {
	Kind   string
	Bound  string
	After  int64  // version of the last record; in search, the number of hits returned so far
	Until  int64  // version where a changes session ends
	Issued int64  // seconds since 1970; of a bookmark, and of the first page of a search for a time
	State  string // generation of the store; search only, because positions of hits change with it
}

// Kinds of cursor.
const (
	cursorRecords  = "r"
	cursorChanges  = "c"
	cursorBookmark = "b"
	cursorSearch   = "s"
)

// cursorForm is the format of a cursor before encryption.
const cursorForm = "%q %q %q %d %d %d"

// macSize is how many bytes of the signature a cursor contains.
const macSize = 16

func (c *call) sealCursor(position cursor) string {
	payload := fmt.Appendf(nil, cursorForm, position.Kind, position.Bound, position.State, position.After, position.Until, position.Issued)
	payload = append(payload, bytes.Repeat([]byte(" "), macSize-1-(len(payload)-1)%macSize)...) // hides the length of the position
	mac := c.cursorMAC(payload)
	return base64.RawURLEncoding.EncodeToString(append(c.hidden(payload, mac), mac...))
}

// openCursor decodes a cursor; ok is false unless this server made it.
func (c *call) openCursor(text string) (position cursor, ok bool) {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(strings.TrimRight(text, "="))
	at := len(sealed) - macSize
	if err != nil || at <= 0 {
		return cursor{}, false
	}
	payload := c.hidden(sealed[:at], sealed[at:])
	if !hmac.Equal(sealed[at:], c.cursorMAC(payload)) {
		return cursor{}, false
	}
	_, err = fmt.Sscanf(string(payload), cursorForm, &position.Kind, &position.Bound, &position.State, &position.After, &position.Until,
		&position.Issued)
	return position, err == nil
}

// cursorParam decodes the cursor in a parameter, and refuses an invalid one with the message malformed.
func (c *call) cursorParam(name, malformed string) cursor {
	position, ok := c.openCursor(c.params.single[name])
	if !ok {
		c.refuse(invalidCursor(malformed))
	}
	return position
}

func (c *call) cursorMAC(payload []byte) []byte {
	mac := hmac.New(sha256.New, c.catalog.CursorKey)
	mac.Write(payload)
	return mac.Sum(nil)[:macSize]
}

// hidden encrypts or decrypts a payload with its signature as the nonce, so that a position always has the same cursor.
func (c *call) hidden(payload, mac []byte) []byte {
	key := sha256.Sum256(append([]byte("what cursors hold"), c.catalog.CursorKey...))
	block, _ := aes.NewCipher(key[:]) // cannot fail with a key of this length
	other := make([]byte, len(payload))
	cipher.NewCTR(block, mac).XORKeyStream(other, payload)
	return other
}

// bind hashes the grant, path and query that a cursor is bound to.
func (c *call) bind(query string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{c.grant.Kind, c.grant.ID, strings.Join(c.path, "/"), query}, "\x00")))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// staleCursor is the error of a cursor whose position no longer exists.
func staleCursor() *apiError {
	return invalidCursor("The files have changed since the page that this cursor came from; begin again without cursor")
}

// foreignCursor is the error of a cursor of another query or grant.
func foreignCursor() *apiError {
	return invalidCursor("Cursor belongs to another query or grant; send it with the parameters of the page that it came from")
}
