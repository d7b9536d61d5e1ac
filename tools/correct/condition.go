package correct

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// filter checks the conditions of the filter.
func (c *correction) filter(args rs.Object) rs.Object {
	has := func(name string) bool { return c.stream.Field(name) != nil }
	var mended rs.Object
	filter := c.planned(args, args.Object("filter"))
	for _, m := range filter {
		field := m.Name
		if flag, value := foreign.FlagOf(field, m.Value, has); flag != "" {
			c.lacks("filter", field, "; %s says so.", flag)
			mended = mended.With(flag, value)
			continue
		}
		if rest, bound := foreign.BoundIn(field); bound != "" && c.stream.Field(field) == nil && written.IsDate(m.Value) {
			field, m.Value = rest, rs.Object{{Name: bound, Value: m.Value}}.JSON()
		}
		use, purpose := fields.Use(fields.Filters), "be filtered by"
		if rs.Kind(m.Value) == "object" {
			use, purpose = rs.SchemaField.HasBounds, "be filtered by a range"
			if instead, ok := c.textRange(args, field, rs.AsObject(m.Value)); ok {
				mended = mended.WithAll(instead)
				continue
			}
		} else {
			field = c.unfiltered(field, use)
			if shown, ok := c.elsewhere(args, field, m.Value); ok {
				args = shown
				continue
			}
		}
		field, use = c.byValue(filter, field, m.Value, use)
		mended = c.put(mended, m, field, c.name("filter", field, use, purpose))
	}
	return filtered(args, mended)
}

// put adds the condition m on field to a filter, under the name of the field that is meant, if that can be compared with its value.
func (c *correction) put(filter rs.Object, m rs.Member, field, meant string) rs.Object {
	isOther, condition := meant != field, rs.Member{Name: meant, Value: m.Value}
	switch f := c.stream.Field(meant); {
	case meant == "":
	case isOther && foreign.Denies(field, meant):
		c.send(answer{kind: sendSchema}) // it may mean the opposite
	case c.stream.MistakesFlag(m.Value, field, meant) && f.Type == "boolean":
		c.report("unknown_field", "filter", "%s of %s may say something else.", quote.Text(meant), c.stream.Name)
		c.send(answer{kind: sendSchema})
	case c.stream.MistakesFlag(m.Value, field, meant):
		c.report("unknown_field", "filter", "%s of %s cannot be compared with %s.", quote.Text(meant), c.stream.Name, quote.JSON(m.Value))
		c.send(answer{kind: sendSchema})
	case filter.Includes(meant):
		before, bounds := filter.Object(meant), rs.AsObject(m.Value)
		both := before.WithAll(bounds)
		if before != nil && bounds != nil && len(both) == len(before)+len(bounds) {
			return filter.With(meant, both.JSON())
		}
		c.send(answer{kind: sendNothing}) // one field cannot have both conditions
	case isOther && c.stream.IsNumber(meant) && slices.ContainsFunc(foreign.Operands(rs.Object{m}), isWords):
		c.send(answer{kind: sendNothing}) // a number cannot be compared with a date or a word
	case isOther && c.stream.NamesID(m) && !slices.Contains(c.stream.Keys, meant): // for a key, the record of that name is looked up
		if !fields.Aggregates("group_by")(*f) {
			c.send(answer{kind: sendNothing})
		}
		c.send(answer{sendGroups, condition, quote.Line(meant) + " has ids, not names: the call below lists them to choose from."})
	case isOther && f != nil && f.Lexical && fields.Bodies[written.Snake(field)] && rs.Kind(m.Value) == "string" &&
		c.instead.kind < sendSearch:
		c.send(answer{sendTexts, condition, "A filter compares a whole text: the call below searches for the words."})
	case isOther && f != nil && f.Type == "boolean":
		if written.Truth(m.Value) != "" {
			return append(filter, rs.Member{Name: meant, Value: written.Truth(m.Value)})
		}
		c.send(answer{kind: sendSchema}) // a word is not a flag
	case isOther && f != nil && fields.IsTime(*f):
		return append(filter, rs.Member{Name: meant, Value: cmp.Or(foreign.InForm(rs.Member{Name: "time", Value: m.Value}, ""), m.Value)})
	default:
		return append(filter, condition)
	}
	return filter
}

