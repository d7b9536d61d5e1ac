package rs

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// redacted replaces an access token. It is shorter than any token that a Redactor looks for.
const redacted = "[token]"

// minRedacted is the length in bytes of the shortest token that a Redactor looks for: a shorter one would match ordinary words.
const minRedacted = 8

// A Redactor removes access tokens from text: each in plain, percent-encoded, and in base64 at any offset, such as after "Bearer ". The nil
// Redactor removes nothing.
type Redactor struct{ forms []string }

// Redactor returns a Redactor of the token, or nil for one of fewer than 8 bytes.
func (t Token) Redactor() *Redactor {
	credential := bare(t)
	if len(credential) < minRedacted {
		return nil
	}
	r := &Redactor{append(make([]string, 0, 6), credential)}
	if encoded := url.QueryEscape(credential); encoded != credential {
		r.forms = append(r.forms, encoded, lowerHex(encoded))
	}
	padded := append(make([]byte, 2, 2+len(credential)), credential...)
	for offset := range 3 { // base64 encodes three bytes at a time: what precedes shifts it
		encoded := base64.RawStdEncoding.EncodeToString(padded[2-offset:])
		form := encoded[(8*offset+5)/6 : 8*(offset+len(credential))/6] // the characters that encode nothing but the credential
		r.forms = append(r.forms, form)
		if strings.ContainsAny(form, "+/") {
			r.forms = append(r.forms, strings.ReplaceAll(strings.ReplaceAll(form, "+", "-"), "/", "_"))
		}
	}
	return r
}

// lowerHex writes the hexadecimal digits of percent-encoded text in lower case.
func lowerHex(encoded string) string {
	lower := []byte(encoded)
	for i := range lower {
		if lower[i] == '%' { // two digits follow
			copy(lower[i+1:], strings.ToLower(encoded[i+1:i+3]))
		}
	}
	return string(lower)
}

func (r *Redactor) finds(text string) bool {
	return r != nil && slices.ContainsFunc(r.forms, func(form string) bool { return strings.Contains(text, form) })
}

// mayFind reports whether JSON has to be searched string by string: it may contain a token in plain, or with escapes.
func (r *Redactor) mayFind(raw string) bool {
	const slash, ascii = `\/`, `\u00` // the escapes of the characters that tokens consist of
	mayEscape := strings.Contains(raw, slash) || strings.Contains(raw, ascii)
	return r != nil && (mayEscape || r.finds(raw) || slices.ContainsFunc(r.forms, needsEscapes))
}

