package foreign

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A filterReader reads a filter that is JSON, or a text with JSON or conditions. Its methods return nil if something is not understood.
type filterReader struct {
	certain bool     // nothing is guessed, and operators that are not certain stay unchanged
	known   []string // the fields of the stream; nil if unknown, then only certain operators are read in the names of fields
	folded  []string // the names that were read as a field and its operator
	stream  string   // the name of the stream, which may precede its fields
	own     bool     // the stream has fields named like parts of a condition: such an object must name a known field
	left    int      // how many conditions may still be read
}

// read reads a filter, or a part of one.
func (r *filterReader) read(raw string, depth int) expression {
	if depth > maxNesting {
		return nil
	}
	switch kind := rs.Kind(raw); {
	case kind == "array":
		list, _ := rs.AsArray(raw)
		return r.list(list, depth)
	case kind == "object":
		return r.object(rs.AsObject(raw), depth)
	case kind != "string" || r.certain:
		return nil
	}
	s, _ := written.Text(raw)
	for _, text := range []string{s, asJSON(s)} {
		if inner, err := rs.Compact(text); err == nil && rs.Kind(inner) != "string" {
			return r.read(inner, depth+1)
		}
	}
	return r.text(s)
}

// list reads conditions that all hold, unless "or" is between them, or one condition: a field, an operator and a value.
func (r *filterReader) list(list []string, depth int) expression {
	if len(list) == 3 && !r.certain {
		field, isText := written.Text(list[0])
		word, _ := written.Text(list[1])
		if isText && IsOperator(word) && fieldName().MatchString(field) {
			return r.operated(field, word, list[2], depth)
		}
	}
	var parts []expression
	either, both := false, false
	for _, raw := range list {
		word, _ := written.Text(raw)
		word = wrappers[plainWord(word)]
		if !r.certain && (word == "any" || word == "all") {
			either, both = either || word == "any", both || word == "all"
			continue
		}
		e := r.read(raw, depth+1)
		if len(e) == 0 || r.certain && len(e[0]) == 0 {
			return nil
		}
		parts = append(parts, e)
	}
	if len(parts) == 0 || either && both {
		return nil
	}
	return joined(parts, either)
}

// joined returns the expression for all of the parts, or for any of them if either is set. There is at least one part.
func joined(parts []expression, either bool) expression {
	all := parts[0]
	for _, e := range parts[1:] {
		if either {
			all = all.or(e)
		} else {
			all = all.and(e)
		}
	}
	return all
}

// object reads conditions that all hold: one that names its parts, or a member for each.
func (r *filterReader) object(o rs.Object, depth int) expression {
	if field, word, value, ok := spelled(o); ok && field != "" {
		return r.operated(field, word, value, depth+1)
	}
	if field, kind, condition := ofProperty(o); field != "" && !r.certain && (!r.own || slices.Contains(r.known, field)) {
		r.folded = append(r.folded, kind)
		return r.condition(field, condition, depth+1)
	}
	for _, m := range o {
		word, _ := written.Text(m.Value)
		if kind := wrappers[plainWord(word)]; joiners[plainWord(m.Name)] && len(o) == 2 && (kind == "all" || kind == "any") {
			if rest := o.Without(m.Name); r.hasConditions(rest[0].Value) {
				return r.member(rs.Member{Name: map[string]string{"all": "and", "any": "or"}[kind], Value: rest[0].Value}, depth+1)
			}
		}
	}
	all := everything
	for _, m := range o {
		if word := plainWord(m.Name); !r.certain && (noise[word] || word == "should" && isOptional(o)) {
			continue
		}
		all = all.and(r.member(m, depth+1))
	}
	return all
}

// isOptional reports whether the conditions of should, of Elasticsearch, only rank what the others find.
func isOptional(o rs.Object) bool {
	return (o.Has("must") || o.Has("filter")) && !o.Has("minimum_should_match")
}

