package foreign

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// sortFields and sortDirections are members of a sort with its field and direction.
var (
	sortFields     = []string{"field", "name", "by", "column", "property", "key"}
	sortDirections = written.Set("direction order dir type mode")
	// sortNulls are members that say where records without the field are placed.
	sortNulls = written.Set("nulls nulls_first nulls_last missing unmapped_type")
)

// Quantities are the words for directions that need a field, unlike newest, which is by time.
var Quantities = written.Set("highest largest biggest greatest lowest smallest highest_first largest_first biggest_first greatest_first " +
	"most_first high_to_low lowest_first smallest_first fewest_first least_first low_to_high")

// Opposites maps each direction to the one that its negation means.
var Opposites = map[string]string{"asc": "desc", "desc": "asc"}

var (
	sortWithDirection = written.Expression(`(?i)^([^\s,:()]+?)(?:\s+|\s*[,:.]\s*)(asc|desc|ascending|descending|-1)$`)
	sortAsFunction    = written.Expression(`(?i)^(asc|desc)\(\s*([^\s,:()]+)\s*\)$`)
	sortSign          = written.Expression(`^([\w.]+)\s*([-+↓↑▼▲])$`)
	sortFrame         = written.Expression(`(?i)^order\s+by\s+|[\s_]+nulls[\s_]+(?:first|last)$`)
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
	} else if found := sortSign().FindStringSubmatch(text); found != nil {
		text, direction = found[1], "asc"
		if found[2] == "-" || found[2] == "↓" || found[2] == "▼" {
			direction = "desc"
		}
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
			_, direction = sortObject(append(members, rs.NewMember("field", field)))
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
		case strings.HasPrefix(ArgumentFlags[plain], "order "):
			flag, _ := rs.AsText(m.Value)
			means := strings.TrimPrefix(ArgumentFlags[plain], "order ")
			says = map[string]string{"true": means, "false": Opposites[means]}[strings.ToLower(flag)]
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
	return Directions[strings.ToLower(strings.TrimSpace(sortFrame().ReplaceAllString(text, "")))]
}

// Directed splits the name of a sort, such as total_desc, highestTotal or "descending by total", into field and direction. "newest" leaves
// no field. A name without a direction is returned unchanged.
func Directed(name string) (field, direction string) {
	words := strings.FieldsFunc(written.Snake(name), func(c rune) bool { return c != '-' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	words = slices.DeleteFunc(words, func(word string) bool { return word == "by" })
	whole, last := strings.Join(words, "_"), len(words)-1
	switch {
	case len(words) == 0 || Quantities[whole]:
	case Directions[whole] != "":
		return "", Directions[whole]
	case Directions[words[last]] != "":
		return strings.Join(words[:last], "_"), Directions[words[last]]
	case Directions[words[0]] != "":
		return strings.Join(words[1:], "_"), Directions[words[0]]
	}
	return name, ""
}

// Sorted merges sort and order. sort is a field with '-' before it for descending; order is the direction of the default sort.
func Sorted(args rs.Object) rs.Object {
	field, direction := Sort(args.Get("sort"))
	order := args.Text("order")
	if plain := written.Snake(order); args.Has("sort") && Quantities[plain] {
		order = Directions[plain]
	}
	f, d := Sort(args.Get("order"))
	if order != "asc" && order != "desc" && !args.Has("sort") && f != "" && (d != "" || strings.HasPrefix(order, "-")) { // "-total"
		field, direction, order = f, d, ""
		args = args.Renamed("order", "sort", `""`)
	}
	bare, negated := strings.CutPrefix(field, "-")
	named, alone := Directed(field) // alone: without a field
	if named != "" || negated {
		alone = ""
	}
	if direction == "" && (order == "asc" || order == "desc") && !negated {
		direction = order
	}
	switch {
	case field == "":
		return args
	case alone != "" && direction == "" && f != "" && Directions[f] == "": // the two are exchanged
		return args.Without("order").With("sort", rs.EncodeJSON(map[string]string{"desc": "-"}[alone]+f))
	case alone != "" && (order == "" && direction == "" || order == alone):
		return args.Without("order").Renamed("sort", "order", rs.EncodeJSON(alone))
	case alone != "":
		return args
	case direction == "":
		return args.With("sort", rs.EncodeJSON(field))
	case direction == "asc" && negated, order != "" && direction != order: // they disagree
		return args
	case direction == "desc":
		field = "-" + bare
	}
	return args.Without("order").With("sort", rs.EncodeJSON(field))
}

// Sorts reports whether an argument of that name sets the order of records.
func Sorts(plain string) bool {
	return plain == "sort" || plain == "order" || strings.HasPrefix(ArgumentFlags[plain], "order ") ||
		slices.Contains(Aliases["sort"], plain) || slices.Contains(Aliases["order"], plain)
}

// ordered makes the sort of an aggregate the order of its groups: "-total" is desc. A sort by something else or without a direction stays.
func ordered(args rs.Object) rs.Object {
	for _, m := range args {
		field, direction := Sort(m.Value)
		if !Sorts(written.Snake(m.Name)) || field == "asc" || field == "desc" || !args.Has("group_by") && !args.Has("group_by_time") {
			continue
		}
		if bare, negated := strings.CutPrefix(field, "-"); negated && direction == "" {
			field, direction = bare, "desc"
		}
		metric, of := args.Text("metric"), args.Text("field")
		own := []string{"value", metric, metric + "_" + of, metric + "(" + of + ")", metric + "(*)", of}
		if args.Has("group_by_time") {
			own = []string{args.Text("group_by_time"), args.Text("granularity")}
		}
		if direction != "" && slices.Contains(own, field) && (m.Name == "order" || !args.Has("order")) {
			return args.Renamed(m.Name, "order", rs.EncodeJSON(direction))
		}
	}
	return args
}
