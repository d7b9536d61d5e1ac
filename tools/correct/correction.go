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

// A correction is a call under repair, with the mistakes found so far and what to send instead.
type correction struct {
	stream     fields.Stream
	args       rs.Object
	wrong      []string // sentences
	param      string
	code       rs.Code
	inGrant    string     // " in this grant" if an unknown field may exist without being granted, else ""
	unresolved bool       // a mistake has no replacement
	related    []string   // relations that have a field which the stream lacks
	partly     bool       // the message lists only some of the fields to choose from
	hint       string     // what the proposed call does
	sought     *rs.Member // a condition on a field that search reads but no filter does
	bodies     bool       // sought is in the main text, which a related stream may have
	grouped    *rs.Member // a condition that the call replaces by a list of the values of its field

	ungrouped string // a field that no call groups by
}

func (c *correction) report(code rs.Code, param, format string, values ...any) {
	if c.code == "" {
		c.code, c.param = code, param
	}
	if sentence := fmt.Sprintf(format, values...); !slices.Contains(c.wrong, sentence) { // two arguments may name one field
		c.wrong = append(c.wrong, sentence)
	}
}

// replace sets an argument to a name, or leaves it unchanged for "".
func (c *correction) replace(param, name string) {
	if name != "" {
		c.args = c.args.With(param, rs.EncodeJSON(name))
	}
}

// name returns the field that a name in an argument means, or "", and reports a wrong name. what completes "cannot …" in the report.
func (c *correction) name(param, name string, u fields.Use, what string) string {
	known := c.stream.Suited(u)
	top, _, _ := strings.Cut(name, ".")
	if slices.Contains(known, name) || slices.Contains(known, top) {
		return name
	}
	near := c.stream.Near(name, u)
	if same := c.stream.Spelled(name); slices.Contains(known, same) {
		near = []string{same}
	} else if same != "" { // an existing field is not a misspelling of another
		near = c.stream.Same(same, near, strings.HasPrefix(what, "take "))
	}
	choices := nearest(near, known)
	switch {
	case len(near) > 0 || what == "" && len(known) > 0:
	case len(known) == 0:
		if choices = "No field of it can"; c.stream.Field(name) == nil {
			choices += " " + what
		}
		if by := c.stream.Suited(fields.Aggregates("group_by")); param == "group_by_time" && len(by) > 0 {
			choices += " by time; group_by takes " + quote.Names(by, maxShown)
		} else if strings.HasPrefix(what, "take ") || what == "group" {
			c.hint = "metric count needs no field; query_records shows the values."
		}
	default:
		choices = "Those that can: " + quote.Names(known, maxShown)
	}
	if c.stream.Field(name) != nil {
		c.report("unknown_field", param, "field %s of %s cannot %s. %s.", quote.Text(name), c.stream.Name, what, choices)
		if what == "group" && param == "group_by" && len(near) == 0 {
			c.ungrouped = name
		}
	} else {
		c.report("unknown_field", param, "%s has no field %s%s. %s.", c.stream.Name, quote.Text(name), c.inGrant, choices)
	}
	if len(near) > 0 {
		return near[0]
	}
	c.unresolved, c.partly = true, c.partly || len(known) > maxShown
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
			c.unresolved, c.partly = true, true
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
			c.unresolved, c.partly = true, true // all fields but that one are meant
			return
		}
		kept = append(kept, to)
	}
	if kept = distinct(kept); len(kept) == 0 && len(c.related) > 0 {
		c.args = c.args.Without("fields")
	} else if len(kept) > 0 {
		c.args, c.unresolved = c.args.With("fields", rs.EncodeJSON(kept)), false // without the unknown ones
	}
}

// inRelated reports whether one relation alone has a field that the stream lacks, such as the body of a message, and adds it to related.
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
	exactly := len(found) == 2 && found[1] == name && c.stream.Field(name) == nil // nearer than a similar name
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
	open := c.unresolved
	to := c.name("sort", field, fields.HasRanges, "be sorted by")
	if to == "" && c.stream.Field(field) != nil {
		c.report("invalid_sort", "sort", "The call below is without: sort what it reads.")
		c.args, c.unresolved = c.args.Without("sort").With("limit", "100"), open // any record may be the first
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
