package foreign

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Directions maps words to the two directions of a sort.
var Directions = written.ByWord(map[string]string{
	"desc": "desc descending highest largest biggest greatest newest newest_first latest most_recent -1",
	"asc":  "asc ascending lowest smallest oldest oldest_first earliest 1",
})

// sortFields and sortDirections are members of a sort with its field and direction, and sortFlags those that mean a direction if true.
var (
	sortFields     = []string{"field", "name", "by", "column", "property", "key"}
	sortDirections = written.Set("direction order dir type mode")
	sortFlags      = map[string]string{"descending": "desc", "desc": "desc", "reverse": "desc", "ascending": "asc", "asc": "asc"}
	// sortNulls are members that say where records without the field are placed.
	sortNulls = written.Set("nulls nulls_first nulls_last missing unmapped_type")
)

// quantities are the words for directions that need a field, unlike newest, which is by time.
var quantities = written.Set("highest largest biggest greatest lowest smallest")

// Opposites maps each direction to the one that its negation means.
var Opposites = map[string]string{"asc": "desc", "desc": "asc"}

var (
	sortWithDirection = written.Expression(`(?i)^([^\s,:()]+?)(?:\s+|\s*[,:]\s*)(asc|desc|ascending|descending|-1)$`)
	sortAsFunction    = written.Expression(`(?i)^(asc|desc)\(\s*([^\s,:()]+)\s*\)$`)
	sortFrame         = written.Expression(`(?i)^order\s+by\s+|\s+nulls\s+(?:first|last)$`)
)

// Sort reads a sort in the notation of other APIs, as a whole or not at all: "total desc", "desc(total)", ["total",-1], {"total":"desc"},
// {"total":{"order":"desc"}} or {"field":"total","descending":true}. The direction is "asc", "desc", or "" if none is named. The field is
// "" if the sort was not read.
func Sort(raw string) (field, direction string) {
	if list, ok := rs.AsArray(raw); ok {
		if len(list) == 1 {
			return Sort(list[0])
		}
		pair := make([]string, len(list))
		for i := range list {
			pair[i], _ = rs.AsText(list[i])
		}
		if text := strings.Join(pair, " "); sortWithDirection().MatchString(text) {
			return sortText(text)
		}
		return "", ""
	}
	text, isText := written.Text(raw)
	if o := rs.AsObject(cmp.Or(text, raw)); o != nil {
		return sortObject(o)
	}
	if !isText {
		return "", ""
	}
	return sortText(text)
}

func sortText(text string) (field, direction string) {
	text = strings.TrimSpace(sortFrame().ReplaceAllString(strings.TrimSpace(text), ""))
	if found := sortWithDirection().FindStringSubmatch(text); found != nil {
		text, direction = found[1], Directions[strings.ToLower(found[2])]
	} else if found := sortAsFunction().FindStringSubmatch(text); found != nil {
		text, direction = found[2], strings.ToLower(found[1])
	}
	return strings.TrimPrefix(text, "+"), direction
}

// sortObject reads a sort whose members are its field and direction, or whose one member is named like the field.
func sortObject(o rs.Object) (field, direction string) {
	field = o.Text(sortFields...)
	if len(o) == 1 && field == "" {
		field = o[0].Name
		direction = directionIn(o[0].Value)
		if members := rs.AsObject(o[0].Value); members != nil {
			_, direction = sortObject(append(members, rs.Member{Name: "field", Value: rs.EncodeJSON(field)}))
		}
		if direction == "" {
			return "", ""
		}
		return field, direction
	}
	for _, m := range o {
		says := ""
		switch plain := written.Snake(m.Name); {
		case slices.Contains(sortFields, m.Name), sortNulls[plain]:
			continue
		case sortDirections[plain]:
			says = directionIn(m.Value)
		case sortFlags[plain] != "":
			flag, _ := rs.AsText(m.Value)
			says = map[string]string{"true": sortFlags[plain], "false": Opposites[sortFlags[plain]]}[strings.ToLower(flag)]
		}
		if says == "" || direction != "" && direction != says {
			return "", ""
		}
		direction = says
	}
	return field, direction
}

// directionIn returns the direction that a word or a number means; "" for none.
func directionIn(raw string) string {
	text, _ := rs.AsText(raw)
	return Directions[strings.ToLower(strings.TrimSpace(text))]
}

// Directed splits the name of a sort, such as total_desc, highestTotal or "descending by total", into field and direction. "newest" leaves
// no field. A name without a direction is returned unchanged.
func Directed(name string) (field, direction string) {
	words := strings.FieldsFunc(written.Snake(name), func(c rune) bool { return c != '-' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	words = slices.DeleteFunc(words, func(word string) bool { return word == "by" })
	whole, last := strings.Join(words, "_"), len(words)-1
	switch {
	case len(words) == 0 || quantities[whole]:
	case Directions[whole] != "":
		return "", Directions[whole]
	case Directions[words[last]] != "":
		return strings.Join(words[:last], "_"), Directions[words[last]]
	case Directions[words[0]] != "":
		return strings.Join(words[1:], "_"), Directions[words[0]]
	}
	return name, ""
}