func isWords(m rs.Member) bool {
	s, isText := written.Text(m.Value)
	return isText && !written.IsNumber(s)
}

// planned converts a filter with operators in the names of its fields to the tool's own operators; nil if it is not understood.
func (c *correction) planned(args, filter rs.Object) rs.Object {
	filter = c.bounded(filter)
	own := c.stream.Field("property") != nil || c.stream.Field("timestamp") != nil
	p, folded, ok := foreign.ReadKnown(filter, c.stream.Names(filter), own)
	if len(folded) == 0 {
		return filter
	}
	c.report("unknown_field", "filter", "%s has no field %s; an operator is written inside its field.",
		c.stream.Name, quote.Names(folded, maxShown))
	if !ok {
		c.send(answer{kind: sendSchema})
		return nil
	}
	if p.Calls > 1 {
		c.send(answer{hint: severalCalls(p)})
	}
	if p.Excluded != nil {
		if to := c.name("filter", p.Excluded.Name, fields.Aggregates("group_by"), toGroup); to != "" {
			c.send(answer{sendGroups, rs.Member{Name: to, Value: p.Excluded.Value}, excludedHint(c.tool, p, args)})
		}
	}
	if p.Sought != nil {
		switch f := c.stream.Field(p.Sought.Name); {
		case f != nil && fields.Aggregates("group_by")(*f) && !isGrouped(args):
			c.send(answer{sendGroups, *p.Sought, listsValues(f.Name)})
		case f == nil || f.Lexical:
			c.send(answer{sendSearch, *p.Sought, "Search reads words: the call below finds the records that have them."})
		default:
			c.send(answer{kind: sendNothing})
		}
	}
	return p.Filter
}

// bounded replaces the bounds of a period that are not fields, such as from and to, by bounds of the stream's time field.
func (c *correction) bounded(filter rs.Object) rs.Object {
	timeField, timed := c.stream.Time(), rs.Object{}
	var rest rs.Object
	var names []string
	isMissing, areFields := false, false
	isTime := func(name string) bool { return fields.IsTime(*c.stream.Field(name)) || written.IsTimeName(name) }
	for _, m := range filter {
		bounds, _ := foreign.SearchBounds(m, c.tool.now)
		operator := foreign.BoundOf(m.Name)
		switch {
		case operator != "" && written.IsTime(m.Value) && len(bounds) < 2:
			bounds = rs.Object{{Name: operator, Value: m.Value}}
		case len(bounds) > 1 && !foreign.Granularities[written.Snake(m.Name)]: // a name such as on is also near the time field
			bounds = nil
		}
		isOpen := func(bound rs.Member) bool { return !written.IsTime(bound.Value) }
		isField := c.stream.Field(m.Name) != nil
		if isField && !addressees[m.Name] || len(bounds) == 0 || slices.ContainsFunc(bounds, isOpen) {
			rest = append(rest, m)
			continue
		}
		names, areFields = append(names, m.Name), areFields || isField
		isMissing = isMissing || isField || c.stream.LacksField(m.Name) || !slices.ContainsFunc(c.stream.Near(m.Name, nil), isTime)
		for _, bound := range bounds {
			timed = append(timed, rs.Member{Name: cmp.Or(foreign.BoundOperators[bound.Name], bound.Name), Value: bound.Value})
		}
	}
	isTwice := func(bound rs.Member) bool { return len(members(timed, bound.Name)) > 1 }
	if timeField == "" || slices.ContainsFunc(timed, isTwice) || len(timed) == 0 || !isMissing && len(timed) < 2 || rest.Includes(timeField) {
		return filter
	}
	lacks := cmp.Or(quote.When(areFields, "times in"), "field")
	c.report("unknown_field", "filter", "%s has no %s %s; %s says when a record is.", c.stream.Name, lacks,
		quote.Names(names, maxShown), quote.Line(timeField))
	return append(rest, rs.Member{Name: timeField, Value: timed.JSON()})
}