// member reads a field with its condition, or a wrapper of conditions. The name of a wrapper without conditions in it is a field.
func (r *filterReader) member(m rs.Member, depth int) expression {
	word := plainWord(m.Name)
	kind := wrappers[word]
	if word == "exists" || word == "missing" { // of Elasticsearch
		if inner := rs.AsObject(m.Value); len(inner) == 1 && inner.Text("field") != "" {
			return r.operated(inner.Text("field"), word, "true", depth)
		}
	}
	if field, value := ofOperands(m.Value); field != "" && IsOperator(word) && !r.certain {
		return r.operated(field, word, value, depth)
	}
	if kind == "" || kind == "inner" && r.certain || !r.hasConditions(m.Value) {
		return r.named(m, depth)
	}
	list, isList := rs.AsArray(m.Value)
	if !isList {
		list = []string{m.Value}
	}
	switch any := rs.AsObject(m.Value); {
	case kind == "any" && rs.Kind(m.Value) == "string":
		return r.read(m.Value, depth+1).apart()
	case kind == "all" || kind == "inner":
		return r.list(list, depth)
	case r.certain:
		return nil
	case kind == "any" && any != nil: // any of its members
		list = nil
		for _, field := range any {
			list = append(list, rs.Object{field}.JSON())
		}
	}
	parts := make([]expression, len(list))
	for i, raw := range list {
		if parts[i] = everything; kind == "match" {
			for _, field := range rs.AsObject(raw) {
				parts[i] = parts[i].and(r.operated(field.Name, word, field.Value, depth+1))
			}
		} else if parts[i] = r.read(raw, depth+1); kind == "not" && (len(parts[i]) != 1 || len(parts[i][0]) != 1) {
			return nil // which of them must not hold is unclear
		}
	}
	if kind == "not" {
		return joined(parts, true).not()
	}
	return joined(parts, true)
}

// hasConditions reports whether a value contains conditions on fields, and is not itself a condition.
func (r *filterReader) hasConditions(raw string) bool {
	list, isList := rs.AsArray(raw)
	s, isText := written.Text(raw)
	fields := rs.AsObject(raw)
	switch {
	case isList:
		return len(list) > 0 && !slices.ContainsFunc(list, func(item string) bool {
			return !r.hasConditions(item) && (rs.Kind(item) != "array" || r.certain)
		})
	case isText:
		return !r.certain && strings.ContainsAny(s, "<>=:") && IsText(s)
	}
	if len(fields) == 0 {
		return false
	}
	operand, _ := ofOperands(fields[0].Value)
	return !IsOperator(fields[0].Name) || rs.AsObject(fields[0].Value) != nil || operand != "" && !r.certain
}

// named reads a condition whose field name may include operators.
func (r *filterReader) named(m rs.Member, depth int) expression {
	if r.certain {
		return r.condition(m.Name, m.Value, depth)
	}
	field, value := m.Name, m.Value
	if found := bracketed().FindStringSubmatch(field); found != nil && strings.Contains(field, "[") {
		field, value = found[1], rs.Object{{Name: cmp.Or(found[2], "eq"), Value: value}}.JSON()
	}
	if o, ok := operatorIn(field, r.known); ok && !slices.Contains(r.known, field) && !o.namesWord(value) {
		r.folded = append(r.folded, m.Name)
		field, value = o.field, o.condition(value)
	}
	return r.condition(field, value, depth)
}

func (r *filterReader) condition(field, raw string, depth int) expression {
	if field = strings.Trim(field, " "); depth > maxNesting || field == "" || raw == "" {
		return nil
	}
	raw = plainValue(raw)
	list, isList := rs.AsArray(raw)
	o := rs.AsObject(raw)
	s, isText := written.Text(raw)
	switch {
	case len(o) > 0:
		return r.operators(field, o, depth+1)
	case len(list) == 1 && rs.Kind(list[0]) != "object":
		return r.condition(field, list[0], depth+1)
	case r.certain:
		return r.one(field, "", raw)
	case raw == "null" || o != nil || isList && len(list) == 0 || isText && s == "": // an object here is empty
		return r.one(field, absent, "true")
	case isList:
		return r.values(field, list, depth+1)
	}
	if e := r.textOf(field, s); e != nil {
		return e
	}
	return r.one(field, "", raw)
}

