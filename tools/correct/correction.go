package correct

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A correction is what the checks of a call found: what is wrong, and what to send instead. [Tool.Unknown] makes the checks in their order.
// Each takes the arguments and returns them mended.
type correction struct {
	tool    Tool
	stream  fields.Stream
	inGrant string // " in this grant" if an unknown field may exist without being granted, else ""

	wrong   []string // sentences
	code    rs.Code  // of the first sentence, as param
	param   string
	instead answer
}

// An answer is what to send instead of a call.
type answer struct {
	kind kind
	of   rs.Member // the condition; for sendValues only its field
	hint string    // what the call does
}

// A kind is a kind of answer. If several mistakes need different ones, the last of them in this list is sent.
type kind int

const (
	sendMended   kind = iota // the mended arguments
	sendExpanded             // these, with related records
	sendGroups               // a list of the values of the condition's field, to choose from
	sendSearch               // a search for the words of the condition
	sendTexts                // such a search in main texts, which related records may have
	sendNothing              // no call: a name has no replacement, and the message lists what to choose from
	sendSchema               // the schema: the message does not list all that there is to choose from
	sendValues               // the records, with the values of a field that no call groups by
)

// send sets what to send instead, unless another mistake needs an answer of a later kind.
func (c *correction) send(a answer) {
	if a.kind > c.instead.kind || a.kind == c.instead.kind && a.hint != "" {
		c.instead = a
	}
}

func (c *correction) report(code rs.Code, param, format string, values ...any) {
	if c.code == "" {
		c.code, c.param = code, param
	}
	if sentence := fmt.Sprintf(format, values...); !slices.Contains(c.wrong, sentence) { // two arguments may name one field
		c.wrong = append(c.wrong, sentence)
	}
}

// lacks reports that the stream has no field of a name. then is what follows, in the form of [fmt.Sprintf].
func (c *correction) lacks(param, name, then string, values ...any) {
	c.report("unknown_field", param, "%s has no field %s"+then, append([]any{c.stream.Name, quote.Text(name)}, values...)...)
}

// toGroup is what group_by and group_by_time need a field for.
const toGroup = "group"

// name returns the field that a name in an argument means, or "", and reports a wrong name. purpose completes "cannot …" in the report.
func (c *correction) name(param, name string, use fields.Use, purpose string) string {
	known := c.stream.Suited(use)
	top, _, _ := strings.Cut(name, ".")
	if slices.Contains(known, name) || slices.Contains(known, top) && fields.HasParts(*c.stream.Field(top)) {
		return name
	}
	near := c.stream.Near(name, use)
	if same := c.stream.Spelled(name); slices.Contains(known, same) {
		near = []string{same}
	} else if same != "" { // an existing field is not a misspelling of another
		near = c.stream.Same(same, near, param == "field")
	}
	choices, hint := nearest(near, known), ""
	switch {
	case len(near) > 0 || purpose == "" && len(known) > 0:
	case len(known) == 0:
		if choices = "No field of it can"; c.stream.Field(name) == nil {
			choices += " " + purpose
		}
		if by := c.stream.Suited(fields.Aggregates("group_by")); param == "group_by_time" && len(by) > 0 {
			choices += " by time; group_by takes " + quote.Names(by, maxShown)
		} else if param == "field" || purpose == toGroup {
			hint = "metric count needs no field; query_records shows the values."
		}
	default:
		choices = "Those that can: " + quote.Names(known, maxShown)
	}
	isField := c.stream.Field(name) != nil
	if isField {
		c.report("unknown_field", param, "field %s of %s cannot %s. %s.", quote.Text(name), c.stream.Name, purpose, choices)
	} else {
		c.lacks(param, name, "%s. %s.", c.inGrant, choices)
	}
	switch {
	case len(near) > 0:
		return near[0]
	case isField && param == "group_by":
		c.send(answer{sendValues, rs.Member{Name: name}, hint})
	case len(known) > maxShown:
		c.send(answer{kind: sendSchema, hint: hint})
	default:
		c.send(answer{kind: sendNothing, hint: hint})
	}
	return ""
}

func nearest(near, known []string) string {
	if len(near) > 0 {
		return "Nearest: " + quote.Names(near, 12)
	}
	return "It has: " + quote.Names(known, maxShown)
}

var withRelated = answer{kind: sendExpanded, hint: "The call below reads the record with what is related to it."}

// fields checks the fields to show. A field of a related record is shown by expanding that relation.
func (c *correction) fields(args rs.Object) rs.Object {
	var kept []string
	unknown, related := 0, false
	list := args.Array("fields")
	names := c.stream.Split(list)
	if len(names) > len(list) {
		c.report("unknown_field", "fields", "fields is a list with each name by itself.")
	}
	for _, name := range names {
		if c.stream.Field(name) == nil {
			unknown++
		}
		if unknown > maxShown { // each is compared with all fields
			c.send(answer{kind: sendSchema})
			return args
		}
		if name == "*" || name == "all" {
			c.report("unknown_field", "fields", "Leave fields out for all of them.")
			return args.Without("fields")
		}
		if before, inner, ok := strings.Cut(strings.TrimSuffix(name, ")"), "("); ok && slices.Contains(c.stream.RelationNames(), before) {
			name = before + "." + inner // of Supabase
		}
		relation := c.inRelated("fields", name)
		if slices.Contains(c.stream.RelationNames(), name) && c.stream.Field(name) == nil {
			c.lacks("fields", name, ", which is a relation.")
			relation = name
		}
		if relation != "" {
			args, related = listing(args, "expand", relation), true
			continue
		}
		to := c.name("fields", name, nil, "")
		if foreign.Denies(name, to) {
			c.send(answer{kind: sendSchema}) // all fields but that one are meant
			return args
		}
		kept = append(kept, to)
	}
	switch kept = distinct(kept); {
	case len(kept) > 0: // without the unknown ones
		if c.instead = (answer{}); related {
			c.instead = withRelated
		}
		return args.With("fields", rs.EncodeJSON(kept))
	case related:
		return args.Without("fields")
	}
	return args
}