// byValue narrows the use of a field to the kind of the value. A date under a name that resembles no field is compared with the time field.
func (c *correction) byValue(filter rs.Object, field, value string, use fields.Use) (string, fields.Use) {
	kind, timeField := fields.KindOf(value), c.stream.Time()
	fits := func(f rs.SchemaField) bool { return use(f) && kind(f) }
	switch {
	case kind == nil || c.stream.Field(field) != nil:
	case len(c.stream.Near(field, use)) == 0 && timeField != "" && kind(*c.stream.Field(timeField)) && !filter.Includes(timeField):
		c.lacks("filter", field, "; %s says when a record is.", quote.Line(timeField))
		return timeField, use
	case len(c.stream.Near(field, fits)) > 0:
		return field, fits
	}
	return field, use
}

// unfiltered returns the field that a name means if no field for filters is near, such as to for recipient, or if another field has the
// same words, such as labels for label; else the name.
func (c *correction) unfiltered(name string, use fields.Use) string {
	near, suited := c.stream.Near(name, nil), c.stream.Near(name, use)
	if c.stream.Field(name) != nil || len(near) == 0 || slices.Contains(suited, near[0]) {
		return name
	}
	words, own := written.WordsOf(name), written.WordsOf(near[0])
	if len(suited) > 0 && (!words.Name(own) || !own.Name(words)) {
		return name
	}
	c.lacks("filter", name, ". Nearest: %s.", quote.Line(near[0]))
	return near[0]
}

// elsewhere chooses another answer for a condition on a field that no filter reads: a search, or the records with the field to look at. It
// returns the arguments for that; false for any other field.
func (c *correction) elsewhere(args rs.Object, field, value string) (rs.Object, bool) {
	f := c.stream.Field(field)
	_, isText := written.Text(value)
	searched := f != nil && f.Lexical && isText
	if f == nil || slices.Contains(c.stream.Suited(fields.Filters), field) || c.tool.Name == "aggregate" && !searched {
		return args, false
	}
	c.report("unknown_field", "filter", "field %s of %s cannot be filtered by. Those that can: %s.",
		quote.Text(field), c.stream.Name, quote.Names(c.stream.Suited(fields.Filters), maxShown))
	texts := slices.ContainsFunc(c.stream.Fields, func(f rs.SchemaField) bool { return f.Granted && f.Lexical })
	switch {
	case searched:
		c.send(answer{sendSearch, rs.Member{Name: field, Value: value}, "Search reads that field: the call below finds the words."})
	case isText && texts && addressees[field] && c.tool.Name == "query_records":
		c.send(answer{sendSearch, rs.Member{Name: field, Value: value},
			"Neither a filter nor search reads it: the call below finds those that have the words elsewhere, as of their sender."})
	default:
		c.send(answer{hint: "No call finds records by it: the one below leaves that condition out, so look at " + quote.Line(field) +
			" in each record."})
		return showing(args, field), true
	}
	return args, true
}

// addressees are fields with the recipients of a message, whom its text mostly names.
var addressees = written.Set("to cc bcc recipient recipients")

// showing adds a field to the fields of the answer, to be looked at in each record.
func showing(args rs.Object, field string) rs.Object {
	if len(args.Array("fields")) == 0 {
		return args
	}
	return listing(args, "fields", field)
}

