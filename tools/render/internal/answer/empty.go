package answer

import (
	"fmt"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// An EmptyField is a field of a filter that matches no record: how many records its own condition matches, and the values of the field.
type EmptyField struct {
	Field  string
	Alone  int // -1 when it is not known
	Values []KnownValue
	Beyond bool      // the field has other values than these
	Least  string    // of its values, as JSON, where none is in the range that was asked for; "" where that is not known
	Most   string    // the same of the largest
	IDsOf  string    // the stream whose ids its values are; "" where that is not known
	Record string    // the handle of the record whose own id was asked for, where the field has something else; "" for none
	Whole  bool      // search reads its words, and the condition was on all of its text
	Signs  bool      // the value has signs that are wildcards elsewhere
	Meant  rs.Object // the arguments with a value in its place that is near to what was asked for; nil for none
	Search rs.Object // of what was asked for, among the words of the field or of that stream; nil for none
}

const (
	shownValues   = 12  // of a field are named
	identityBytes = 600 // of a value in structured output
)

// A KnownValue is a value of a field, as JSON, and how many records have it.
type KnownValue struct {
	Key   string
	Count int
}

// Conditions lists, for each field of a filter, how many records its condition matches alone, and what is known of its values: as lines
// of text, none if that number is not known, and as JSON.
func Conditions(tool string, fields []EmptyField) (lines []string, structured string) {
	var alone []string
	list := new(write.Object).Open("", '[')
	for _, e := range fields {
		name, search := write.ShownName(e.Field), e.Meant == nil
		list.Open("", '{').Plain("field", clean.Clip(e.Field, write.LongestName))
		if e.Alone >= 0 {
			alone = append(alone, fmt.Sprintf("on %s matches %s", name, write.Plural(e.Alone, "record")))
			list.Put("alone", write.JSON(e.Alone))
		}
		var values, ranged, holds, whole, meant string
		if len(e.Values) > 0 {
			others, atLeast := "and %d others", write.When(e.Beyond, "at least ")
			shown := write.First(write.Each(e.Values, KnownValue.text), shownValues, strings.Replace(others, "%", atLeast+"%", 1))
			values = name + " is " + strings.Join(shown, ", ") + "."
			list.Array("values", write.EachOf(e.Values, shownValues, KnownValue.json))
			if left := len(e.Values) - shownValues; left > 0 {
				list.Put("other_values", write.When(!e.Beyond, write.JSON(left))+write.When(e.Beyond, write.JSON(fmt.Sprint(atLeast, left))))
			}
		}
		if e.Least != "" && e.Most != "" {
			ranged = fmt.Sprintf("%s is from %s to %s.", name, write.ShownValue(e.Least), write.ShownValue(e.Most))
			list.Put("least", write.Truncate(e.Least, identityBytes)).Put("most", write.Truncate(e.Most, identityBytes))
		}
		switch {
		case e.Record != "":
			id := rs.Object{{Name: "id", Value: write.JSON(e.Record)}}.JSON()
			holds = write.Offer("That is a record's own id, and its field "+name+" another. The record: ", "fetch "+id, write.LineChars)
			list.Put("record", write.ToolCall("fetch", id))
		case e.IDsOf != "":
			holds = fmt.Sprintf("%s holds ids of %s.", name, write.ShownName(e.IDsOf))
		case e.Whole:
			whole = fmt.Sprintf("A value must be all of %s, not a word of it.", name)
		}
		list.Optional("ids_of", clean.Clip(e.IDsOf, write.LongestName))
		list.Optional("wildcards", write.When(e.Signs, "none: * and % stand for themselves"))
		list.Optional("compared", write.When(e.Whole, "all of its text, not a word of it"))
		if search && e.Search != nil {
			list.Put("search", write.ToolCall("search", e.Search.JSON()))
			meant = write.Offer("To find it by its words: ", "search "+e.Search.JSON(), write.LineChars)
		} else if !search {
			list.Put("did_you_mean", write.ToolCall(tool, e.Meant.JSON()))
			meant = write.Offer("Did you mean: ", tool+" "+e.Meant.JSON(), write.LineChars)
		}
		list.Close('}')
		signs := write.When(e.Signs, "A filter has no wildcards: * and % stand for themselves.")
		lines = append(lines, write.Clipped(write.NotEmpty(values, ranged, signs, holds, whole, meant))...)
	}
	structured = write.When(len(fields) > 0, string(list.Close(']').Inside()))
	if len(alone) == 0 {
		return nil, structured
	}
	return append(write.Clipped([]string{"Alone, the condition " + strings.Join(alone, ", ") + "."}), lines...), structured
}

// text is "shipped (12)".
func (v KnownValue) text() string {
	cell, _ := clean.Cell(v.Key, write.KeyChars)
	return fmt.Sprintf("%s (%d)", cell, v.Count)
}

func (v KnownValue) json() string {
	return new(write.Object).Put("key", write.Truncate(v.Key, identityBytes)).Put("count", write.JSON(v.Count)).JSON()
}