// inRelated returns the one relation that has a field which the stream lacks, such as the body of a message; "" for none or several.
func (c *correction) inRelated(param, name string) string {
	relation, own := c.stream.RelationIn(name)
	if relation < 0 {
		own = strings.TrimPrefix(name, c.stream.Name+".")
	}
	isBody := func(f rs.SchemaField) bool { return fields.Bodies[f.Name] }
	names, body := []string{own, own + "_text"}, fields.Bodies[written.Snake(own)]
	if body {
		names = append([]string{own}, slices.Sorted(maps.Keys(fields.Bodies))...)
	}
	var found []string
	for i, r := range c.stream.Related {
		if at := slices.IndexFunc(names, func(field string) bool { return r.Field(field) != nil }); at >= 0 && (relation < 0 || relation == i) {
			found = append(found, c.stream.Relations[i].Name, names[at])
		}
	}
	exactly := len(found) == 2 && found[1] == name && c.stream.Field(name) == nil // nearer than a similar name
	if len(found) != 2 || !exactly && (!c.stream.LacksField(name) || body && relation < 0 && slices.ContainsFunc(c.stream.Fields, isBody)) {
		return ""
	}
	c.lacks(param, name, "; the related %s has it as %s.", quote.Names(found[:1], 1), quote.Names(found[1:], 1))
	c.send(withRelated)
	return found[0]
}

// sort checks the field to sort by.
func (c *correction) sort(args rs.Object) rs.Object {
	sort, ok := written.Text(args.Get("sort"))
	if !ok {
		return args
	}
	first, others, several := strings.Cut(sort, ",")
	if several {
		c.report("invalid_sort", "sort", "A list is sorted by one field; the call below leaves out %s.", quote.Text(others))
	}
	first, direction := foreign.Sort(rs.EncodeJSON(first))
	field, descending := strings.CutPrefix(first, "-")
	if bare, named := foreign.Directed(field); named != "" && c.stream.Field(field) == nil && c.stream.Spelled(field) == "" {
		c.report("invalid_sort", "sort", "sort is a field, with - before it for descending.")
		if bare == "" {
			return args.Without("sort").With("order", rs.EncodeJSON(named))
		}
		field, direction = bare, named
	}
	descending = descending || direction == "desc"
	before := c.instead
	to := c.name("sort", field, rs.SchemaField.HasBounds, "be sorted by")
	switch {
	case to == "" && c.stream.Field(field) != nil:
		c.report("invalid_sort", "sort", "The call below is without: sort what it reads.")
		c.instead = before
		return args.Without("sort").With("limit", "100") // any record may be the first
	case to == "":
		return args
	case descending:
		to = "-" + to
	case to != field && direction == "":
		c.send(answer{hint: "The call below sorts ascending; a - before the field is descending."})
	}
	return args.With("sort", rs.EncodeJSON(to))
}

// relations checks the relations to expand, and how many records of each.
func (c *correction) relations(args rs.Object) rs.Object {
	if !args.Has("expand") {
		return args
	}
	limits, names := args.Object("expand_limit"), c.stream.RelationNames()
	var kept []string
	for _, raw := range args.Array("expand") {
		name, _ := written.Text(raw)
		to := name
		if (name == "*" || name == "all") && len(names) > 0 {
			c.report("invalid_expand", "expand", "expand names relations. %s has: %s.", c.stream.Name, quote.Names(names, maxShown))
			kept = append(kept, names...)
			continue
		}
		if !slices.Contains(names, name) {
			near := written.Nearest(name, names, 3)
			if to = append(near, "")[0]; len(names) == 0 {
				c.report("invalid_expand", "expand", "%s has no relation to expand.", c.stream.Name)
			} else {
				c.report("invalid_expand", "expand", "%s has no relation %s. %s.", c.stream.Name, quote.Text(name), nearest(near, names))
			}
			if limit := limits.Get(name); to != "" {
				limits = limits.Renamed(name, to, limit)
			} else {
				limits = limits.Without(name)
			}
		}
		kept = append(kept, to)
	}
	for _, r := range c.stream.Relations {
		if n, ok := limits.Number(r.Name); ok && r.MaxLimit != nil && n > *r.MaxLimit {
			c.report("invalid_expand", "expand_limit", "expand_limit of %s is %d; at most %d are returned.",
				quote.Names([]string{r.Name}, 1), n, *r.MaxLimit)
			limits = limits.With(r.Name, rs.EncodeJSON(*r.MaxLimit))
		}
	}
	args = args.Without("expand", "expand_limit")
	if kept = distinct(kept); len(kept) > 0 {
		if args = args.With("expand", rs.EncodeJSON(kept)); len(limits) > 0 {
			args = args.With("expand_limit", limits.JSON())
		}
	}
	return args
}