// textRange returns what a range on a field without ranges means: a time, an exact text or a list of values; false if it is unknown.
func (c *correction) textRange(args rs.Object, field string, bounds rs.Object) (instead rs.Object, ok bool) {
	f := c.stream.Field(field)
	if f == nil || slices.Contains(c.stream.Suited(rs.SchemaField.HasBounds), field) || len(bounds) == 0 {
		return nil, false
	}
	value, dates, words := bounds[0].Value, 0, 0
	for _, bound := range bounds {
		s, isText := written.Text(bound.Value)
		includes := bound.Name == "gte" || bound.Name == "lte" // gt and lt exclude exactly this value
		if !includes || bound.Value != value || utf8.RuneCountInString(s) == 1 {
			value = ""
		}
		if written.IsDate(bound.Value) {
			dates++
		} else if isText && s != "" && !written.IsNumber(s) {
			words++
		}
	}
	timeField := c.stream.Time()
	isGroup := slices.Contains(f.Aggregates, "group_by") && !isGrouped(args)
	switch {
	case dates == len(bounds) && timeField != "" && !args.Object("filter").Has(timeField):
		instead = rs.Object{{Name: timeField, Value: bounds.JSON()}}
		c.send(answer{hint: quote.Line(timeField) + " says when a record is."})
	case words < len(bounds):
		return nil, false
	case value != "" && f.Exact:
		instead = rs.Object{{Name: field, Value: value}}
		c.send(answer{hint: "A text has no range: the call below finds exactly this value."})
	case isGroup:
		c.send(answer{sendGroups, rs.Member{Name: field, Value: bounds.JSON()},
			"A text has no range: the call below lists the values of " + quote.Line(field) + " to choose from."})
	default:
		return nil, false
	}
	c.report("unknown_field", "filter", "field %s of %s cannot be filtered by a range. Those that can: %s.",
		quote.Text(field), c.stream.Name, quote.Names(c.stream.Suited(rs.SchemaField.HasBounds), maxShown))
	return instead, true
}

// ofRelated returns the call that reads related records, if all conditions of the filter are on one relation.
func (c *correction) ofRelated(args rs.Object) (call Call, ok bool) {
	var filter rs.Object
	in := -1
	for _, m := range args.Object("filter") {
		relation, field := c.stream.RelationIn(m.Name)
		if relation < 0 && !strings.Contains(m.Name, ".") {
			relation, field = c.onlyIn(m.Name), m.Name
		}
		if relation < 0 || in >= 0 && in != relation || relation >= len(c.stream.Related) || c.stream.Related[relation].Field(field) == nil {
			return Call{}, false
		}
		in, filter = relation, append(filter, rs.Member{Name: field, Value: m.Value})
	}
	if in < 0 || c.tool.Name != "query_records" && c.tool.Name != "aggregate" {
		return Call{}, false
	}
	r := c.stream.Relations[in]
	c.report("unknown_field", "filter", "A filter is of the fields of its own stream; these are of the related %s.",
		quote.Names([]string{r.Target}, 1))
	hint := "The call below reads those."
	if r.ForeignKey != "" {
		hint += " Their " + quote.Line(r.ForeignKey) + " is the id of the " + c.stream.Name + "."
	}
	c.instead = answer{hint: hint}
	records := rs.Object{rs.NewMember("stream", r.Target)}.WithAll(members(args, "connection_id", "limit", "time_zone"))
	return Call{"query_records", records.With("filter", filter.JSON())}, true
}

// onlyIn returns the index of the one relation whose records have a field; -1 for none or several, or if the name is a word in the name of
// one of the stream's own fields.
func (c *correction) onlyIn(name string) int {
	isPart := func(f rs.SchemaField) bool { return slices.Contains(strings.Split(f.Name, "_"), name) }
	has := func(r fields.Stream) bool { return r.Field(name) != nil }
	in := slices.IndexFunc(c.stream.Related, has)
	if slices.ContainsFunc(c.stream.Fields, isPart) || in >= 0 && slices.ContainsFunc(c.stream.Related[in+1:], has) {
		return -1
	}
	return in
}
