package rs

// A strictReader reads values that are of the kind that the contract promises, or are not there. It remembers whether one
// was of another kind, so that this is asked once at the end.
type strictReader struct{ wrong bool }

func (s *strictReader) is(raw, kind string) bool {
	switch Kind(raw) {
	case kind:
		return true
	case "null", "nothing":
	default:
		s.wrong = true
	}
	return false
}

func (s *strictReader) text(o Object, name string) string {
	raw := o.Get(name)
	if !s.is(raw, "string") {
		return ""
	}
	text, _ := AsText(raw)
	return text
}

func (s *strictReader) boolean(o Object, name string, otherwise bool) bool {
	raw := o.Get(name)
	if !s.is(raw, "boolean") {
		return otherwise
	}
	return raw == "true"
}

// object reads an object in the room of one that is needed no more; its members are none when there is no object.
func (s *strictReader) object(room Object, raw string) Object {
	if !s.is(raw, "object") {
		return room[:0]
	}
	return room.Reread(raw)
}

// array reads an array in the room of a list that is needed no more.
func (s *strictReader) array(room []string, raw string) []string {
	if !s.is(raw, "array") {
		return room[:0]
	}
	list, _ := RereadArray(room, raw)
	return list
}
