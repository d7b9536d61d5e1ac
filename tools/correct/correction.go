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

// A correction is a call under repair: what was wrong with it so far, and whether anything was found for it.
type correction struct {
	stream  fields.Stream
	args    rs.Object
	wrong   []string // sentences
	param   string
	code    rs.Code
	here    string     // " in this grant", where a field may exist that is not granted
	open    bool       // something is wrong for which there is no replacement
	related []string   // relations that have a field which the stream lacks
	partly  bool       // the message lists only some of the fields to choose from
	hint    string     // what the call that is sent instead does
	sought  *rs.Member // a condition on a field that search reads and no filter does
	grouped *rs.Member // a condition instead of which the call lists the values of its field

	ungrouped string // a field that no call groups by
}

func (c *correction) report(code rs.Code, param, format string, values ...any) {
	if c.code == "" {
		c.code, c.param = code, param
	}
	if sentence := fmt.Sprintf(format, values...); !slices.Contains(c.wrong, sentence) { // an argument may name what another does
		c.wrong = append(c.wrong, sentence)
	}
}

// replace gives an argument a name that is not wrong; it stays where there is none.
func (c *correction) replace(param, name string) {
	if name != "" {
		c.args = c.args.With(param, rs.EncodeJSON(name))
	}
}

// name returns a field for a name that is wrong in an argument; "" for none.
func (c *correction) name(param, name string, u fields.Use, what string) string {
	known := c.stream.Suited(u)
	top, _, _ := strings.Cut(name, ".")
	if slices.Contains(known, name) || slices.Contains(known, top) {
		return name
	}
	near := c.stream.Near(name, u)
	if same := c.stream.Spelled(name); slices.Contains(known, same) {
		near = []string{same}
	} else if same != "" { // no other name is a mistake for one that there is
		near = c.stream.Same(same, near, strings.HasPrefix(what, "take "))
	}
	others := nearest(near, known)
	switch {
	case len(near) > 0 || what == "" && len(known) > 0:
	case len(known) == 0:
		if others = "No field of it can"; c.stream.Field(name) == nil {
			others += " " + what
		}
		if by := c.stream.Suited(fields.Aggregates("group_by")); param == "group_by_time" && len(by) > 0 {
			others += " by time; group_by takes " + quote.Names(by, maxShown)
		} else if strings.HasPrefix(what, "take ") || what == "group" {
			c.hint = "metric count needs no field; query_records shows the values."
		}
	default:
		others = "Those that can: " + quote.Names(known, maxShown)
	}
	if c.stream.Field(name) != nil {
		c.report("unknown_field", param, "field %s of %s cannot %s. %s.", quote.Text(name), c.stream.Name, what, others)
		if what == "group" && param == "group_by" && len(near) == 0 {
			c.ungrouped = name
		}
	} else {
		c.report("unknown_field", param, "%s has no field %s%s. %s.", c.stream.Name, quote.Text(name), c.here, others)
	}
	if len(near) > 0 {
		return near[0]
	}
	c.open, c.partly = true, c.partly || len(known) > maxShown
	return ""
}

func nearest(near, known []string) string {
	if len(near) > 0 {
		return "Nearest: " + quote.Names(near, 12)
	}
	return "It has: " + quote.Names(known, maxShown)
}

func (c *correction) fields() {
	var kept []string
	unknown := 0
	for _, raw := range c.args.Array("fields") {
		name, _ := written.Text(raw)
		if c.stream.Field(name) == nil {
			unknown++
		}
		if unknown > maxShown { // each is compared with all fields
			c.open, c.partly = true, true
			return
		}
		if name == "*" || name == "all" {
			c.report("unknown_field", "fields", "Leave fields out for all of them.")
			c.args = c.args.Without("fields")
			return
		}
		if c.inRelated("fields", name) {
			continue
		}
		parts := strings.FieldsFunc(name, func(c rune) bool { return strings.ContainsRune(" ,;|", c) })
		if len(parts) > 1 && !slices.ContainsFunc(parts, func(p string) bool { return c.stream.Field(p) == nil }) {
			c.report("unknown_field", "fields", "%s are %d fields.", quote.Text(name), len(parts))
			kept = append(kept, parts...)
			continue
		}
		to := c.name("fields", name, nil, "")
		if foreign.Denies(name, to) {
			c.open, c.partly = true, true // all but that are meant
			return
		}
		kept = append(kept, to)
	}
	if kept = distinct(kept); len(kept) == 0 && len(c.related) > 0 {
		c.args = c.args.Without("fields")
	} else if len(kept) > 0 {
		c.args, c.open = c.args.With("fields", rs.EncodeJSON(kept)), false // without those that are nowhere
	}
}

// inRelated looks for a field that the stream does not have in what is related to it, such as the body of a message.
func (c *correction) inRelated(param, name string) bool {
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
	exactly := len(found) == 2 && found[1] == name && c.stream.Field(name) == nil // which is nearer than a field of another name
	if len(found) != 2 || !exactly && (!c.stream.LacksField(name) || body && relation < 0 && slices.ContainsFunc(c.stream.Fields, isBody)) {
		return false
	}
	c.report("unknown_field", param, "%s has no field %s; the related %s has it as %s.",
		c.stream.Name, quote.Text(name), quote.Names(found[:1], 1), quote.Names(found[1:], 1))
	c.related, c.hint = append(c.related, found[0]), "The call below reads the record with what is related to it."
	return true
}

func (c *correction) sort() {
	sort, ok := written.Text(c.args.Get("sort"))
	if !ok {
		return
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
			c.args = c.args.Without("sort").With("order", rs.EncodeJSON(named))
			return
		}
		field, direction = bare, named
	}
	descending = descending || direction == "desc"
	open := c.open
	to := c.name("sort", field, fields.HasRanges, "be sorted by")
	if to == "" && c.stream.Field(field) != nil {
		c.report("invalid_sort", "sort", "The call below is without: sort what it reads.")
		c.args, c.open = c.args.Without("sort").With("limit", "100"), open // any of them may be the first
	}
	switch {
	case to == "":
	case descending:
		to = "-" + to
	case to != field && direction == "":
		c.hint = "The call below sorts ascending; a - before the field is descending."
	}
	c.replace("sort", to)
}

func (c *correction) relations() {
	if !c.args.Has("expand") {
		return
	}
	limits, names := c.args.Object("expand_limit"), c.stream.RelationNames()
	var kept []string
	for _, raw := range c.args.Array("expand") {
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
				limits = renamed(limits, name, to, limit)
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
	c.args = c.args.Without("expand", "expand_limit")
	if kept = distinct(kept); len(kept) > 0 {
		if c.args = c.args.With("expand", rs.EncodeJSON(kept)); len(limits) > 0 {
			c.args = c.args.With("expand_limit", limits.JSON())
		}
	}
}
