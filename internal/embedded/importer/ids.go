package importer

import (
	"fmt"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// knownIDs are the ids of a stream, with how often each was asked for again. Of most records nothing else is remembered: there may be
// millions.
type knownIDs struct {
	repeats  map[string]int32
	contents map[string]knownContent // of messages and events, which may be copies
}

type knownContent struct {
	file    string
	line    int
	content string
}

// admit takes in a record, or says why it is left out: it is a copy of a message or an event. Any other record whose id is taken gets a
// further one: mail servers do give two messages one id, and the "id" of a row may be that of an account.
func (k knownIDs) admit(one *item.Item, file, key string) (reason string) {
	base := one.ID
	repeats, taken := k.repeats[base]
	for number := int32(2); taken; number++ {
		if one.Content == "" {
			number = max(number, repeats+2) // those before are taken
			repeats = number - 1
			k.repeats[base] = repeats
		} else if known := k.contents[one.ID]; known.content == one.Content {
			place := fmt.Sprintf("line %d", known.line)
			if known.file != file {
				place += " of " + known.file
			}
			return "the same as at " + place
		}
		one.ID = fmt.Sprintf("%s-%d", base, number)
		_, taken = k.repeats[one.ID]
	}
	k.repeats[one.ID] = 0
	if one.Content != "" {
		k.contents[one.ID] = knownContent{file: file, line: one.Line, content: one.Content}
	}
	fillIDs(one, key)
	return ""
}

// fillIDs writes the id into a record whose format has no field for it, and into what hangs on it.
func fillIDs(i *item.Item, key string) {
	if i.Content != "" {
		i.Fields = append([]item.Field{{Name: "id", Value: item.JSON(i.ID)}}, i.Fields...)
	}
	for index := range i.Attached {
		file := &i.Attached[index]
		file.ID = fmt.Sprintf("%s-a%d", i.ID, index+1)
		file.Fields = append([]item.Field{{Name: "id", Value: item.JSON(file.ID)}, {Name: key, Value: item.JSON(i.ID)}}, file.Fields...)
	}
}
