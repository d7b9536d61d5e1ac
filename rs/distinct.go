package rs

import "github.com/go-json-experiment/json/jsontext"

// distinct returns JSON in which no object has two members of one name: of those the last one stays, as in encoding/json. JSON that
// is so already is returned as it is.
func distinct(raw string) string {
	if s, err := readShape(raw); err == nil && s.distinct {
		return raw
	}
	d := distincter{decoder: newDecoder(raw)}
	if d.value() != nil {
		return raw
	}
	return string(d.out)
}

// A distincter copies JSON without the members that a later one of the same name replaces.
type distincter struct {
	decoder *jsontext.Decoder
	out     []byte
}

func (d *distincter) value() error {
	switch d.decoder.PeekKind() {
	case '{':
		return d.object()
	case '[':
		return d.array()
	}
	raw, err := d.decoder.ReadValue()
	d.out = append(d.out, raw...)
	return err
}

func (d *distincter) array() error {
	if err := d.bracket(); err != nil {
		return err
	}
	for first := true; d.decoder.PeekKind() != ']'; first = false {
		if !first {
			d.out = append(d.out, ',')
		}
		if err := d.value(); err != nil {
			return err
		}
	}
	return d.bracket()
}

func (d *distincter) object() error {
	if err := d.bracket(); err != nil {
		return err
	}
	start := len(d.out)
	type member struct {
		name     string
		from, to int // in out, with a comma behind it
	}
	var members []member
	last := map[string]int{}
	for d.decoder.PeekKind() != '}' {
		name, err := d.decoder.ReadToken()
		if err != nil {
			return err
		}
		text, from := name.String(), len(d.out)
		d.out = append(append(d.out, EncodeJSON(text)...), ':')
		if err := d.value(); err != nil {
			return err
		}
		d.out = append(d.out, ',')
		last[text] = len(members)
		members = append(members, member{text, from, len(d.out)})
	}
	if len(last) < len(members) {
		end := start
		for i, m := range members {
			if last[m.name] == i {
				end += copy(d.out[end:], d.out[m.from:m.to])
			}
		}
		d.out = d.out[:end]
	}
	if len(d.out) > start {
		d.out = d.out[:len(d.out)-1]
	}
	return d.bracket()
}

// bracket copies a bracket.
func (d *distincter) bracket() error {
	token, err := d.decoder.ReadToken()
	d.out = append(d.out, token.String()...)
	return err
}
