package embedded

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// An object is a JSON object whose members need no order.
type object map[string]any

// with adds a member, unless it is an empty text or list: then it is absent.
func (o object) with(name string, value any) object {
	switch value := value.(type) {
	case string:
		if value == "" {
			return o
		}
	case []string:
		if len(value) == 0 {
			return o
		}
	}
	o[name] = value
	return o
}

// nullable is a text that is null when it is empty.
func nullable(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// An ordered is a JSON object whose members keep the order of the stream's declaration.
type ordered []member

// A member is a name with its value.
type member struct {
	name  string
	value any
}

// MarshalJSON writes the members in order, a json.RawMessage as it is.
func (o ordered) MarshalJSON() ([]byte, error) {
	out := bytes.NewBufferString("{")
	for i, one := range o {
		if i > 0 {
			out.WriteByte(',')
		}
		name, err := json.Marshal(one.name)
		if err != nil {
			return nil, err
		}
		value, isRaw := one.value.(json.RawMessage)
		if !isRaw {
			if value, err = json.Marshal(one.value); err != nil {
				return nil, err
			}
		}
		out.Write(name)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(body) // the status is out: nothing more can reach a client that hung up
}
