package item

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// A Merge is the records of several connections in one order.
type Merge struct {
	Records []rs.Item
	// Last is the first record that is the last of a connection with a full page: records of that connection which are not here belong
	// between those that follow.
	Last  rs.Item
	Value string // by which Last is where it is, as JSON
}

// MergeConnections puts the records of a page, on which each connection has its own one after the other, in one order: by the field of sort
// (with - before it: descending), else by their own times, else by emitted_at. It reports false where those of a connection are not in that
// order, or cannot be compared with others.
func MergeConnections(records []rs.Item, sort string, ascending bool) (Merge, bool) {
	values := []func(rs.Item) string{
		func(r rs.Item) string { authored, _ := Time(nil, r.Data); return write.JSON(authored) },
		func(r rs.Item) string { return r.Members.Get("emitted_at") },
	}
	if sort != "" {
		field, descending := strings.CutPrefix(sort, "-")
		values, ascending = []func(rs.Item) string{func(r rs.Item) string { return r.Data.Get(field) }}, !descending
	}
	for _, value := range values {
		if merge, ok := mergeBy(records, value, ascending); ok {
			return merge, true
		}
	}
	return Merge{}, false
}

// mergeBy puts those without a value last.
func mergeBy(records []rs.Item, value func(rs.Item) string, ascending bool) (m Merge, ok bool) {
	type place struct {
		at         int
		connection string
		key        sortKey
	}
	compare := func(a, b place) int {
		if ascending && a.key.kind != "" && b.key.kind != "" {
			a, b = b, a
		}
		return b.key.compare(a.key)
	}
	places, last, counts, most, kind := make([]place, len(records)), map[string]place{}, map[string]int{}, 0, ""
	for i, record := range records {
		p := place{i, rs.ConnectionID(record.Members), readSortKey(value(record))}
		before, known := last[p.connection]
		if kind = cmp.Or(kind, p.key.kind); p.key.kind != "" && p.key.kind != kind || known && compare(before, p) > 0 {
			return Merge{}, false
		}
		places[i], last[p.connection] = p, p
		counts[p.connection]++
		most = max(most, counts[p.connection])
	}
	slices.SortStableFunc(places, compare)
	for _, p := range places {
		record := records[p.at]
		if m.Records = append(m.Records, record); m.Value == "" && counts[p.connection] == most && last[p.connection].at == p.at {
			m.Last, m.Value = record, value(record)
		}
	}
	return m, kind != ""
}

// A sortKey is what a record is sorted by: a number, a time, or another string. The zero value, for none, is below all.
type sortKey struct {
	kind   string
	number float64
	time   time.Time
	text   string
}

func readSortKey(value string) sortKey {
	text, _ := rs.AsText(value)
	switch kind := rs.Kind(value); {
	case kind == "number":
		number, _ := strconv.ParseFloat(value, 64)
		return sortKey{kind: kind, number: number}
	case kind == "string" && text != "":
		if at, err := time.Parse(time.RFC3339, text); err == nil {
			return sortKey{kind: "time", time: at}
		}
		return sortKey{kind: kind, text: text}
	}
	return sortKey{}
}

func (k sortKey) compare(other sortKey) int {
	return cmp.Or(strings.Compare(k.kind, other.kind), k.time.Compare(other.time), cmp.Compare(k.number, other.number),
		strings.Compare(k.text, other.text))
}
