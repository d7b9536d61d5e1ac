package rs

// A List is a list answer: its items, and the rest of it.
type List struct {
	Body     Object   // the members of the answer
	Envelope Object   // everything but the items: cursor, count, warnings
	Items    []string // JSON, in order

	path []string // where the items are in Body: one name or two
}

// itemNames are the names under which a resource server puts the items of a list.
var itemNames = []string{"data", "results", "hits", "records"}

// ReadList finds the items of an answer, which is valid JSON, in any of the shapes that resource servers use: data[], data.data[],
// data.results[], results[], hits[], records[] (S3-R16). It reports false for an answer that has none of them.
func ReadList(body string) (List, bool) {
	l := List{Body: AsObject(body)}
	if name, items, ok := l.Body.list(itemNames); ok {
		l.Items, l.Envelope, l.path = items, l.Body.Without(name), []string{name}
		return l, true
	}
	const outer = "data"
	inner := l.Body.Object(outer)
	name, items, ok := inner.list(itemNames)
	if ok {
		l.Items, l.Envelope, l.path = items, l.Body.Without(outer).WithAll(inner.Without(name)), []string{outer, name}
	}
	return l, ok
}

// list returns the first of the names whose value is an array, with its elements.
func (o Object) list(names []string) (name string, elements []string, ok bool) {
	for _, name := range names {
		if elements, ok := AsArray(o.Get(name)); ok {
			return name, elements, true
		}
	}
	return "", nil, false
}

// Name is the name under which the items are, in Body or in its data.
func (l List) Name() string { return l.path[len(l.path)-1] }

// With returns the body with other items in place of its own.
func (l List) With(items []string) Object {
	array := JoinArray(items)
	if len(l.path) == 1 {
		return l.Body.With(l.path[0], array)
	}
	return l.Body.With(l.path[0], l.Body.Object(l.path[0]).With(l.path[1], array).JSON())
}

// Warn returns the list with more warnings in its meta.
func (l List) Warn(warnings []string) List {
	warn := func(o Object) Object {
		meta := o.Object("meta")
		return o.With("meta", meta.With("warnings", JoinArray(append(meta.Array("warnings"), warnings...))).JSON())
	}
	if inner := l.Body.Object(l.path[0]); inner.Has("meta") {
		l.Body = l.Body.With(l.path[0], warn(inner).JSON())
	} else {
		l.Body = warn(l.Body)
	}
	return l
}
