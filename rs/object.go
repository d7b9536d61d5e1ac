package rs

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// An Object is a JSON object whose members keep their order and whose values stay the bytes that they were, so that
// what a resource server said can be narrowed without being decoded and encoded again.
type Object []Member

// A Member is one name of an [Object] with its value.
type Member struct {
	Name  string
	Value json.RawMessage
}

// ReadObject reads one JSON object and nothing after it. Its error says what is expected and shows none of the text.
func ReadObject(raw []byte) (Object, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("an object is expected")
	}
	object := Object{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, errors.New("the JSON is malformed")
		}
		name, _ := token.(string) // inside an object the token before a value is its name
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			return nil, errors.New("the JSON is malformed")
		}
		object = append(object, Member{name, value})
	}
	if _, err := decoder.Token(); err != nil {
		return nil, errors.New("the JSON is malformed")
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("something follows the object")
	}
	return object, nil
}

// Get returns the value of a name, or nil when it is absent or null. Of a name given twice the last one counts.
func (o Object) Get(name string) json.RawMessage {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].Name == name {
			if string(o[i].Value) == "null" {
				return nil
			}
			return o[i].Value
		}
	}
	return nil
}

// With returns o with a value set, in its place or at the end.
func (o Object) With(name string, value json.RawMessage) Object {
	set := make(Object, 0, len(o)+1)
	found := false
	for _, m := range o {
		if m.Name == name {
			if found {
				continue
			}
			m.Value, found = value, true
		}
		set = append(set, m)
	}
	if !found {
		set = append(set, Member{name, value})
	}
	return set
}

// Without returns o less a name.
func (o Object) Without(name string) Object {
	kept := make(Object, 0, len(o))
	for _, m := range o {
		if m.Name != name {
			kept = append(kept, m)
		}
	}
	return kept
}

// MarshalJSON writes the members in their order.
func (o Object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := json.Marshal(m.Name)
		if err != nil {
			return nil, err
		}
		b = append(append(b, name...), ':')
		b = append(b, m.Value...)
	}
	return append(b, '}'), nil
}
