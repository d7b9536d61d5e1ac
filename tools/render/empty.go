package render

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
	Least  string    // of its values, as JSON, where none is in the range that was asked for; "" where that is not known
	Most   string    // the same of the largest
	IDsOf  string    // the stream whose ids its values are; "" where that is not known
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

// conditions lists, for each field of a filter, how many records its condition matches alone, and what is known of its values: as lines
// of text, none if that number is not known, and as JSON.
func conditions(tool string, fields []EmptyField) (lines []string, structured string) {
	var alone []string
	list := new(write.Object).Open("", '[')
	for _, e := range fields {
		name := write.ShownName(e.Field)
		say := func(format string, args ...any) {
			lines = append(lines, clean.Clip(fmt.Sprintf(format, args...), write.LineChars))
		}
		list.Open("", '{').Plain("field", clean.Clip(e.Field, write.LongestName))
		if e.Alone >= 0 {
			alone = append(alone, fmt.Sprintf("on %s matches %s", name, write.Plural(e.Alone, "record")))
			list.Put("alone", write.JSON(e.Alone))
		}
		if len(e.Values) > 0 {
			var values []string
			list.Open("values", '[')
			for _, v := range e.Values[:min(len(e.Values), shownValues)] {
				values = append(values, fmt.Sprintf("%s (%d)", clean.Cell(v.Key, write.KeyChars), v.Count))
				list.Open("", '{').Put("key", write.Truncate(v.Key, identityBytes)).Put("count", write.JSON(v.Count)).Close('}')
			}
			if list.Close(']'); len(e.Values) > len(values) {
				values = append(values, fmt.Sprintf("and %d others", len(e.Values)-len(values)))
			}
			say("%s is %s.", name, strings.Join(values, ", "))
		}
		if e.Least != "" && e.Most != "" {
			say("%s is from %s to %s.", name, write.ShownValue(e.Least), write.ShownValue(e.Most))
			list.Put("least", write.Truncate(e.Least, identityBytes)).Put("most", write.Truncate(e.Most, identityBytes))
		}
		list.Optional("ids_of", clean.Clip(e.IDsOf, write.LongestName))
		if e.Signs {
			say("A filter has no wildcards: * and %% stand for themselves.")
			list.Plain("wildcards", "none: * and % stand for themselves")
		}
		if e.Whole {
			list.Plain("compared", "all of its text, not a word of it")
		}
		if e.IDsOf != "" {
			say("%s holds ids of %s.", name, write.ShownName(e.IDsOf))
		} else if e.Whole {
			say("A value must be all of %s, not a word of it.", name)
		}
		key, lead, tool, meant := "did_you_mean", "Did you mean: ", tool, e.Meant
		if meant == nil {
			key, lead, tool, meant = "search", "To find it by its words: ", "search", e.Search
		}
		if meant != nil {
			list.Put(key, write.ToolCall(tool, meant.JSON()))
			if line := lead + tool + " " + meant.JSON(); write.Copyable(line, write.LineChars) {
				say("%s", line)
			}
		}
		list.Close('}')
	}
	structured = string(list.Close(']').Bytes())
	if len(alone) == 0 {
		return nil, structured
	}
	return append([]string{clean.Clip("Alone, the condition "+strings.Join(alone, ", ")+".", write.LineChars)}, lines...), structured
}
