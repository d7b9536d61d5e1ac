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

// A cursor says where a page ended. It is signed, and bound to the query and the grant that it came from. It holds
// positions and no values, and its bearer does not read them: they count records that a grant does not show.
type cursor struct {
	Kind   string
	Bound  string
	After  int64  // version of the last record; in search, the count of hits given
	Until  int64  // version where a changes session ends
	Issued int64  // seconds since 1970; bookmarks only
	State  string // generation of the store; search only, as hits have no place of their own
}

// Kinds of cursor.
const (
	cursorRecords  = "r"
	cursorChanges  = "c"
	cursorBookmark = "b"
	cursorSearch   = "s"
)

// cursorForm is how a cursor is written before it is sealed.
const cursorForm = "%q %q %q %d %d %d"

// macSize is how much of the signature a cursor carries.
const macSize = 16

func (c *call) sealCursor(position cursor) string {
	payload := fmt.Appendf(nil, cursorForm, position.Kind, position.Bound, position.State, position.After, position.Until, position.Issued)
	payload = append(payload, bytes.Repeat([]byte(" "), macSize-1-(len(payload)-1)%macSize)...) // its length is not that of a position
	mac := c.cursorMAC(payload)
	return base64.RawURLEncoding.EncodeToString(append(c.hidden(payload, mac), mac...))
}

// openCursor reads a cursor of this server's own making.
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

// cursorParam reads a parameter that is a cursor, and refuses what is none as malformed.
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

// hidden encrypts what has this signature, or decrypts it: the signature is the nonce, so that the same position has the same cursor.
func (c *call) hidden(payload, mac []byte) []byte {
	key := sha256.Sum256(append([]byte("what cursors hold"), c.catalog.CursorKey...))
	block, _ := aes.NewCipher(key[:]) // any key of this length makes one
	other := make([]byte, len(payload))
	cipher.NewCTR(block, mac).XORKeyStream(other, payload)
	return other
}

// bind condenses the grant, the path and the query that a cursor belongs to.
func (c *call) bind(query string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{c.grant.Kind, c.grant.ID, strings.Join(c.path, "/"), query}, "\x00")))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// staleCursor refuses a cursor whose place is gone.
func staleCursor() *apiError {
	return invalidCursor("The files have changed since the page that this cursor came from; begin again without cursor")
}

// foreignCursor refuses a cursor that belongs elsewhere.
func foreignCursor() *apiError {
	return invalidCursor("Cursor belongs to another query or grant; send it with the parameters of the page that it came from")
}
