package correct

import (
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Unknown returns the error that says which field or relation of a call its stream does not have, and the call that is probably
// meant; nil if it has all that are named. refused is what the resource server said.
func (t Tool) Unknown(s fields.Stream, args rs.Object, refused *rs.Error) *rs.Error {
	if len(s.Fields) == 0 {
		return nil
	}
	c := &correction{stream: s, args: args}
	if refused.Code == "field_not_granted" {
		c.here = " in this grant"
	}
	c.fields()
	if related, ok := c.ofRelated(t); ok {
		return &rs.Error{Code: c.code, Param: c.param, Message: strings.Join(c.wrong, " "), Hint: c.hint, Send: related.String()}
	}
	if t.Takes("filter") {
		c.filter(t)
	}
	if t.Takes("sort") {
		c.sort()
	}
	if t.Name == "aggregate" {
		c.aggregate()
	} else if t.Takes("field") {
		if field, ok := written.Text(c.args.Get("field")); ok && !c.inRelated("field", field) {
			if to := c.name("field", field, nil, ""); to != "" {
				c.args = c.args.With("field", rs.EncodeJSON(to))
			}
		}
	}
	c.relations()
	if !t.Takes("sort") && len(c.related) > 0 {
		t.Name, c.args = "fetch", members(c.args, "id", "connection_id", "fields", "expand", "expand_limit")
	}
	for _, relation := range c.related {
		if expand := c.args.Array("expand"); !slices.Contains(expand, rs.EncodeJSON(relation)) {
			c.args = c.args.With("expand", rs.JoinArray(append(slices.Clone(expand), rs.EncodeJSON(relation))))
		}
	}
	if len(c.wrong) == 0 {
		return nil
	}
	e := &rs.Error{Code: c.code, Param: c.param, Message: strings.Join(c.wrong[:min(len(c.wrong), 3)], " "), Hint: c.hint}
	if e.Code == rs.UnknownField && refused.Status != 0 && len(c.related) == 0 {
		e.Code = refused.Code
	}
	send, ok := Call{t.Name, c.args}, true
	switch {
	case c.open && (c.sought != nil || c.grouped != nil || !c.partly):
		return e
	case c.open:
		send = Call{"schema", rs.Object{{Name: "stream", Value: rs.EncodeJSON(s.Name)}}.WithAll(onlyConnection(args))}
	case c.sought != nil:
		send, ok = searchFor(c.args, *c.sought)
	case c.grouped != nil:
		send, ok = t.groupedBy(c.args, *c.grouped)
	}
	if ok {
		e.Send = send.String()
	}
	return e
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
			c.say(rs.UnknownField, "fields", "Leave fields out for all of them.")
			c.args = c.args.Without("fields")
			return
		}
		if c.inRelated("fields", name) {
			continue
		}
		if parts := strings.Fields(name); len(parts) > 1 && !slices.ContainsFunc(parts, func(p string) bool { return c.stream.Field(p) == nil }) {
			c.say(rs.UnknownField, "fields", "%s are %d fields.", quote.Text(name), len(parts))
			kept = append(kept, parts...)
			continue
		}
		if to := c.name("fields", name, nil, ""); foreign.Denies(name, to) {
			c.open, c.partly = true, true // all but that are meant
			return
		} else if to != "" && !slices.Contains(kept, to) {
			kept = append(kept, to)
		}
	}
	if len(kept) == 0 && len(c.related) > 0 {
		c.args = c.args.Without("fields")
	}
	if len(kept) > 0 {
		c.args, c.open = c.args.With("fields", rs.EncodeJSON(kept)), false // without those that are nowhere
	}
}

func (c *correction) sort() {
	sort, ok := written.Text(c.args.Get("sort"))
	if !ok {
		return
	}
	first, others, several := strings.Cut(sort, ",")
	if several {
		c.say("invalid_sort", "sort", "A list is sorted by one field; the call below leaves out %s.", quote.Text(others))
	}
	first, direction := sortOf(rs.EncodeJSON(first))
	field, descending := strings.CutPrefix(first, "-")
	descending = descending || direction == "desc"
	to := c.name("sort", field, fields.HasRanges, "be sorted by")
	if to == "" {
		return
	}
	if descending {
		to = "-" + to
	}
	c.args = c.args.With("sort", rs.EncodeJSON(to))
}

func (c *correction) relations() {
	if !c.args.Has("expand") {
		return
	}
	limits := c.args.Object("expand_limit")
	var kept []string
	for _, raw := range c.args.Array("expand") {
		name, _ := written.Text(raw)
		to := name
		names := c.stream.RelationNames()
		if !slices.Contains(names, name) {
			if len(names) == 0 {
				c.say(rs.InvalidExpand, "expand", "%s has no relation to expand.", c.stream.Name)
				continue
			}
			near := written.Nearest(name, names, 3)
			c.say(rs.InvalidExpand, "expand", "%s has no relation %s. %s.", c.stream.Name, quote.Text(name), nearest(near, names))
			to = append(near, names[0])[0]
			if raw := limits.Get(name); raw != "" {
				limits = renamed(limits, name, to, raw)
			}
		}
		if !slices.Contains(kept, to) {
			kept = append(kept, to)
		}
	}
	for _, r := range c.stream.Relations {
		if n, ok := limits.Number(r.Name); ok && r.MaxLimit != nil && n > *r.MaxLimit {
			c.say(rs.InvalidExpand, "expand_limit", "expand_limit of %s is %d; at most %d are returned.",
				quote.Names([]string{r.Name}, 1), n, *r.MaxLimit)
			limits = limits.With(r.Name, rs.EncodeJSON(*r.MaxLimit))
		}
	}
	if c.args = c.args.Without("expand", "expand_limit"); len(kept) > 0 {
		c.args = c.args.With("expand", rs.EncodeJSON(kept))
		if len(limits) > 0 {
			c.args = c.args.With("expand_limit", limits.JSON())
		}
	}
}