// needsEscapes reports whether JSON has a text only with escapes.
func needsEscapes(form string) bool { return strings.ContainsAny(form, `"\`) }

// Text returns a text without the tokens.
func (r *Redactor) Text(text string) string {
	if !r.finds(text) {
		return text
	}
	for _, form := range r.forms {
		text = strings.ReplaceAll(text, form, redacted)
	}
	return text
}

// JSON removes the tokens from JSON, also those written with escapes; the result is still JSON. Text that is not JSON is searched as well.
// The time that it takes grows only with the bytes, however many strings there are.
func (r *Redactor) JSON(raw string) string {
	if !r.mayFind(raw) {
		return raw
	}
	var out strings.Builder
	var text []byte // of a string; reused
	written, plain := 0, r.finds(raw)
	write := func(to int) {
		part := raw[written:to]
		if written = to; plain {
			part = r.withoutEscapes(part)
		}
		out.WriteString(part)
	}
	for at := 0; at < len(raw); {
		if raw[at] != '"' {
			at++
			continue
		}
		end, escaped := endOfString(raw, at)
		if escaped {
			text, _ = jsontext.AppendUnquote(text[:0], raw[at:end]) // a string that is not UTF-8 is decoded as well
			if found := r.finds(string(text)); found || plain {
				write(at)
				if written = end; found {
					out.WriteString(EncodeJSON(r.Text(string(text))))
				} else {
					out.WriteString(raw[at:end]) // what looks like a token there begins in the middle of an escape
				}
			}
		}
		at = end
	}
	write(len(raw))
	return out.String()
}

// withoutEscapes removes the tokens from a part of JSON that has no escapes. A token of digits may be part of a number, which stays valid.
func (r *Redactor) withoutEscapes(part string) string {
	for _, form := range r.forms {
		switch {
		case needsEscapes(form):
		case strings.Trim(form, "0123456789.+-eE") == "":
			part = strings.ReplaceAll(part, form, digits.Replace(form))
		default:
			part = strings.ReplaceAll(part, form, redacted)
		}
	}
	return part
}

// endOfString returns where the JSON string ends that starts at an index, or the end of raw if the string is unterminated, and whether it
// has an escape.
func endOfString(raw string, start int) (end int, escaped bool) {
	for end = start + 1; end < len(raw); end++ {
		switch raw[end] {
		case '"':
			return end + 1, escaped
		case '\\':
			escaped = true
			end++
		}
	}
	return len(raw), escaped
}

// digits replaces every digit by 1, which may be the first digit of a number; 0 may not.
var digits = strings.NewReplacer("0", "1", "2", "1", "3", "1", "4", "1", "5", "1", "6", "1", "7", "1", "8", "1", "9", "1")

// Error returns an error without the tokens. It keeps the cause, which is never shown.
func (r *Redactor) Error(e *Error) *Error {
	if r == nil || e == nil {
		return e
	}
	clean := *e
	if r.finds(string(e.Code)) {
		clean.Code = "upstream_error"
	}
	for _, text := range []*string{
		&clean.Message, &clean.Hint, &clean.Param, &clean.ServerMessage, &clean.RetryWith, &clean.RequestID, &clean.Send,
	} {
		*text = r.Text(*text)
	}
	if e.Envelope != nil {
		clean.Envelope = []byte(r.JSON(string(e.Envelope)))
	}
	clean.Connections = slices.Clone(e.Connections)
	for i, c := range clean.Connections {
		clean.Connections[i] = r.connection(c)
	}
	clean.Unavailable = slices.Clone(e.Unavailable)
	for i, c := range clean.Unavailable {
		clean.Unavailable[i] = UnavailableConnection{r.connection(c.Connection), Code(r.Text(string(c.Code))), r.Text(c.Message)}
	}
	return &clean
}

func (r *Redactor) connection(c Connection) Connection {
	return Connection{GrantID: r.Text(c.GrantID), ConnectorKey: r.Text(c.ConnectorKey), ID: r.Text(c.ID), DisplayName: r.Text(c.DisplayName)}
}

// UsedTokens are the tokens that one call has used. The zero value has none. It is safe for concurrent use.
type UsedTokens struct {
	mu        sync.Mutex
	redactors map[Token]*Redactor
}

// Redactor returns a Redactor of a token, and records that the call uses the token.
func (u *UsedTokens) Redactor(token Token) *Redactor {
	u.mu.Lock()
	defer u.mu.Unlock()
	r, found := u.redactors[token]
	if !found {
		if r = token.Redactor(); u.redactors == nil {
			u.redactors = map[Token]*Redactor{}
		}
		u.redactors[token] = r
	}
	return r
}

// All returns a Redactor of the tokens used so far. It also finds other tokens, those of the members of the caller's package, but only in
// plain: looking for their encoded forms would be slow for a large package.
func (u *UsedTokens) All(members []Token) *Redactor {
	u.mu.Lock()
	defer u.mu.Unlock()
	all := new(Redactor)
	for _, r := range u.redactors {
		if r != nil {
			all.forms = append(all.forms, r.forms...)
		}
	}
	for _, member := range members {
		if credential := bare(member); len(credential) >= minRedacted && u.redactors[member] == nil {
			all.forms = append(all.forms, credential)
		}
	}
	return all
}

// bare returns a token without its padding, which a server may omit when it repeats the token.
func bare(token Token) string { return strings.TrimRight(token.Reveal(), "=") }

// ErrorText is the function [ErrorText] without the tokens, even if invisible characters separate their parts.
func (r *Redactor) ErrorText(text string) string { return ErrorText(r.Text(line(text))) }
