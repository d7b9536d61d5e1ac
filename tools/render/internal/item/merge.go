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
	// Last is the first record in the order that is the last of a connection with a full page: more records of that connection, which are
	// not here, may belong between the following ones.
	Last  rs.Item
	Value string // the sort value of Last, as JSON
}

// MergeConnections puts the records of a page, which lists one connection after the other, in one order: by the field of sort (descending
// with a leading -), else by their own times, else by emitted_at. It reports false if the records of a connection are not in that order, or
// if values cannot be compared.
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

// mergeBy puts records without a value last.
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

// A sortKey is a value by which records are sorted: a number, a time, or another string. The zero value, for none, is below all others.
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
