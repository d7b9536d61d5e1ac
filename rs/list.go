package rs

// A List is an answer that contains a list, split into the items and the rest.
type List struct {
	Raw      string // the answer
	Body     Object // the members of the answer
	Envelope Object // everything but the items: cursor, count, warnings
	Items    []Item // in order; empty if there are more than MaxItems
	Count    int    // how many items there are

	path []string // the names that lead to the items in Body: one or two
}

// An Item is one item of a list: a record, a hit or a stream.
type Item struct {
	Raw     string // JSON
	Members Object // nil if the item is not an object
	Data    Object // the data of a record; nil if it has none
}

// MaxItems is the most items that a list may have. A page has a hundred; the list of streams is not paged.
const MaxItems = 10_000

// itemNames are the names under which a resource server puts the items of a list.
var itemNames = []string{"data", "results", "hits", "records"}

// readList finds the items of an answer, whose members are body, in any of the shapes that resource servers use: data[], data.data[],
// data.results[], results[], hits[], records[] (S3-R16). An answer of another shape, or with more than MaxItems items, has no items.
func readList(raw string, body Object) List {
	var l List
	name, items, ok := body.list(itemNames)
	if ok {
		l.path = []string{name}
	} else {
		const outer = "data"
		if name, items, ok = body.Object(outer).list(itemNames); ok {
			l.path = []string{outer, name}
		}
	}
	l = l.within(raw, body)
	if l.Count = len(items); !ok || l.Count > MaxItems {
		return l
	}
	l.Items = make([]Item, len(items))
	members, fields := usualMembers, usualMembers
	for i, raw := range items {
		o := asObject(raw, members)
		data := asObject(o.Get("data"), fields)
		l.Items[i] = Item{raw, o, data}
		members, fields = len(o), max(len(data), usualMembers) // expect the next item to be as large
	}
	return l
}

// within returns the list with another body around the same items.
func (l List) within(raw string, body Object) List {
	l.Raw, l.Body = raw, body
	switch len(l.path) {
	case 1:
		l.Envelope = body.Without(l.path[0])
	case 2:
		l.Envelope = body.Without(l.path[0]).WithAll(body.Object(l.path[0]).Without(l.path[1]))
	}
	return l
}

func (o Object) list(names []string) (name string, elements []string, ok bool) {
	for _, name := range names {
		if elements, ok := AsArray(o.Get(name)); ok {
			return name, elements, true
		}
	}
	return "", nil, false
}

// Item returns the object as an item of a list.
func (o Object) Item() Item { return Item{o.JSON(), o, o.Object("data")} }

// JoinItems returns the items as a JSON array.
func JoinItems(items []Item) string {
	list := make([]string, len(items))
	for i, item := range items {
		list[i] = item.Raw
	}
	return JoinArray(list)
}

// Name returns the name of the array of items, in Body or in its data.
func (l List) Name() string { return l.path[len(l.path)-1] }

// With returns the body with its items replaced.
func (l List) With(items []Item) Object {
	array := JoinItems(items)
	if len(l.path) == 1 {
		return l.Body.With(l.path[0], array)
	}
	return l.Body.With(l.path[0], l.Body.Object(l.path[0]).With(l.path[1], array).JSON())
}

// Without returns the list without a member of its envelope.
func (l List) Without(name string) List {
	body := l.Body.Without(name)
	if len(l.path) > 1 {
		body = body.With(l.path[0], body.Object(l.path[0]).Without(name).JSON())
	}
	return l.within(body.JSON(), body)
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
