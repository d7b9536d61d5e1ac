package render

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// unique returns JSON in which no object has two members of one name: of those the last one stays, as in encoding/json. So both
// channels, and every reader of them, show the same value. JSON that is so already is returned as it is.
func unique(raw string) string {
	if surelyUnique(raw) || jsontext.NewDecoder(strings.NewReader(raw), jsontext.AllowInvalidUTF8(true)).SkipValue() == nil {
		return raw
	}
	u := uniquer{decoder: jsontext.NewDecoder(strings.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	if u.value() != nil {
		return raw
	}
	return string(u.out)
}

// surelyUnique reports whether no object has two members of one name, as far as that is easily seen: it reports false where a name
// has an escape or an object has many members. It allocates nothing for most answers.
func surelyUnique(raw string) bool {
	const many = 48
	names, starts := make([]string, 0, 2*many), make([]int, 0, 16) // of the objects that are open
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '{':
			starts = append(starts, len(names))
		case '}':
			if len(starts) == 0 {
				return false
			}
			names, starts = names[:starts[len(starts)-1]], starts[:len(starts)-1]
		case '"':
			end := strings.IndexByte(raw[i+1:], '"')
			if end < 0 {
				return false
			}
			token := raw[i+1 : i+1+end]
			escaped := strings.IndexByte(token, '\\') >= 0
			if escaped {
				token = raw[i+1 : i+max(stringBytes(raw[i:]), 2)-1]
			}
			if i += len(token) + 1; !strings.HasPrefix(strings.TrimLeft(raw[i+1:], " \t\r\n"), ":") {
				continue
			}
			if len(starts) == 0 || escaped {
				return false
			}
			own := names[starts[len(starts)-1]:]
			if len(own) == many || slices.Contains(own, token) {
				return false
			}
			names = append(names, token)
		}
	}
	return true
}

// A uniquer copies JSON without the members that a later one of the same name replaces.
type uniquer struct {
	decoder *jsontext.Decoder
	out     []byte
}

func (u *uniquer) value() error {
	switch u.decoder.PeekKind() {
	case '{':
		return u.object()
	case '[':
		return u.array()
	}
	raw, err := u.decoder.ReadValue()
	u.out = append(u.out, raw...)
	return err
}

func (u *uniquer) array() error {
	if err := u.bracket(); err != nil {
		return err
	}
	for first := true; u.decoder.PeekKind() != ']'; first = false {
		if !first {
			u.out = append(u.out, ',')
		}
		if err := u.value(); err != nil {
			return err
		}
	}
	return u.bracket()
}

func (u *uniquer) object() error {
	if err := u.bracket(); err != nil {
		return err
	}
	start := len(u.out)
	type member struct {
		name     string
		from, to int // in out, with a comma behind it
	}
	var members []member
	last := map[string]int{}
	for u.decoder.PeekKind() != '}' {
		name, err := u.decoder.ReadToken()
		if err != nil {
			return err
		}
		text, from := name.String(), len(u.out)
		u.out = append(append(u.out, encode(text)...), ':')
		if err := u.value(); err != nil {
			return err
		}
		u.out = append(u.out, ',')
		last[text] = len(members)
		members = append(members, member{text, from, len(u.out)})
	}
	if len(last) < len(members) {
		end := start
		for i, m := range members {
			if last[m.name] == i {
				end += copy(u.out[end:], u.out[m.from:m.to])
			}
		}
		u.out = u.out[:end]
	}
	if len(u.out) > start {
		u.out = u.out[:len(u.out)-1]
	}
	return u.bracket()
}

// bracket copies a bracket.
func (u *uniquer) bracket() error {
	token, err := u.decoder.ReadToken()
	u.out = append(u.out, token.String()...)
	return err
}
