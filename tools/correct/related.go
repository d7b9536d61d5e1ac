package correct

import (
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// ReadRelated reads the streams that are related out of a schema document of all.
func (s *KnownStream) ReadRelated(all *rs.Schema) {
	for _, r := range s.Relations {
		s.Related = append(s.Related, ReadStream(r.Target, all))
	}
}

// misses reports whether the stream has no field of a name, nor of a similar one.
func (s KnownStream) misses(name string) bool {
	return s.field(name) == nil && len(nearest(name, s.suited(nil), 1)) == 0
}

// Misses reports whether a call reads a field that may be in a stream related to this one.
func (s KnownStream) Misses(args rs.Object) bool {
	for _, raw := range append(args.Array("fields"), args.Get("field")) {
		if name, ok := text(raw); ok && len(s.Relations) > 0 && s.misses(name) {
			return true
		}
	}
	return false
}

// inRelated looks for a field that the stream does not have in what is related to it, such as the body of a message.
func (c *correction) inRelated(param, name string) bool {
	if !c.stream.misses(name) {
		return false
	}
	var found []string
	for _, r := range c.stream.Related {
		for _, field := range []string{name, name + "_text"} {
			if r.field(field) != nil {
				found = append(found, r.Name, field)
				break
			}
		}
	}
	at := slices.IndexFunc(c.stream.Relations, func(r rs.Relation) bool { return len(found) == 2 && r.Target == found[0] })
	if at < 0 {
		return false
	}
	relation := c.stream.Relations[at].Name
	c.say(rs.UnknownField, param, "%s has no field %s; the related %s has it as %s.",
		c.stream.Name, quoted(name), shownNames([]string{relation}, 1), shownNames(found[1:], 1))
	c.related, c.hint = append(c.related, relation), "The call below reads the record with what is related to it."
	return true
}