// operators reads an object of operators that compare one field.
func (r *filterReader) operators(field string, o rs.Object, depth int) expression {
	if inner, word, value, ok := spelled(o); ok && inner == "" && len(o) == 2 {
		return r.operated(field, word, value, depth)
	}
	all := everything
	for _, m := range o {
		if m.Value == "null" && len(o) > 1 || noise[plainWord(m.Name)] && !r.certain { // a null argument counts as absent
			continue
		}
		all = all.and(r.operated(field, m.Name, m.Value, depth))
	}
	switch {
	case all == nil || len(all[0]) == 0:
		return nil
	case r.certain:
		return all
	}
	return all.turned()
}

// values reads a list that one field is compared with: both ends of a period, values of which it has one, or conditions that all hold.
func (r *filterReader) values(field string, list []string, depth int) expression {
	switch first, _ := written.Text(append(list, "")[0]); {
	case len(list) == 0:
		return nil
	case IsOperator(first): // [">",100]
		return r.operated(field, first, rs.JoinArray(list[1:]), depth)
	case written.IsPeriod(list):
		return r.one(field, "gte", list[0]).and(r.one(field, "lte", list[1]))
	case rs.AsObject(list[0]) == nil:
		return r.one(field, oneOf, rs.JoinArray(list))
	}
	all := everything
	for _, item := range list {
		all = all.and(r.condition(field, item, depth))
	}
	return all
}

func (r *filterReader) one(field, operator, value string) expression {
	if r.left--; r.left < 0 {
		return nil
	}
	return expression{{{field: field, operator: operator, value: value}}}
}

func (r *filterReader) operated(field, word, raw string, depth int) expression {
	m, known := meaningOf(word)
	list, _ := rs.AsArray(raw)
	switch {
	case depth > maxNesting || plainWord(word) == "":
		return nil
	case m.certain && m.operator == "" || m.operator == oneOf && !m.denied && len(list) == 1:
		return r.condition(field, raw, depth+1)
	case r.certain && m.certain:
		return r.one(field, m.operator, raw)
	case r.certain:
		return r.one(field, word, raw)
	case !known && slices.Contains(r.known, field+"."+word): // a field within an object
		r.folded = append(r.folded, field)
		return r.condition(field+"."+word, raw, depth+1)
	case !known:
		return nil
	case m.operator == datePart:
		return r.condition(field, inDate(plainWord(word), raw), depth+1)
	case m.denied:
		return r.operand(field, m.operator, raw, depth+1).not()
	}
	return r.operand(field, m.operator, raw, depth+1)
}

func (r *filterReader) operand(field, operator, raw string, depth int) expression {
	raw = plainValue(raw)
	list, _ := rs.AsArray(raw)
	scalar, isScalar := rs.AsText(raw)
	o := rs.AsObject(raw)
	switch {
	case operator == "":
		return r.condition(field, raw, depth)
	case len(list) == 1 && isRange(operator):
		return r.operand(field, operator, list[0], depth)
	case raw == "null" && isRange(operator):
		return r.one(field, absent, "true").not()
	case operator == absent:
		switch e := r.one(field, absent, "true"); scalar {
		case "true", "1":
			return e
		case "false", "0":
			return e.not()
		}
	case operator == oneOf && isScalar:
		return r.condition(field, rs.EncodeJSON(written.Names(strings.Trim(scalar, "()[]"))), depth)
	case operator == oneOf && len(list) > 0:
		return r.one(field, oneOf, raw)
	case operator == between && len(list) == 2:
		return r.one(field, "gte", list[0]).and(r.one(field, "lte", list[1])).turned()
	case operator == between && isScalar:
		t := &filterText{reader: r, rest: scalar}
		if e := t.compared(field, between); strings.TrimSpace(t.rest) == "" {
			return e
		}
	case operator == between && o != nil:
		return r.condition(field, raw, depth)
	case operator == within:
		text := cmp.Or(scalar, o.Text("query", "value", "pattern"))
		if span := written.Range(raw); span != "" && written.IsTimeName(field) { // a time is not a text
			return r.condition(field, span, depth)
		} else if text != "" {
			return r.one(field, within, rs.EncodeJSON(text))
		}
	case isRange(operator) && isScalar:
		return r.one(field, operator, raw)
	}
	return nil
}
